"""The real daemon in a directory of its own; nothing of it is mocked."""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from running import RunningDaemon

# Who is started in the background by a shell ignores Ctrl-C, and so would every program that a test starts.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., RunningDaemon]]:
    """Starts daemons on the same directory, one after the other, and ends whatever still runs."""
    started: list[RunningDaemon] = []

    def begin(**options: object) -> RunningDaemon:
        running = RunningDaemon(tmp_path, **options)  # type: ignore[arg-type]
        started.append(running)
        running.start()
        return running

    yield begin
    for running in started:
        running.end()


@pytest.fixture
def daemon(start: Callable[..., RunningDaemon]) -> RunningDaemon:
    return start()
