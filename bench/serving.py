"""A daemon to measure, in a directory that goes away."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from running import RunningDaemon


@contextmanager
def serving(home: Path | None = None) -> Iterator[RunningDaemon]:
    with tempfile.TemporaryDirectory() as temporary, started(RunningDaemon(home or Path(temporary))) as daemon:
        yield daemon


@contextmanager
def started(daemon: RunningDaemon) -> Iterator[RunningDaemon]:
    daemon.start()
    try:
        yield daemon
    finally:
        daemon.end()


NOTE = "On {day} the {team} team moved service {n} to region {region}; the runbook lives under docs/{n}."


def note(n: int) -> str:
    return NOTE.format(
        day=f"2026-{n % 12 + 1:02}-{n % 28 + 1:02}", team=f"platform{n % 97}", n=n, region=f"eu-west-{n % 7}"
    )
