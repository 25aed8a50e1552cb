"""Replaying the log into new tables, against a bare scan of the same log."""

import sqlite3
import tempfile
import time
from pathlib import Path

from bench.filled import EVENTS, filled_log
from bench.table import Result
from reveried.state.rebuild import replay


def measure() -> list[Result]:
    with tempfile.TemporaryDirectory() as directory:
        log = sqlite3.connect(f"file:{filled_log(Path(directory))}?mode=ro", uri=True)
        started = time.perf_counter()
        for _ in log.execute("SELECT * FROM events ORDER BY seq"):
            pass
        floor = EVENTS / (time.perf_counter() - started)
        started = time.perf_counter()
        replay(log, Path(directory, "state.db"), Path(directory, "archive.db"))
        ours = EVENTS / (time.perf_counter() - started)
        log.close()
    detail = f"{ours:,.0f} events/s against {floor:,.0f}/s ({EVENTS:,} events, full text and digest included)"
    return [Result("replay / bare scan of the log", ours / floor, 0.3, False, detail)]
