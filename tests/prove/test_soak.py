"""Hours in small: a steady mixed load, and nothing that grows with time but what was stored."""

import os
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import reverie
from running import RunningDaemon

ROOT = Path(__file__).resolve().parents[2]
RATE = 20.0  # operations a second: an eager agent, many times over
WINDOW = 5.0
MIB = 1024 * 1024


class Watch:
    """What the daemon holds, looked at every few seconds."""

    def __init__(self, daemon: RunningDaemon) -> None:
        self._daemon = daemon
        self.rows: list[dict[str, float]] = []
        self._waits: list[float] = []

    def took(self, seconds: float) -> None:
        self._waits.append(seconds)

    def look(self, at: float, stored: int) -> None:
        process = Path(f"/proc/{self._daemon.pid}")
        wal = max(path.stat().st_size for path in self._daemon.data.glob("*-wal"))
        waits = sorted(self._waits) or [0.0]
        self.rows.append(
            {
                "minutes": at / 60,
                "memory": self._daemon.resident_bytes / MIB,
                "descriptors": len(os.listdir(process / "fd")),
                "threads": len(os.listdir(process / "task")),
                "wal": wal / MIB,
                "p50": statistics.median(waits) * 1000,
                "p99": waits[int(len(waits) * 0.99) - 1] * 1000,
                "stored": stored,
            }
        )
        self._waits = []

    def later(self, name: str) -> list[float]:
        """Without the first third, in which caches fill and threads start."""
        return [row[name] for row in self.rows[len(self.rows) // 3 :]]

    def slope(self, name: str) -> float:
        """How much it grows in a minute, by the line that fits best."""
        minutes = [row["minutes"] for row in self.rows[len(self.rows) // 3 :]]
        return statistics.linear_regression(minutes, self.later(name)).slope


def _one(client: reverie.Client, luck: random.Random, ids: list[int], number: int) -> None:
    id_ = luck.choice(ids[-500:]) if ids else None
    choice = luck.random()
    if choice < 0.35 or id_ is None:
        ids.append(client.store(f"remark {number}: the {luck.randrange(9999)} bell rings {luck.random()}").id)
    elif choice < 0.7:
        client.recall(f"bell {luck.randrange(9999)}", limit=10)
    elif choice < 0.8:
        client.list(limit=20)
    elif choice < 0.9:
        client.reinforce(id_)
    elif choice < 0.95:
        client.context(f"what of the bell {number}")
    elif choice < 0.99:
        client.ping()
    else:
        with reverie.Client(client.socket) as another:  # a client that comes and goes
            another.status()


def _load(daemon: RunningDaemon, seconds: float) -> tuple[Watch, int]:
    watch, luck, ids, number = Watch(daemon), random.Random(1), list[int](), 0
    with daemon.client(timeout=60) as client:
        began = looked = time.monotonic()
        while (now := time.monotonic()) - began < seconds:
            started = time.perf_counter()
            _one(client, luck, ids, number)
            watch.took(time.perf_counter() - started)
            number += 1
            if now - looked > WINDOW:
                watch.look(now - began, len(ids))
                looked = now
            time.sleep(max(0.0, began + number / RATE - time.monotonic()))
        assert client.verify().ok
    return watch, number


def test_nothing_grows_but_what_was_stored(
    start: Callable[..., RunningDaemon], full: bool, record_proof: Callable[[str, str], None]
) -> None:
    seconds = 1800.0 if full else 150.0
    watch, operations = _load(start(), seconds)
    growth, descriptors = watch.slope("memory"), watch.later("descriptors")
    waits = watch.later("p50")
    half = len(waits) // 2
    record_proof(
        f"soak of {seconds / 60:g} minutes",
        f"{operations} operations, {watch.rows[-1]['stored']:.0f} stored; memory {watch.rows[-1]['memory']:.0f} MiB, "
        f"{growth:+.2f} MiB/min; descriptors {min(descriptors):.0f}-{max(descriptors):.0f}, threads at most "
        f"{max(watch.later('threads')):.0f}, wal at most {max(watch.later('wal')):.1f} MiB; median wait "
        f"{statistics.median(waits[:half]):.1f} ms, later {statistics.median(waits[half:]):.1f} ms",
    )
    if full:
        _draw(watch)
    # Seven memories a second come in, of which the daemon keeps what it has worked out in bounded caches.
    assert growth < (1.0 if full else 6.0)
    assert max(descriptors) - min(descriptors) <= 8
    assert abs(watch.slope("threads")) < 1.0
    assert max(watch.later("wal")) < 64
    assert statistics.median(waits[half:]) < 3 * statistics.median(waits[:half]) + 5


def _draw(watch: Watch) -> None:
    """Each as a share of its own highest value, which its name tells."""
    sys.path.insert(0, str(ROOT))
    from bench.plot import Line, plot

    drawn = []
    for name, key in _SHOWN.items():
        most = max(row[key] for row in watch.rows)
        points = [(row["minutes"], row[key] / most) for row in watch.rows]
        drawn.append(Line(f"{name} (1.0 = {most:.0f})", points))
    (ROOT / "docs" / "soak.svg").write_text(plot("A steady mixed load", "minutes", drawn))


_SHOWN = {"memory, MiB": "memory", "descriptors": "descriptors", "threads": "threads", "median wait, ms": "p50"}
