"""Durable stores a second, against plain SQLite committing the same rows in groups of the same size."""

import asyncio
import sqlite3
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from bench.serving import note, serving
from bench.table import Result
from reverie import AsyncClient
from running import RunningDaemon

COUNT = 6_400
Work = Callable[[AsyncClient, int, int], Awaitable[None]]


def _rows(log: Path) -> list[tuple[object, ...]]:
    """The very rows the daemon wrote, so that the floor commits what we commit."""
    with sqlite3.connect(f"file:{log}?mode=ro", uri=True) as db:
        return db.execute("SELECT * FROM events").fetchall()


def _floor(rows: list[tuple[object, ...]], group: int) -> float:
    from reveried.log.sqlite import DDL

    with tempfile.TemporaryDirectory() as directory:
        db = sqlite3.connect(Path(directory, "floor.db"), isolation_level=None)
        db.executescript(DDL)
        db.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0;")
        started = time.perf_counter()
        for at in range(0, len(rows), group):
            db.execute("BEGIN IMMEDIATE")
            db.executemany("INSERT INTO events VALUES (?,?,?,?,?,?,?,?,?,?)", rows[at : at + group])
            db.execute("COMMIT")
        elapsed = time.perf_counter() - started
        db.close()
    return len(rows) / elapsed


async def _one_by_one(client: AsyncClient, worker: int, count: int) -> None:
    for n in range(count):
        await client.store(note(worker * 1_000_000 + n), wait="durable")


async def _in_batches(client: AsyncClient, worker: int, count: int) -> None:
    for n in range(0, count, 64):
        await client.store_many([note(worker * 1_000_000 + n + k) for k in range(64)])


async def _rate(daemon: RunningDaemon, clients: int, in_flight: int, total: int, work: Work) -> float:
    connections = [daemon.async_client() for _ in range(clients)]
    for connection in connections:
        await connection.ping()
    share = total // (clients * in_flight)
    started = time.perf_counter()
    await asyncio.gather(
        *(
            work(connection, index * in_flight + lane, share)
            for index, connection in enumerate(connections)
            for lane in range(in_flight)
        )
    )
    elapsed = time.perf_counter() - started
    for connection in connections:
        await connection.close()
    return share * clients * in_flight / elapsed


# name, clients, requests in flight on each, stores, how, group of the floor, aim (None where only the number matters)
SHAPES: tuple[tuple[str, int, int, int, Work, int, float], ...] = (
    ("1×1", 1, 1, 800, _one_by_one, 1, 0.0),
    ("1×64 (batches)", 1, 1, COUNT, _in_batches, 64, 0.5),
    ("16×16", 16, 16, COUNT, _one_by_one, 256, 0.6),
)


def measure() -> list[Result]:
    results = []
    for name, clients, in_flight, total, work, group, aim in SHAPES:
        with serving() as daemon:
            ours = asyncio.run(_rate(daemon, clients, in_flight, total, work))
            with daemon.client() as client:
                started = time.perf_counter()
                client.store("a last one", wait="projected")
                behind = time.perf_counter() - started
            floor = _floor(_rows(daemon.data / "log.db"), group)
        detail = f"{ours:,.0f}/s against {floor:,.0f}/s; readable {behind * 1000:.0f} ms after the last acknowledgement"
        results.append(Result(f"durable stores, {name} / SQLite groups of {group}", ours / floor, aim, False, detail))
    return results
