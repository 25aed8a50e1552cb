"""A well-behaved client beside a badly behaved one: it must not notice, and the daemon must not grow."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from running import RunningDaemon

ENOUGH = 200
PAUSE = 0.002
# An answer takes so many turns of threads and processes, at most; on a busy machine each is as late as a pause is.
TURNS = 20
GROWTH = 32 * 1024 * 1024


class Neighbour(threading.Thread):
    """A well-behaved client that keeps asking, and keeps the time of every answer."""

    def __init__(self, daemon: RunningDaemon) -> None:
        super().__init__(daemon=True)
        self._daemon = daemon
        self._done = threading.Event()
        self._enough = threading.Event()
        self.seconds: list[float] = []
        self._late: list[float] = []

    def run(self) -> None:
        with self._daemon.client() as client:
            while not self._done.is_set():
                started = time.perf_counter()
                client.ping()
                client.list(limit=1)
                self.seconds.append(time.perf_counter() - started)
                if len(self.seconds) == ENOUGH:
                    self._enough.set()
                started = time.perf_counter()
                self._done.wait(PAUSE)
                self._late.append(time.perf_counter() - started - PAUSE)

    def stop(self) -> float:
        """The 99th percentile of its waits."""
        assert self._enough.wait(30)
        self._done.set()
        self.join()
        return _worst(self.seconds)

    @property
    def lateness(self) -> float:
        """How late, in the same moments, a pause ended that nobody but the machine could prolong."""
        return _worst(self._late)


def _worst(seconds: list[float]) -> float:
    return sorted(seconds)[int((len(seconds) - 1) * 0.99)]


@contextmanager
def undisturbed(daemon: RunningDaemon, *, within: float = 0.5) -> Iterator[None]:
    """Inside this block a neighbour must be served well and the daemon must not grow."""
    with daemon.client() as client:
        client.list()
        client.status()
    before = daemon.resident_bytes
    neighbour = Neighbour(daemon)
    neighbour.start()
    yield
    slowest = neighbour.stop()
    assert daemon.ended is None
    assert slowest < max(within, TURNS * neighbour.lateness)
    assert daemon.resident_bytes - before < GROWTH
