"""Completion for bash: one function of plain `case`s, which needs nothing but bash itself."""

from collections.abc import Iterable, Iterator, Sequence

from reverie.cli.arguments import VALUE_FLAGS
from reverie.cli.shells.described import FILE, LIST, Described, Option, Place, shared_options

_HEAD = """\
# bash completion for reverie. To use it:  eval "$(reverie completion bash)"
_reverie_words() {{ mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current"); }}
_reverie_files() {{ compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); }}
_reverie_list() {{
  local before=""
  [[ $current == *,* ]] && before="${{current%,*}},"
  compopt -o nospace 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${{current##*,}}")
}}
_reverie() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
  local command="" action="" place=0 at word
  COMPREPLY=()
  for (( at = 1; at < COMP_CWORD; at++ )); do
    word="${{COMP_WORDS[at]}}"
    case "$command $word" in
{skipped}
      *" -"?*) ;;
      " "*) command="$word" ;;
      *) [[ $place == 0 ]] && action="$word"; (( place++ )) ;;
    esac
  done
  case "$command" in
"""
_FOOT = """\
  esac
}
complete -F _reverie reverie
"""


def script(commands: Sequence[Described]) -> str:
    skipped = "\n".join(_skipping(commands))
    return "\n".join([_HEAD.format(skipped=skipped).rstrip("\n"), *_cases(commands), _FOOT])


def _skipping(commands: Sequence[Described]) -> Iterator[str]:
    """A value is no word of its own: what follows a flag that takes one is passed over."""
    shared = " | ".join(f'*" {flag}"' for flag in VALUE_FLAGS)
    yield f"      {shared}) (( at++ )) ;;"
    for command in commands:
        options = [option for one in (command, *command.actions) for option in one.options]
        if flags := _flags(option for option in options if option.value and not option.shared):
            named = " | ".join(f'"{command.name} {flag}"' for flag in flags)
            yield f"      {named}) (( at++ )) ;;"


def _flags(options: Iterable[Option]) -> list[str]:
    return list(dict.fromkeys(name for option in options for name in option.names))


def _cases(commands: Sequence[Described]) -> Iterator[str]:
    shared = [*shared_options(), Option(("-h", "--help"), "", "any", (), "")]
    yield '    "")'
    yield from _after_flags(shared)
    names = tuple(command.name for command in commands)
    yield from _offer(_flags(shared), [Place("COMMAND", "any", names, "", True, False)])
    for command in commands:
        yield "      ;;"
        yield f"    {command.name})"
        if command.actions:
            yield from _actions(command)
        else:
            yield from _after_flags(command.options)
            yield from _offer(_flags(command.options), command.places)
    yield "      ;;"


def _actions(command: Described) -> Iterator[str]:
    for action in command.actions:
        yield f"      if [[ $action == {action.name} ]]; then"
        yield from _after_flags((*action.options, *command.options))
        yield from _offer(_flags((*action.options, *command.options)), action.places)
        yield "      return; fi"
    words = tuple(action.name for action in command.actions)
    yield from _offer(_flags(command.options), [Place("ACTION", "any", words, "", False, False)])


def _after_flags(options: Iterable[Option]) -> Iterator[str]:
    """What may follow the flag right before the cursor."""
    yield '      case "$previous" in'
    for option in options:
        if option.value:
            yield f"        {'|'.join(option.names)}) {_values(option)}; return ;;"
    yield "      esac"


def _values(thing: Option | Place) -> str:
    if thing.form == FILE:
        return "_reverie_files"
    if not thing.words:
        return ":"
    return f"{'_reverie_list' if thing.form == LIST else '_reverie_words'} '{' '.join(thing.words)}'"


def _offer(flags: list[str], places: Sequence[Place]) -> Iterator[str]:
    yield f"      if [[ $current == -?* || $current == - ]]; then _reverie_words '{' '.join(flags)}'; return; fi"
    yield '      case "$place" in'
    for number, place in enumerate(places):
        pattern = "*" if place.repeated else str(number)
        yield f"        {pattern}) {_values(place)} ;;"
    yield "      esac"
