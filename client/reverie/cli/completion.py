"""`reverie completion`: what a shell needs to complete this program, made from its own parsers."""

import argparse

from reverie.cli.arguments import Command, Parser
from reverie.cli.console import Console

SHELLS = ("bash", "zsh", "fish")


def _configure(parser: Parser) -> None:
    parser.add_argument("shell", choices=SHELLS, metavar="|".join(SHELLS))


def _completion(args: argparse.Namespace, console: Console) -> int:
    from importlib import import_module

    from reverie.cli.shells.described import every_command

    script = import_module(f"reverie.cli.shells.{args.shell}").script(every_command())
    if console.as_json:
        console.emit({"shell": args.shell, "script": script})
    else:
        console.line(script.rstrip("\n"))
    return 0


COMMANDS = {
    "completion": Command(
        _configure,
        _completion,
        (
            "reverie completion fish > ~/.config/fish/completions/reverie.fish",
            'reverie completion zsh > "${fpath[1]}/_reverie"',
            'eval "$(reverie completion bash)"',
        ),
    )
}
