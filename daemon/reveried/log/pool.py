"""Read-only connections to one file, shared by all requests; they can be set aside while the file is replaced."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiosqlite

from reveried.errors import LogDamaged, ReverieError, StateDamaged, TimedOut
from reveried.log.database import error_name, is_passing, read_only_uri

Row = tuple[Any, ...]
DEADLINE = 2.0
_OPERATIONS_BETWEEN_LOOKS = 10_000


class _Reader:
    """One connection with a deadline: a query that overruns it is interrupted, not waited for."""

    def __init__(self, db: aiosqlite.Connection, damage: Callable[[str], ReverieError]) -> None:
        self._db = db
        self._damage = damage
        self._until = 0.0

    @classmethod
    async def open(cls, path: Path, damage: Callable[[str], ReverieError]) -> "_Reader":
        db = await aiosqlite.connect(read_only_uri(path), uri=True, isolation_level=None)
        await db.execute_fetchall("PRAGMA query_only=1")
        reader = cls(db, damage)
        await db.set_progress_handler(reader._overdue, _OPERATIONS_BETWEEN_LOOKS)
        return reader

    def _overdue(self) -> int:
        return int(time.monotonic() > self._until)

    async def fetch(self, sql: str, parameters: Sequence[Any]) -> list[Row]:
        self._until = time.monotonic() + DEADLINE
        try:
            return [tuple(row) for row in await self._db.execute_fetchall(sql, parameters)]
        except aiosqlite.DatabaseError as error:
            if error_name(error) == "SQLITE_INTERRUPT":
                raise TimedOut(f"the query took longer than {DEADLINE:g} s", hint="ask for less at once") from error
            if is_passing(error):
                raise
            raise self._damage(str(error)) from error

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
        self._idle: asyncio.LifoQueue[_Reader] = asyncio.LifoQueue()

    async def open(self) -> None:
        for _ in range(self._size):
            self._idle.put_nowait(await _Reader.open(self.path, self._damage))

    async def fetch(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        reader = await self._idle.get()
        try:
            return await reader.fetch(sql, parameters)
        finally:
            self._idle.put_nowait(reader)

    async def close(self) -> None:
        """Wait for the queries under way, then close every connection; later queries wait for `open`."""
        for _ in range(self._size):
            await (await self._idle.get()).close()

    @asynccontextmanager
    async def set_aside(self) -> AsyncIterator[None]:
        """No connection is open inside this block; queries wait until it ends."""
        await self.close()
        try:
            yield
        finally:
            await self.open()
