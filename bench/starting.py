"""From the command to READY with 100,000 memories, and what an idle daemon weighs."""

import tempfile
import time
from pathlib import Path

from bench.filled import EVENTS, filled_log
from bench.serving import serving
from bench.table import Result


def _resident_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def measure() -> list[Result]:
    with tempfile.TemporaryDirectory() as home:
        data = Path(home, "data")
        data.mkdir(mode=0o700)
        filled_log(data, memories_only=True)
        with serving(Path(home)) as daemon:
            daemon.stop()
            started = time.perf_counter()
            daemon.start()
            seconds = time.perf_counter() - started
            with daemon.client() as client:
                client.ping()
            idle = _resident_mb(daemon.pid)
    return [
        Result("start to READY (s)", seconds, 1.0, True, f"{EVENTS:,} memories"),
        Result("idle memory (MB)", idle, 60, True, f"{EVENTS:,} memories, after a first request"),
    ]
