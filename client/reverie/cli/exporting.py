"""`reverie export`: every record, the raw log, or notes for people, to standard output or into a new file."""

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress

from reverie.cli.arguments import Command, Parser, UsageError
from reverie.cli.connect import PATIENT, connect_to
from reverie.cli.console import Console, visible
from reverie.transfer.writing import WRITERS


def _configure(parser: Parser) -> None:
    parser.set_defaults(namespace="")
    parser.add_argument("--format", choices=[*WRITERS], default="jsonl", help="default: jsonl")
    parser.add_argument("--out", metavar="FILE", help="a new file; else standard output")
    parser.add_argument("--all", action="store_true", help="every namespace")


def _export(args: argparse.Namespace, console: Console) -> int:
    if args.all and args.namespace:
        raise UsageError("give either --all or --namespace, not both")
    with ExitStack() as stack:
        client_for = connect_to(args, stack, timeout=PATIENT)
        namespaces = [args.namespace or "default"]
        if args.all:
            namespaces = list(client_for("default").namespaces().namespaces)
        parts = WRITERS[args.format](client_for, namespaces)
        if args.out is None:
            _print(parts)
        else:
            count = _write(parts, args.out)
            console.note(f"{visible(args.out)}: {count:,} {'entries' if args.format == 'markdown' else 'lines'}")
    return 0


def _print(parts: Iterator[bytes]) -> None:
    sys.stdout.flush()
    for part in parts:
        sys.stdout.buffer.write(part)
    sys.stdout.buffer.flush()


def _write(parts: Iterator[bytes], out: str) -> int:
    """Private, complete before it gets its name, and never in the place of another file."""
    beside = f"{out}.partial"
    try:
        if os.path.lexists(out):
            raise UsageError(f"{out} is there already", "name a new file")
        with suppress(FileNotFoundError):
            os.unlink(beside)  # of an export that was broken off; what others put there is not ours to write into
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            count = sum(1 for part in parts if file.write(part))
            file.flush()
            os.fsync(file.fileno())
        os.link(beside, out)
        os.unlink(beside)
    except OSError as error:
        raise UsageError(f"cannot write {out}: {error.strerror}") from error
    return count


COMMANDS = {
    "export": Command(
        _configure,
        _export,
        (
            "reverie export --out memories.jsonl",
            "reverie export --all --format events --out log.jsonl",
            "reverie export --format markdown -n team > team.md",
        ),
    )
}
