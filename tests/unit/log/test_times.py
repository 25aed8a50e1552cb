"""The log tells how long it lived before the present, whatever the clock has done meanwhile."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from reveried.domain.events import MemoryPinned
from reveried.log import times
from reveried.log.pool import Pool
from reveried.log.sqlite import SqliteLog
from reveried.log.times import born_at, leap
from unit.domain.histories import stored
from unit.log.test_sqlite import append, new

DAY = 86_400_000_000
MONTH = 30 * DAY


@asynccontextmanager
async def reading(log: SqliteLog, *moments: int) -> AsyncIterator[Pool]:
    for moment in moments:
        append(log, new(stored()) if log.head == 0 else new(MemoryPinned(), 1), now=moment)
    pool = Pool(log.path, 1)
    await pool.open()
    yield pool
    await pool.close()


async def test_a_log_was_born_with_its_first_event(log: SqliteLog) -> None:
    async with reading(log) as pool:
        assert await born_at(pool) is None
    async with reading(log, 5, 7) as pool:
        assert await born_at(pool) == 5


@pytest.mark.parametrize("lived", range(1, 10))
async def test_a_leap_is_measured_from_the_last_event_that_is_a_day_old(log: SqliteLog, lived: int) -> None:
    now = 100 * DAY
    moments = [number * DAY // 10 for number in range(lived)]
    async with reading(log, *moments, now - DAY + 1, now) as pool:
        assert await leap(pool, now, MONTH) == now - moments[-1]


async def test_a_silence_is_too_long_only_beyond_its_bound(log: SqliteLog) -> None:
    async with reading(log, DAY) as pool:
        assert await leap(pool, DAY + MONTH, MONTH) is None
        assert await leap(pool, DAY + MONTH + 1, MONTH) == MONTH + 1


def test_a_day_is_one_of_microseconds() -> None:
    assert times.DAY == DAY


async def test_a_day_of_life_settles_the_new_time(log: SqliteLog) -> None:
    now = 100 * DAY
    async with reading(log, 1, now - DAY) as pool:
        assert await leap(pool, now, MONTH) is None
        assert await leap(pool, now - 1, MONTH) == now - 2


async def test_a_log_without_a_past_has_not_leapt(log: SqliteLog) -> None:
    async with reading(log) as pool:
        assert await leap(pool, 100 * DAY, MONTH) is None
    async with reading(log, 100 * DAY) as pool:
        assert await leap(pool, 100 * DAY, MONTH) is None
