"""`reverie erase`: the one command that cannot be undone, so it asks first."""

import argparse
import sys

from reverie.cli.arguments import Command, Parser, UsageError, add_ids
from reverie.cli.connect import connect
from reverie.cli.console import Console, visible
from reverie.cli.written import show_written
from reverie.client import Client
from reverie.errors import NotFound


def _configure(parser: Parser) -> None:
    add_ids(parser, many=False)
    parser.add_argument("--yes", action="store_true", help="do not ask")


def at_a_terminal() -> bool:
    return sys.stdin.isatty()


def _erase(args: argparse.Namespace, console: Console) -> int:
    if not args.yes and not at_a_terminal():
        raise UsageError("erasing cannot be undone", "add --yes to erase without being asked")
    with connect(args) as client:
        if not args.yes and not _confirmed(client, args.id, console):
            console.note("nothing was erased")
            return 1
        show_written(client.erase(args.id), console)
    return 0


def _confirmed(client: Client, memory: int, console: Console) -> bool:
    try:
        console.line(f"  {console.dim(visible(client.get(memory).title))}")
    except NotFound:
        console.line(f"  {console.dim('(it is not among the readable memories)')}")
    console.line("Its words will be gone from every file, and nothing can bring them back.")
    console.prompt(f"Erase [id:{memory}]? [y/N] ")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


COMMANDS = {"erase": Command(_configure, _erase, ("reverie erase 12", "reverie erase 12 --yes"))}
