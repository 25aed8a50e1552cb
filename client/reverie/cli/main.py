"""The `reverie` program: loads only the command that was asked for, and turns errors into exit codes."""

import os
import sys
from importlib import import_module

from reverie.cli.arguments import VALUE_FLAGS, Command, Parser, UsageError, add_shared_flags, parser_for
from reverie.cli.catalog import COMMANDS, overview
from reverie.cli.console import Console
from reverie.errors import DaemonUnavailable, NotFound, ReverieError

OK, FAILED, USAGE, NOT_FOUND, UNREACHABLE, INTERRUPTED = 0, 1, 2, 3, 69, 130


def main(argv: list[str] | None = None) -> int:
    if argv is None:
        os.umask(0o077)  # whatever a command writes holds memories, or leads to who does
        _travel_light()
    arguments = sys.argv[1:] if argv is None else argv
    console = Console(as_json="--json" in arguments, no_color="--no-color" in arguments)
    try:
        code = _run(arguments, console)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has seen enough. Python would complain once more when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except UsageError as error:
        console.fail("usage", str(error), hint=error.hint)
        return USAGE
    except ReverieError as error:
        return report(error, console)
    return code


def _travel_light() -> None:
    """A command lives for a moment: a fifth of it went into collecting garbage, and into a module nobody needs."""
    import gc

    gc.set_threshold(20_000, 20, 20)
    # msgspec asks `typing_extensions` for what `typing` has since 3.11, and falls back to that where there is none.
    sys.modules.setdefault("typing_extensions", None)  # type: ignore[arg-type]


def report(error: ReverieError, console: Console) -> int:
    """Says what went wrong; the exit code says it to scripts."""
    console.fail(error.code, error.message, field=error.field, hint=error.hint)
    if isinstance(error, DaemonUnavailable):
        return UNREACHABLE
    return NOT_FOUND if isinstance(error, NotFound) else FAILED


def _run(arguments: list[str], console: Console) -> int:
    if any("\udc80" <= letter <= "\udcff" for argument in arguments for letter in argument):
        raise UsageError("the arguments are not UTF-8 text")
    flags, name, rest = _split(arguments)
    if name == "help":
        name, rest = (rest[0], ["--help"]) if rest else (None, ["--help"])
    if name is None:
        return _without_command([*flags, *rest], console)
    if name == "service":
        return _service([*flags, *rest])
    if name not in COMMANDS:
        raise UsageError(f"there is no command {name!r}", _suggestion(name))
    entry = COMMANDS[name]
    command: Command = import_module(f"reverie.cli.{entry.module}").COMMANDS[name]
    parser = parser_for(name, entry.summary, command)
    try:
        args = parser.parse_intermixed_args([*flags, *rest])
    except SystemExit as stop:  # argparse leaves this way after --help and --version
        return int(stop.code or 0)
    return command.run(args, console)


def _split(arguments: list[str]) -> tuple[list[str], str | None, list[str]]:
    """Flags before the command, the command, and what follows it."""
    at = 0
    while at < len(arguments) and arguments[at].startswith("-") and arguments[at] != "-":
        at += 2 if arguments[at] in VALUE_FLAGS else 1
    if at >= len(arguments):
        return arguments, None, []
    return arguments[:at], arguments[at], arguments[at + 1 :]


def _without_command(flags: list[str], console: Console) -> int:
    if "--version" in flags:
        from reverie import __version__

        console.line(f"reverie {__version__}")
        return OK
    if "--help" in flags or "-h" in flags:
        console.line(overview())
        return OK
    if not flags:
        console.line(overview())
        return USAGE
    raise UsageError("which command?", "see `reverie --help`")


def _suggestion(name: str) -> str:
    from reverie.cli.mistakes import did_you_mean

    return did_you_mean(name, COMMANDS) or "see `reverie --help`"


def _service(arguments: list[str]) -> int:
    """systemd's side is a world of its own, with actions below it."""
    from reverie.cli import service

    shared = Parser(prog="reverie", add_help=False, allow_abbrev=False)
    add_shared_flags(shared, short=False)
    parser = Parser(prog="reverie", allow_abbrev=False)
    service.add_parser(parser.add_subparsers(parser_class=Parser, required=True))
    try:
        args, own = shared.parse_known_args(arguments)
        parser.parse_args(["service", *own], args)
    except SystemExit as stop:
        return int(stop.code or 0)
    return int(args.run(args))
