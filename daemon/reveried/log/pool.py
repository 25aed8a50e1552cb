"""Read-only connections to one file, shared by all requests; they can be set aside while the file is replaced."""

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

import aiosqlite

from reveried.errors import LogDamaged, ReverieError, StateDamaged, TimedOut
from reveried.log.database import Unreadable, error_name, is_passing, read_only_uri

T = TypeVar("T")
Row = tuple[Any, ...]
DEADLINE = 2.0
_OPERATIONS_BETWEEN_LOOKS = 10_000
# Pages a connection keeps, in KiB: a question comes back to the inner pages of the same few indexes.
_CACHE = 4_096


class Reading(Protocol):
    """A connection in the hands of one piece of work, which asks it many times without changing threads."""

    def fetch(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]: ...


class Reader:
    """One connection with a deadline: a query that overruns it is interrupted, not waited for."""

    def __init__(self, db: aiosqlite.Connection, damage: Callable[[str], ReverieError]) -> None:
        self._db = db
        self._damage = damage
        # The connection itself: work that asks ten times pays for one change of threads, not for ten.
        self._raw: sqlite3.Connection = db._conn
        self._until = 0.0

    @classmethod
    async def open(cls, path: Path, damage: Callable[[str], ReverieError]) -> "Reader":
        # Work on two files runs on the thread of one of them, while the other's has nothing to do.
        db = await aiosqlite.connect(read_only_uri(path), uri=True, isolation_level=None, check_same_thread=False)
        try:
            await db.execute_fetchall("PRAGMA query_only=1")
            await db.execute_fetchall(f"PRAGMA cache_size=-{_CACHE}")
            reader = cls(db, damage)
            await db.set_progress_handler(reader._overdue, _OPERATIONS_BETWEEN_LOOKS)
        except BaseException:
            await db.close()  # its thread would keep the process from ever ending
            raise
        return reader

    def _overdue(self) -> int:
        return int(time.monotonic() > self._until)

    def fetch(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """On whatever thread holds this reader."""
        self._until = time.monotonic() + DEADLINE
        try:
            return self._raw.execute(sql, parameters).fetchall()
        except Unreadable as error:
            if error_name(error) == "SQLITE_INTERRUPT":
                raise TimedOut(f"the query took longer than {DEADLINE:g} s", hint="ask for less at once") from error
            if is_passing(error):
                raise
            raise self._damage(str(error)) from error

    async def run(self, work: Callable[[], T]) -> T:
        """On this reader's own thread. Whoever gives up waiting leaves only when the work is done with the reader."""
        working: asyncio.Future[T] = asyncio.ensure_future(self._db._execute(work))  # type: ignore[no-untyped-call]
        try:
            return await asyncio.shield(working)
        except asyncio.CancelledError:
            await asyncio.wait([working])
            raise

    async def close(self) -> None:
        await self._db.close()


def state_damage(what: str) -> ReverieError:
    return StateDamaged(f"the state cannot be read: {what}", hint="it is being made anew from the log; try again")


def log_damage(what: str) -> ReverieError:
    return LogDamaged(f"the log cannot be read: {what}", hint="`reverie verify` says where; restore a backup")


class Pool:
    def __init__(self, path: Path, size: int, damage: Callable[[str], ReverieError] = state_damage) -> None:
        self.path = path
        self._damage = damage
        self._size = size
        # Each connection, or the place of one that could not be opened: whoever needs it tries again, and is told.
        self._idle: asyncio.LifoQueue[Reader | None] = asyncio.LifoQueue()
        self.reopened: Callable[[], None] = lambda: None

    async def open(self) -> None:
        self.reopened()
        for _ in range(self._size):
            try:
                self._idle.put_nowait(await self._opened())
            except (*Unreadable, ReverieError):
                self._idle.put_nowait(None)

    async def _opened(self) -> Reader:
        try:
            return await Reader.open(self.path, self._damage)
        except Unreadable as error:
            if is_passing(error):
                raise
            raise self._damage(str(error)) from error

    async def fetch(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        return await self.run(lambda db: db.fetch(sql, parameters))

    async def run(self, work: Callable[[Reading], T]) -> T:
        """All of this work on one connection and its thread."""
        async with self.held() as reader:
            return await reader.run(lambda: work(reader))

    @asynccontextmanager
    async def held(self) -> AsyncIterator[Reader]:
        reader = await self._idle.get()
        try:
            reader = reader or await self._opened()
            yield reader
        finally:
            self._idle.put_nowait(reader)

    async def close(self) -> None:
        """Wait for the queries under way, then close every connection; later queries wait for `open`."""
        for _ in range(self._size):
            if (reader := await self._idle.get()) is not None:
                await reader.close()

    @asynccontextmanager
    async def set_aside(self) -> AsyncIterator[None]:
        """No connection is open inside this block; queries wait until it ends."""
        await self.close()
        try:
            yield
        finally:
            await self.open()
