"""How arguments are read: the flags every command shares, and the types of values."""

import argparse
import os
import re
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

from reverie import __version__
from reverie.cli.console import Console

VALUE_FLAGS = ("--socket", "--namespace", "-n", "--timeout")


class UsageError(Exception):
    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class Parser(argparse.ArgumentParser):
    example = ""

    def error(self, message: str) -> NoReturn:
        from reverie.cli.mistakes import meant_by

        more = f"e.g. `{self.example}`; see `{self.prog} --help`" if self.example else f"see `{self.prog} --help`"
        raise UsageError(message, meant_by(message, self._option_string_actions) or more)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        from reverie.cli.mistakes import did_you_mean

        known = [str(choice) for choice in action.choices]
        where = f"`{self.prog}`" if not action.option_strings else action.option_strings[-1]
        hint = did_you_mean(str(value), known) or f"one of {', '.join(known)}"
        raise UsageError(f"{where} knows no {value!r}", hint)


class _Help(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str) -> None:
        # argparse makes one for every argument and would load shutil, with its compressors, to ask for the width.
        super().__init__(prog, width=_columns())


def _columns() -> int:
    try:
        return min(os.get_terminal_size().columns or 100, 100)
    except OSError:
        return 100


class Command(NamedTuple):
    configure: Callable[[Parser], None]
    run: Callable[[argparse.Namespace, Console], int]
    examples: tuple[str, ...]


def no_arguments(parser: Parser) -> None:
    """The shared flags are all it takes."""


def parser_for(name: str, summary: str, command: Command) -> Parser:
    parser = Parser(
        prog=f"reverie {name}",
        description=summary[0].upper() + summary[1:] + ".",
        epilog="examples:\n" + "\n".join(f"  {example}" for example in command.examples),
        formatter_class=_Help,
        allow_abbrev=False,
    )
    parser.example = command.examples[0]
    command.configure(parser)
    add_shared_flags(parser)
    return parser


def add_shared_flags(parser: Parser, *, short: bool = True) -> None:
    # `import` and `export` tell a namespace that was named from one that was not.
    chosen = parser.get_default("namespace")
    namespace = (os.environ.get("REVERIE_NAMESPACE") or "default") if chosen is None else chosen
    shared = parser.add_argument_group("shared options")
    shared.add_argument("--socket", metavar="PATH", help="the daemon's socket")
    shared.add_argument(
        *(["-n"] if short else []), "--namespace", metavar="NAME", default=namespace, help="whose memory"
    )
    shared.add_argument("--json", action="store_true", help="one JSON object per line")
    shared.add_argument("--timeout", metavar="SECONDS", type=seconds, help="how long to wait for an answer")
    shared.add_argument("--no-color", action="store_true", help="plain text")
    shared.add_argument("--version", action="version", version=f"reverie {__version__}")


def seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return value


def positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return int(text)


def share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return value


def memory_id(text: str) -> int:
    """`12`, `id:12` or `[id:12]`: ids are typed as they are printed."""
    found = re.fullmatch(r"\[?(?:id:)?([0-9]{1,18})\]?", text.strip())
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a memory id such as 12 or [id:12]")
    return int(found[1])


def tag_list(text: str) -> list[str]:
    return [tag for part in text.split(",") if (tag := part.strip().lstrip("#"))]


def json_object(text: str) -> dict[str, Any]:
    import msgspec

    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.MsgspecError as error:
        raise argparse.ArgumentTypeError(f"not a JSON object: {error}") from error


def add_ids(parser: Parser, *, many: bool = True) -> None:
    parser.add_argument("ids" if many else "id", metavar="ID", type=memory_id, nargs="+" if many else None)


def add_list_flag(parser: Parser, flag: str, help: str) -> None:
    """A flag that may be repeated, or hold several values between commas."""
    parser.add_argument(flag, type=tag_list, action="extend", default=[], metavar="NAME", help=help)


def add_period(parser: Parser) -> None:
    from reverie.cli.times import ago, end_of

    parser.add_argument("--since", type=ago, metavar="TIME", help="e.g. 7d, 12h, 2026-01-31, 2026-01-31T09:00")
    parser.add_argument("--until", type=end_of, metavar="TIME", help="likewise; a date means its whole day")
