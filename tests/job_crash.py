"""Kills the daemon inside a job, at a random moment of it, and lets the next life finish what that one left."""

import asyncio
import random
import shutil
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import reverie
from reverie import calls
from reverie.aio_connection import open_connection
from reverie.protocol.session import ClientSession
from reveried.domain.events import ConfigChanged, MemoryDeleted, MemoryReinforced
from reveried.log.sqlite import SqliteLog
from reveried.ports import NewEvent
from running import RunningDaemon
from unit.domain.histories import stored

DAY = 86_400_000_000
LIMIT = 900_000
# All that there is to do is done in one run: only then is nothing left after it.
CONFIG = (
    f"prune: {{max_size: {LIMIT}B}}\n"
    "consolidation: {sessions_kept: 1, sessions_at_once: 1000, tags_at_once: 10000, summaries_at_once: 10000}\n"
)
KINDS = ("plan", "ephemeral", "event", "context", "fact")
JOBS = ("decay", "sleep", "consolidate", "prune", "purge", "snapshot", "maintain")
MEMORIES, DELETED = 1_500, 60
A_SESSION = 25
# One account of each, but of those whose memories were all deleted.
ACCOUNTS = MEMORIES // A_SESSION - DELETED // A_SESSION
WORDS = "and the words that fill its page " * 4


def lived_in(home: Path) -> None:
    """A log of two hundred days, in which every job finds something to do."""
    (home / "data").mkdir(parents=True, mode=0o700)
    log, dice, now = SqliteLog(home / "data" / "log.db"), random.Random(4), time.time_ns() // 1000
    ids = [_told(log, now - 200 * DAY, _memory(number, now - 200 * DAY)) for number in range(MEMORIES)]
    for id_ in dice.sample(ids[DELETED:], 100):
        _told(log, now - 150 * DAY, MemoryReinforced(amount=3), id_)
    for id_ in ids[:DELETED]:
        _told(log, now - 100 * DAY, MemoryDeleted(), id_)
    for days in range(90, 0, -10):  # a log that was silent for months would make jobs doubt the clock
        _told(log, now - days * DAY, ConfigChanged(changed={}))
    log.commit()
    log.close()


def _memory(number: int, at: int) -> object:
    what = "vanishing" if number < DELETED else "lasting"
    session = f"session-{number // A_SESSION}"
    return stored(f"{what} memory {number} {WORDS}", kind=KINDS[number % len(KINDS)], created_at=at, session_id=session)


def _told(log: SqliteLog, at: int, event: object, subject: int | None = None) -> int:
    return log.stage(NewEvent("default", "tests", event, subject), at).seq  # type: ignore[arg-type]


class JobCrashes:
    """Many lives that begin alike, each killed inside the same job."""

    def __init__(self, home: Path, job: str, seed: int) -> None:
        self._home, self._job = home, job
        self._luck = random.Random(seed)
        self._number = 0
        self.inside = self.halfway = 0
        lived_in(home / "before")
        with self._life() as daemon, daemon.client() as client:
            self._all = client.run(job, dry_run=True).total
            daemon.stop()
            shutil.copytree(daemon.data, home / "ready")  # with its tables made, which the first start takes time for
        self._lasts = self._undisturbed()

    def _life(self) -> AbstractContextManager[RunningDaemon]:
        self._number += 1
        ready, before = self._home / "ready", self._home / "before" / "data"
        return _life(self._home / str(self._number), ready if ready.exists() else before)

    def _undisturbed(self) -> float:
        with self._life() as daemon, daemon.client(timeout=120) as client:
            client.run(self._job, dry_run=True)  # the first plan loads what columns need, and would take most kills
            started = time.monotonic()
            client.run(self._job)
            lasted = time.monotonic() - started
            self._check_sound(client)
            self._check_finished(client, daemon.data)
        return lasted

    async def point(self) -> None:
        """One kill at a random moment of the job, one new life, one more run."""
        with self._life() as daemon:
            # A client would try again when its daemon is gone; a bare connection ends with it.
            connection = await open_connection(daemon.socket, ClientSession("tests", "default"))
            await connection.ask(calls.run(self._job, dry_run=True))
            running = asyncio.ensure_future(connection.ask(calls.run(self._job)))
            # Where inside the job the kill lands is the whole point, and only chance finds every place.
            await asyncio.sleep(self._luck.random() * self._lasts)
            self.inside += not running.done()
            await asyncio.to_thread(daemon.kill)
            await asyncio.gather(running, return_exceptions=True)
            connection.close()
            await connection.closed()
            await asyncio.to_thread(self._resume, daemon)

    def _resume(self, daemon: RunningDaemon) -> None:
        daemon.start()
        with daemon.client(timeout=120) as client:
            self._check_sound(client)
            left = client.run(self._job, dry_run=True).total
            self.halfway += 0 < left < self._all
            assert client.run(self._job).failed == ""
            self._check_finished(client, daemon.data)

    def _check_sound(self, client: reverie.Client) -> None:
        report = client.verify()
        assert (report.problems, report.live_digest) == ([], report.replayed_digest)

    def _check_finished(self, client: reverie.Client, data: Path) -> None:
        """Nothing is left to do, and nobody is missing."""
        assert client.run(self._job, dry_run=True).total == 0
        fewer, more = DELETED * (self._job == "purge"), ACCOUNTS * (self._job == "consolidate")
        assert sum(client.status().memories.values()) == MEMORIES - fewer + more
        match self._job:
            case "prune":
                assert (data / "state.db").stat().st_size <= LIMIT
            case "purge":
                assert not [path for path in data.glob("*.db*") if b"vanishing" in path.read_bytes()]
            case "snapshot":
                copies = [path.name for path in (data / "backups").iterdir()]
                assert copies
                assert all(name.startswith("log-") and name.endswith(".db") for name in copies), copies

    def summary(self) -> str:
        return (
            f"{self._number - 2} kills, {self.inside} inside the job, {self.halfway} with it half done, all completed"
        )


@contextmanager
def _life(home: Path, source: Path) -> Iterator[RunningDaemon]:
    shutil.copytree(source, home / "data")
    daemon = RunningDaemon(home, config=CONFIG)
    daemon.start()
    try:
        yield daemon
    finally:
        daemon.end()
        shutil.rmtree(home)
