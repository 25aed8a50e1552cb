"""Replaying the log into new tables, against a bare scan of the same log.

`replay=1000000` measures a million events, which takes a minute or two and is left out otherwise.
"""

import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.filled import filled_log
from bench.table import Result

SIZES = (10_000, 100_000)


def measure(*sizes: int) -> list[Result]:
    return [_measured(size) for size in sizes or SIZES]


def _measured(events: int) -> Result:
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        log = filled_log(directory, events=events)
        floor = events / _scanned(log)
        seconds, processor, peak = _replayed(log, directory)
    ours = events / seconds
    detail = (
        f"{ours:,.0f} events/s against {floor:,.0f}/s; {processor / events * 1e6:.0f} µs of processor time an event, "
        f"the larger process took {peak / 1e6:.0f} MB (full text, digest and the start of the process included)"
    )
    return Result(f"replay of {events:,} / bare scan of the log", ours / floor, 0.3, False, detail)


def _scanned(path: Path) -> float:
    log = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    started = time.perf_counter()
    for _ in log.execute("SELECT * FROM events ORDER BY seq"):
        pass
    seconds = time.perf_counter() - started
    log.close()
    return seconds


def _replayed(log: Path, directory: Path) -> tuple[float, float, int]:
    """Seconds, seconds of processor time, and the most memory that one process held, as `reverie rebuild` does it."""
    places = [f"--{name}={directory / file}" for name, file in (("live", "state.db"), ("archive", "archive.db"))]
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "reveried.state.child", "replay", f"--log={log}", *places], stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, "the replay failed"
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
