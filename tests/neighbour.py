"""A well-behaved client beside a badly behaved one: it must not notice, and the daemon must not grow."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from running import RunningDaemon

ENOUGH = 200
GROWTH = 32 * 1024 * 1024


class Neighbour(threading.Thread):
    """A well-behaved client that keeps asking, and keeps the time of every answer."""

    def __init__(self, daemon: RunningDaemon) -> None:
        super().__init__(daemon=True)
        self._daemon = daemon
        self._done = threading.Event()
        self._enough = threading.Event()
        self.seconds: list[float] = []

    def run(self) -> None:
        with self._daemon.client() as client:
            while not self._done.is_set():
                started = time.perf_counter()
                client.ping()
                client.list(limit=1)
                self.seconds.append(time.perf_counter() - started)
                if len(self.seconds) == ENOUGH:
                    self._enough.set()
                self._done.wait(0.002)

    def stop(self) -> float:
        """The 99th percentile of its waits."""
        assert self._enough.wait(30)
        self._done.set()
        self.join()
        return sorted(self.seconds)[int((len(self.seconds) - 1) * 0.99)]


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
    assert slowest < within
    assert daemon.resident_bytes - before < GROWTH
