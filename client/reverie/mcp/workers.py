"""A few threads with a connection each, started as they are needed: a slow answer holds up no other."""

import threading
from collections.abc import Callable
from queue import Queue
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from reverie.client import Client

MOST: Final = 4
# Past this many waiting requests the bridge stops reading, and the client feels it.
WAITING: Final = 256

Job = Callable[["Client"], None]


class Workers:
    def __init__(self, connect: Callable[[], "Client"]) -> None:
        self._connect = connect
        self._jobs: Queue[Job] = Queue(WAITING)
        self._guard = threading.Lock()
        self._threads = 0
        self._idle = 0

    def give(self, job: Job) -> None:
        with self._guard:
            wanted = self._idle <= self._jobs.qsize() and self._threads < MOST
            self._threads += wanted
        if wanted:
            threading.Thread(target=self._work, daemon=True).start()
        self._jobs.put(job)

    def _work(self) -> None:
        job = self._next()
        try:
            with self._connect() as client:
                while True:
                    job(client)
                    self._jobs.task_done()
                    job = self._next()
        finally:
            # Only a defect ends a worker: its trace is on standard error, and the next request starts another.
            with self._guard:
                self._threads -= 1
            self._jobs.task_done()

    def _next(self) -> Job:
        with self._guard:
            self._idle += 1
        job = self._jobs.get()
        with self._guard:
            self._idle -= 1
        return job

    def finish(self) -> None:
        """Wait until everything that was given is done."""
        self._jobs.join()
