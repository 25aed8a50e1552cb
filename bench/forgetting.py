"""How long a decay pass takes, and what requests notice of each job while it runs."""

import random
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import reverie
from bench.serving import note
from bench.table import Result
from reveried.domain.events import ConfigChanged, MemoryDeleted, MemoryStored
from reveried.domain.understanding.text import content_hash
from reveried.jobs.catalog import JOBS
from reveried.log.sqlite import SqliteLog
from reveried.ports import NewEvent
from running import RunningDaemon

DAY = 86_400_000_000
SIZES = (100_000, 1_000_000)
KINDS = ("fact", "fact", "preference", "event", "plan", "context", "decision", "activity")
# A pass every half hour finds what fell due within it; this many are left over from a night switched off.
DUE, DELETED = 2_000, 200
IDLE_SAMPLES = 400
# State of one memory in bytes, a little less than it is: so that pruning finds too much, but not everything.
PRUNED_BELOW = 700


def measure(*sizes: int) -> list[Result]:
    results = []
    for size in sizes or SIZES:
        with tempfile.TemporaryDirectory() as home:
            _lived_in(Path(home, "data"), size)
            with _serving(Path(home), size) as daemon:
                results.append(_decay_pass(daemon, size))
                if size <= SIZES[0]:
                    results += _noticed(daemon, size)
    return results


@contextmanager
def _serving(home: Path, size: int) -> Iterator[RunningDaemon]:
    daemon = RunningDaemon(home, config=f"prune: {{max_size: {size * PRUNED_BELOW // 1000}KB}}\n")
    daemon.start()
    try:
        yield daemon
    finally:
        daemon.end()


def _lived_in(data: Path, size: int) -> None:
    """Memories told over the last two months, a few of them due for a change, and some deleted long ago."""
    data.mkdir(mode=0o700)
    log, dice, now = SqliteLog(data / "log.db"), random.Random(7), time.time_ns() // 1000
    for n in range(DELETED):
        log.stage(NewEvent("default", "bench", _stored(n, "fact", now - 100 * DAY)), now - 100 * DAY)
    for n in range(DELETED):
        log.stage(NewEvent("default", "bench", MemoryDeleted(), n + 1), now - 95 * DAY)
    for days in range(90, 60, -10):  # a silent log would make jobs doubt the clock
        log.stage(NewEvent("", "bench", ConfigChanged(changed={})), now - days * DAY)
    for n in range(DELETED, size):
        at = now - (60 * DAY) + n * (60 * DAY // size)
        kind = "ephemeral" if n % max(size // DUE, 2) == 0 else dice.choice(KINDS)
        log.stage(NewEvent("default", "bench", _stored(n, kind, at)), at)
        if n % 5_000 == 0:
            log.commit()
    log.commit()
    log.close()


def _stored(n: int, kind: str, at: int) -> MemoryStored:
    text = note(n)
    return MemoryStored(
        content=text, title=text, content_hash=content_hash(text), kind=kind, importance=0.6, confidence=0.8,
        created_at=at, tags_auto=("service", "region"),
    )  # fmt: skip


def _decay_pass(daemon: RunningDaemon, size: int) -> Result:
    with daemon.client(timeout=600) as client:
        client.run("decay", dry_run=True, limit=0)  # the first one also loads what columns need
        report = client.run("decay", dry_run=True, limit=0)
    detail = f"{size:,} memories looked at, {report.total:,} due"
    return Result(f"decay pass over {size:,} (s)", report.seconds, max(size / 1_000_000, 0.1), True, detail)


def _noticed(daemon: RunningDaemon, size: int) -> list[Result]:
    with daemon.client(timeout=60) as client:
        for n in range(50):
            _recall(client, n)
        idle = _p99([_recall(client, n) for n in range(IDLE_SAMPLES)])
        return [_while_running(daemon, client, job, idle, size) for job in JOBS]


def _while_running(daemon: RunningDaemon, client: reverie.Client, job: str, idle: float, size: int) -> Result:
    over = threading.Event()
    running = threading.Thread(target=_run, args=(daemon, job, over))
    samples, n = [], 0
    started = time.perf_counter()
    running.start()
    while not over.is_set():
        samples.append(_recall(client, n := n + 1))
    seconds = time.perf_counter() - started
    running.join()
    busy = _p99(samples)
    detail = f"{busy:.1f} ms against {idle:.1f} ms idle ({len(samples)} recalls in {seconds:.1f} s, {size:,} memories)"
    return Result(f"recall p99 during {job} / idle", busy / idle, 3.0, True, detail)


def _run(daemon: RunningDaemon, job: str, over: threading.Event) -> None:
    try:
        with daemon.client(timeout=600) as client:
            client.run(job, limit=0)
    finally:
        over.set()


def _recall(client: reverie.Client, n: int) -> float:
    """Milliseconds. Never the same question twice in a row: the daemon would remember its answer."""
    started = time.perf_counter()
    client.recall(f"where is the runbook of service {n * 37 % 10_000}")
    return (time.perf_counter() - started) * 1000


def _p99(samples: list[float]) -> float:
    return sorted(samples)[int(len(samples) * 0.99)]
