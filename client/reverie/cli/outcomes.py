"""One action on several memories: each is tried, each failure is told, and the gravest decides the exit code."""

from collections.abc import Callable, Sequence

from reverie.cli.console import Console
from reverie.errors import DaemonUnavailable, ReverieError


def each(ids: Sequence[int], action: Callable[[int], object], console: Console) -> int:
    from reverie.cli.main import FAILED, report

    codes = set()
    for memory in ids:
        try:
            action(memory)
        except DaemonUnavailable:
            raise
        except ReverieError as error:
            codes.add(report(error, console))
    return FAILED if FAILED in codes else max(codes, default=0)
