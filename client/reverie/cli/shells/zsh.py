"""Completion for zsh: `_arguments` with the descriptions of every command and flag."""

from collections.abc import Iterable, Iterator, Sequence

from reverie.cli.shells.described import FILE, LIST, Described, Option, Place, shared_options

_HEAD = """\
#compdef reverie
# zsh completion for reverie. To use it:  reverie completion zsh > "${fpath[1]}/_reverie"
# or, after compinit:  eval "$(reverie completion zsh)"
_reverie() {
  local curcontext="$curcontext" state line
  local -a commands
  commands=(
"""
_DISPATCH = """\
  )
  _arguments -C \\
{shared}
    '1: :->command' '*:: :->rest'
  case $state in
    command) _describe -t commands command commands ;;
    rest)
      case $words[1] in
"""
_FOOT = """\
      esac ;;
  esac
}
if [ "$funcstack[1]" = "_reverie" ]; then _reverie "$@"; else compdef _reverie reverie; fi
"""


def script(commands: Sequence[Described]) -> str:
    named = "\n".join(f"    {_quoted(f'{_no_colon(one.name)}:{one.summary}')}" for one in commands)
    shared = "\n".join(f"    {line} \\" for line in _options(shared_options()))
    body = "\n".join(line for one in commands for line in _command(one))
    return f"{_HEAD}{named}\n{_DISPATCH.format(shared=shared)}{body}\n{_FOOT}"


def _command(command: Described) -> Iterator[str]:
    yield f"        {command.name})"
    if command.actions:
        yield from _with_actions(command)
    else:
        lines = [*_options(command.options), *_places(command.places)]
        yield _arguments(lines, "          ") + " ;;"


def _with_actions(command: Described) -> Iterator[str]:
    names = " ".join(_quoted(f"{action.name}:{action.help}") for action in _named(command))
    yield f"          local -a actions; actions=({names})"
    yield _arguments([*_options(command.options), "'1: :->action'", "'*:: :->more'"], "          ", context=True)
    yield "          case $state in"
    yield "            action) _describe -t actions action actions ;;"
    yield "            more) case $words[1] in"
    for action in command.actions:
        lines = [*_options((*action.options, *command.options)), *_places(action.places)]
        yield f"              {action.name})"
        yield _arguments(lines, "                ") + " ;;"
    yield "            esac ;;"
    yield "          esac ;;"


def _named(command: Described) -> list[Place]:
    return [Place(action.name, "any", (), action.summary, False, False) for action in command.actions]


def _arguments(lines: Iterable[str], indent: str, *, context: bool = False) -> str:
    start = f"{indent}_arguments -C" if context else f"{indent}_arguments"
    return " \\\n".join([start, *(f"{indent}  {line}" for line in lines)])


def _options(options: Iterable[Option]) -> Iterator[str]:
    seen: set[str] = set()
    for option in options:
        for name in option.names:
            if name not in seen:
                seen.add(name)
                yield _quoted(f"*{name}[{_plain(option.help)}]{_value(option)}")


def _value(option: Option) -> str:
    return f":{_no_colon(option.value)}:{_found(option)}" if option.value else ""


def _places(places: Iterable[Place]) -> Iterator[str]:
    for number, place in enumerate(places, 1):
        where = "*" if place.repeated else str(number)
        yield _quoted(f"{where}:{_no_colon(place.name)}:{_found(place)}")


def _found(thing: Option | Place) -> str:
    if thing.form == FILE:
        return "_files"
    if not thing.words:
        return " "
    words = " ".join(thing.words)
    return f"_sequence compadd - {words}" if thing.form == LIST else f"({words})"


def _plain(text: str) -> str:
    return text.replace("[", "(").replace("]", ")").replace("\\", "")


def _no_colon(text: str) -> str:
    return text.replace(":", "\\:")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
