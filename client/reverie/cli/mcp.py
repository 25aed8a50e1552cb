"""`reverie mcp`: memory for any agent that speaks the Model Context Protocol, over standard input and output."""

import argparse

from reverie.cli.arguments import Command, Parser
from reverie.cli.console import Console

PATIENCE = 30.0


def _configure(parser: Parser) -> None:
    parser.add_argument("--no-start", action="store_true", help="do not start the daemon where none answers")


def _mcp(args: argparse.Namespace, console: Console) -> int:
    from reverie.mcp.serving import serve

    return serve(args.socket, args.namespace, args.timeout or PATIENCE, start=not args.no_start)


COMMANDS = {
    "mcp": Command(
        _configure,
        _mcp,
        ("reverie mcp --namespace work", "claude mcp add -s user reverie -- reverie mcp"),
    )
}
