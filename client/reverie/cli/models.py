"""`reverie model`: which models are on this machine, which one is in force, and how it is doing."""

import argparse
import sys

from reverie.cli.arguments import Command, Parser, UsageError
from reverie.cli.connect import connect
from reverie.cli.console import Console, visible

ACTIONS = ("list", "use", "status", "pull")
NAMED = ("use", "pull")
_ORDER = (
    "state",
    "model",
    "runtime",
    "id",
    "dimension",
    "directory",
    "embedded",
    "to_do",
    "restarts",
    "reason",
    "mend",
)


def _configure(parser: Parser) -> None:
    parser.add_argument("action", choices=ACTIONS, nargs="?", default="status", metavar="|".join(ACTIONS))
    parser.add_argument("name", metavar="NAME", nargs="?", help="for use and pull: a name or a directory")
    parser.add_argument("--write", action="store_true", help="for use: change the configuration file")


def _model(args: argparse.Namespace, console: Console) -> int:
    if (args.name is not None) != (args.action in NAMED):
        raise UsageError(f"`model {args.action}` takes {'a' if args.action in NAMED else 'no'} name")
    if args.action == "status":
        return _status(args, console)
    given = [args.action, *([args.name] if args.name else [])]
    flags = [flag for flag, wanted in (("--write", args.write), ("--json", args.json)) if wanted]
    return _daemon_module(console, *flags, "--", *given)


def _daemon_module(console: Console, *arguments: str) -> int:
    """The client knows nothing of models, so the daemon's own program answers, with or without a daemon running."""
    import subprocess

    console.flush()
    return subprocess.run([sys.executable, "-m", "reveried.config.models", *arguments], check=False).returncode


def _status(args: argparse.Namespace, console: Console) -> int:
    with connect(args) as client:
        embedder = client.status().embedder
    if console.as_json:
        console.emit(embedder)
        return 0
    for name in _ORDER:
        if embedder.get(name) not in (None, "", 0) or name == "to_do":
            console.line(f"{console.dim(f'{name:<10}')} {visible(str(embedder.get(name, '')))}")
    return 0


COMMANDS = {
    "model": Command(
        _configure,
        _model,
        ("reverie model", "reverie model list", "reverie model use ~/models/my-model --write"),
    )
}
