"""Completion for fish: one `complete` line for every command, flag and word."""

from collections.abc import Iterable, Iterator, Sequence

from reverie.cli.arguments import VALUE_FLAGS
from reverie.cli.shells.described import FILE, LIST, Described, Option, Place, shared_options

_HEAD = """\
# fish completion for reverie. To use it:  reverie completion fish > ~/.config/fish/completions/reverie.fish
function __reverie_words
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
        else if contains -- $word {valued}
            set skip 1
        else if not string match -q -- '-?*' $word
            echo $word
        end
    end
end
function __reverie_at
    set -l words (__reverie_words)
    test (count $words) -ge (math $argv[1] + 1); or return 1
    test "$words[1]" = "$argv[2]"; or return 1
    test -z "$argv[3]"; or test (math (count $words) - 1) = "$argv[3]"
end
function __reverie_in
    set -l words (__reverie_words)
    test "$words[1]" = "$argv[1]"; and test "$words[2]" = "$argv[2]"
end
complete -c reverie -f
"""


def script(commands: Sequence[Described]) -> str:
    every = [option for command in commands for one in (command, *command.actions) for option in one.options]
    valued = dict.fromkeys([*VALUE_FLAGS, *(name for option in every if option.value for name in option.names)])
    lines = [_HEAD.replace("{valued}", " ".join(valued)).rstrip("\n")]
    lines += [_option(option, "") for option in shared_options()]
    for command in commands:
        lines.append(_complete("test -z (__reverie_words | string collect)", f"-a {command.name}", command.summary))
        lines += _of(command)
    return "\n".join(lines) + "\n"


def _of(command: Described) -> Iterator[str]:
    here = f"__reverie_at 0 {command.name}"
    yield from _own(command.options, here)
    yield from _places(command.places, command.name)
    for action in command.actions:
        yield _complete(f"__reverie_at 0 {command.name} 0", f"-a {action.name}", action.summary)
        yield from _own(action.options, f"__reverie_in {command.name} {action.name}")


def _own(options: Iterable[Option], condition: str) -> Iterator[str]:
    for option in options:
        if not option.shared:
            yield _option(option, condition)


def _option(option: Option, condition: str) -> str:
    flags = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
    return _complete(condition, flags + _value(option), option.help)


def _value(option: Option) -> str:
    if not option.value:
        return ""
    return " -r" + (_found(option) or " -x")


def _found(thing: Option | Place) -> str:
    if thing.form == FILE:
        return " -F"
    if not thing.words:
        return ""
    words = " ".join(thing.words)
    listed = f'(__fish_complete_list , \'string split " " "{words}"\')' if thing.form == LIST else words
    return f" -x -a {_quoted(listed)}" if isinstance(thing, Option) else f" -a {_quoted(listed)}"


def _places(places: Sequence[Place], command: str) -> Iterator[str]:
    for number, place in enumerate(places):
        found = _found(place).strip()
        if found:
            at = "" if place.repeated else f" {number}"
            yield _complete(f"__reverie_at 0 {command}{at}", found, place.help)


def _complete(condition: str, rest: str, description: str) -> str:
    when = f" -n {_quoted(condition)}" if condition else ""
    said = f" -d {_quoted(description)}" if description else ""
    return f"complete -c reverie{when} {rest.strip()}{said}"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
