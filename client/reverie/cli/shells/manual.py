"""The manual pages: the catalogue and the parsers, in the words of roff."""

import argparse
from collections.abc import Iterable, Iterator, Sequence

from reverie import __version__
from reverie.cli.catalog import GROUPS
from reverie.cli.shells.described import Described, Option, Place, of_parser, shared_options

_EXIT = (
    ("0", "done; a recall that finds nothing is also 0"),
    ("1", "the daemon refused, or a check found something wrong"),
    ("2", "the arguments make no sense"),
    ("3", "there is no such memory"),
    ("69", "no daemon answers"),
    ("130", "Ctrl-C"),
)
_ENVIRONMENT = (
    ("REVERIE_SOCKET", "the daemon's socket"),
    ("REVERIE_NAMESPACE", "whose memory, where no --namespace is given"),
    ("REVERIE_DATA", "directory of the databases"),
    ("REVERIE_CONFIG", "the configuration file"),
    ("NO_COLOR", "plain text"),
)
_FILES = (
    ("$XDG_RUNTIME_DIR/reverie/reverie.sock", "the socket"),
    ("~/.local/share/reverie", "the log, and the state made from it"),
    ("~/.config/reverie/config.yaml", "the configuration; `reverie config example` prints one"),
)


def reverie_page(commands: Sequence[Described]) -> str:
    by_name = {command.name: command for command in commands}
    lines = [_title("reverie"), ".SH NAME", "reverie \\- the memory of the agents on this machine"]
    lines += [".SH SYNOPSIS", ".B reverie", "[options] COMMAND ..."]
    lines += [".SH DESCRIPTION", "Each command is one request to the daemon,", ".BR reveried (1)."]
    lines += [".SH OPTIONS", "They may stand before or after the command."]
    lines += [*_options(shared_options()), ".SH COMMANDS"]
    for group, entries in GROUPS.items():
        lines.append(f".SS {_text(group[0].upper() + group[1:])}")
        lines += [line for name in entries for line in _command(by_name[name])]
    lines += _ending(".BR reveried (1)")
    return "\n".join(lines) + "\n"


def reveried_page(parser: argparse.ArgumentParser) -> str:
    program = of_parser("reveried", "", parser)
    options = [option._replace(help=_filled(option, parser)) for option in program.options]
    lines = [
        _title("reveried"),
        ".SH NAME",
        "reveried \\- keeps the memory of the agents on this machine",
    ]
    lines += [".SH SYNOPSIS", ".B reveried", "[options]", ".SH DESCRIPTION"]
    lines += ["Serves one user over a Unix socket, until", ".B SIGTERM", "or", ".BR SIGINT .", ".B SIGHUP"]
    lines += ["reads the configuration again.", ".SH OPTIONS", *_options(options), *_ending(".BR reverie (1)")]
    return "\n".join(lines) + "\n"


def _filled(option: Option, parser: argparse.ArgumentParser) -> str:
    default = parser.get_default(option.names[-1].lstrip("-").replace("-", "_"))
    return option.help.replace("%(default)s", str(default))


def _title(program: str) -> str:
    return f'.TH {program.upper()} 1 "" "reverie {__version__}" "User Commands"'


def _ending(other: str) -> Iterator[str]:
    for heading, rows in (("EXIT STATUS", _EXIT), ("ENVIRONMENT", _ENVIRONMENT), ("FILES", _FILES)):
        if heading != "EXIT STATUS" or "reveried" in other:
            yield f".SH {heading}"
            yield from (line for name, meaning in rows for line in (".TP", f".B {_text(name)}", _text(meaning)))
    yield from (".SH SEE ALSO", other)


def _command(command: Described) -> Iterator[str]:
    yield ".TP"
    yield f".B reverie {_text(command.name)} " + _text(_usage(command))
    yield _text(command.summary[0].upper() + command.summary[1:] + ".")
    yield ".RS"
    yield from _options(option for option in command.options if not option.shared and "--help" not in option.names)
    for action in command.actions:
        yield from (".TP", f".B {_text(action.name)}", _text(action.summary))
        flags = [option for option in action.options if "--help" not in option.names]
        yield from (".RS", *_options(flags), ".RE") if flags else ()
    yield from (".PP", ".nf", *(_text(example) for example in command.examples), ".fi", ".RE")


def _usage(command: Described) -> str:
    return "ACTION" if command.actions else " ".join(map(_shown, command.places))


def _shown(place: Place) -> str:
    name = f"{place.name} ..." if place.repeated else place.name
    return f"[{name}]" if place.optional else name


def _options(options: Iterable[Option]) -> Iterator[str]:
    for option in options:
        yield ".TP"
        yield f".B {_text(', '.join(option.names))} {_text(option.value)}".rstrip()
        yield _text(option.help)


def _text(text: str) -> str:
    """A line that begins with a point or a quote would be an order to roff."""
    plain = " ".join(text.split()).replace("%%", "%").replace("\\", "\\e").replace("-", "\\-")
    ascii_only = "".join(letter if letter.isascii() else f"\\[u{ord(letter):04X}]" for letter in plain)
    return f"\\&{ascii_only}" if ascii_only[:1] in (".", "'") else ascii_only
