"""A bar that shows how far something is, on a terminal and nowhere else."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from reverie.errors import ReverieError

LOOK_EVERY = 0.15
CELLS = 24
_CLEAR = "\r\x1b[K"


def on_terminal() -> bool:
    return sys.stderr.isatty()


def bar(what: str, done: int, total: int) -> str:
    """Without a total there is nothing to compare with, so only words."""
    if not total:
        return f"{what} …"
    full = CELLS * min(done, total) // total
    return f"{what} {'█' * full}{'░' * (CELLS - full)} {done:,} of {total:,}"


class Line:
    """The bar for whoever is called back with news; without a terminal, or unwanted, it draws nothing."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._on = on_terminal() and not quiet

    def draw(self, what: str, done: int, total: int) -> None:
        if self._on:
            _write(bar(what, done, total))

    def clear(self) -> None:
        if self._on:
            _write("")


@contextmanager
def shown(look: Callable[[], str]) -> Iterator[None]:
    """While the block lasts, the line that `look` gives is shown, again and again in the same place."""
    over = Event()
    drawing = Thread(target=_draw, args=(look, over))
    drawing.start()
    try:
        yield
    finally:
        over.set()
        drawing.join()
        _write("")


def _draw(look: Callable[[], str], over: Event) -> None:
    while not over.wait(LOOK_EVERY):
        try:
            _write(look())
        except ReverieError:
            return  # whoever waits for the work itself is told what went wrong


def _write(line: str) -> None:
    sys.stderr.write(_CLEAR + line)
    sys.stderr.flush()
