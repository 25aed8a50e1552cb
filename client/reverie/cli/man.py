"""`reverie man`: the manual page, made from the parsers so that it cannot fall behind them."""

import argparse

from reverie.cli.arguments import Command, no_arguments
from reverie.cli.console import Console


def _man(args: argparse.Namespace, console: Console) -> int:
    from reverie.cli.shells.described import every_command
    from reverie.cli.shells.manual import reverie_page

    page = reverie_page(every_command())
    if console.as_json:
        console.emit({"page": page})
    else:
        console.line(page.rstrip("\n"))
    return 0


COMMANDS = {"man": Command(no_arguments, _man, ("reverie man | man -l -", "reverie man > reverie.1"))}
