"""Readers share a few connections, give up on endless queries, and step aside when asked."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import aiosqlite
import pytest

from reveried.errors import StateDamaged, TimedOut
from reveried.log import database, pool
from reveried.log.pool import Pool

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


@pytest.fixture
async def words(tmp_path: Path) -> AsyncIterator[Pool]:
    path = tmp_path / "words.db"
    database.create(path, "CREATE TABLE words (word TEXT); INSERT INTO words VALUES ('one'), ('two');")
    pool = Pool(path, 2)
    await pool.open()
    yield pool
    await pool.close()


async def test_more_queries_than_connections_all_get_their_answer(words: Pool) -> None:
    answers = await asyncio.gather(*(words.fetch("SELECT ?", (number,)) for number in range(20)))
    assert answers == [[(number,)] for number in range(20)]


async def test_a_reader_cannot_write(words: Pool) -> None:
    with pytest.raises(aiosqlite.OperationalError, match="readonly"):
        await words.fetch("DELETE FROM words")
    assert len(await words.fetch("SELECT * FROM words")) == 2


async def test_an_endless_query_is_interrupted_and_the_connection_serves_on(
    words: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "DEADLINE", 0.05)
    with pytest.raises(TimedOut, match=r"longer than 0\.05 s"):
        await words.fetch(ENDLESS)
    monkeypatch.undo()
    assert [await words.fetch("SELECT 1") for _ in range(3)] == [[(1,)]] * 3


async def test_damage_is_reported_with_its_remedy(tmp_path: Path) -> None:
    path = tmp_path / "broken.db"
    database.create(path, "CREATE TABLE words (word TEXT);")
    pool = Pool(path, 1)
    await pool.open()
    path.write_bytes(b"\xff" * 8192)
    with pytest.raises(StateDamaged) as refusal:
        await pool.fetch("SELECT * FROM words")
    assert "made anew from the log" in (refusal.value.hint or "")
    await pool.close()


async def test_a_file_that_cannot_be_opened_is_told_to_each_query_and_serves_when_it_is_back(
    words: Pool, tmp_path: Path
) -> None:
    whole = words.path.read_bytes()
    async with words.set_aside():
        words.path.write_bytes(b"\xff" * 8192)
    for _ in range(3):  # more than there are connections: none of them may be lost
        with pytest.raises(StateDamaged):
            await words.fetch("SELECT word FROM words")
    words.path.write_bytes(whole)
    assert len(await words.fetch("SELECT word FROM words")) == 2
    async with words.set_aside():
        pass
    assert len(await words.fetch("SELECT word FROM words")) == 2


async def test_queries_wait_while_the_file_is_replaced(words: Pool, tmp_path: Path) -> None:
    async with words.set_aside():
        waiting = asyncio.ensure_future(words.fetch("SELECT word FROM words"))
        await asyncio.sleep(0)
        words.path.unlink()
        database.create(words.path, "CREATE TABLE words (word TEXT); INSERT INTO words VALUES ('new');")
        assert not waiting.done()
    assert await waiting == [("new",)]
