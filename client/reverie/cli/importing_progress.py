"""A bar on the terminal while a long command works; nothing at all in a pipe."""

import os
import sys
import time
from collections import Counter
from pathlib import Path
from types import TracebackType
from typing import Self

from reverie.cli.console import Console
from reverie.transfer.sources import Source

_WIDTH = 24
_EVERY = 0.1


class Progress:
    def __init__(self, console: Console, path: str) -> None:
        self._shown = sys.stderr.isatty() and not console.as_json
        self._total = _size(path) if self._shown else 0
        self._finished = 0
        self._next = 0.0

    def show(self, source: Source, counts: Counter[str]) -> None:
        if not self._shown or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _EVERY
        done = self._finished + (0 if source.stream.closed else source.stream.tell())
        share = min(done / (self._total or source.size or 1), 1.0)
        bar = "█" * round(share * _WIDTH)
        told = f"{counts['read']:,} read · {counts['stored']:,} new · {counts['bad']:,} bad"
        sys.stderr.write(f"\r\x1b[2K{bar:░<{_WIDTH}} {share:4.0%}  {told}")
        sys.stderr.flush()

    def done(self, source: Source) -> None:
        self._finished += source.size

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()


def _size(path: str) -> int:
    if path == "-":
        return 0
    if not os.path.isdir(path):
        return os.path.getsize(path) if os.path.exists(path) else 0
    return sum(file.stat().st_size for file in Path(path).rglob("*") if file.is_file())
