"""A line on the terminal that says how far something is; nowhere else, and gone when it is over."""

import sys
from typing import TextIO

from reverie.cli.console import visible

_WIDTH = 24
_LABEL = 40


class Bar:
    def __init__(self, *, quiet: bool = False, out: TextIO | None = None) -> None:
        self._out = out or sys.stderr
        self._on = not quiet and self._out.isatty()

    def draw(self, done: int, total: int, label: str) -> None:
        if self._on:
            filled = _WIDTH * done // total if total else 0
            share = f"{100 * done // total:3}%" if total else " ..."
            self._out.write(f"\r\x1b[K[{'#' * filled}{'.' * (_WIDTH - filled)}] {share} {visible(label[-_LABEL:])}")
            self._out.flush()

    def clear(self) -> None:
        if self._on:
            self._out.write("\r\x1b[K")
            self._out.flush()
