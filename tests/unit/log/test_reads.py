"""A client sees the events of its own namespace, and those that belong to everyone."""

from collections.abc import AsyncIterator

import pytest

from reveried.domain.events import ConfigChanged, MemoryErased
from reveried.log.pool import Pool
from reveried.log.reads import EVERYONE, by_numbers, page, page_within
from reveried.log.sqlite import SqliteLog
from unit.domain.histories import stored
from unit.log.test_sqlite import append, new


@pytest.fixture
async def pool(log: SqliteLog) -> AsyncIterator[Pool]:
    append(log, new(stored("one")), new(stored("two"), namespace="other"), new(stored("three")))
    append(log, new(ConfigChanged(changed={"a": [1, 2]}), namespace=EVERYONE))
    log.erase(1, new(MemoryErased(), 1), 2_000)
    pool = Pool(log.path, 1)
    await pool.open()
    yield pool
    await pool.close()


@pytest.mark.parametrize(
    ("namespace", "after", "limit", "seqs"),
    [("default", 0, 9, [1, 3, 4, 5]), ("default", 1, 2, [3, 4]), ("other", 0, 9, [2, 4]), ("nobody", 0, 9, [4])],
)
async def test_a_page_holds_what_the_namespace_may_see(
    pool: Pool, namespace: str, after: int, limit: int, seqs: list[int]
) -> None:
    assert [entry.seq for entry in await page(pool, namespace, after, limit)] == seqs


@pytest.mark.parametrize(
    ("after", "limit", "size", "seqs"),
    [
        (0, 9, 1_000_000, [1, 3, 4, 5]),
        (0, 2, 1_000_000, [1, 3]),
        (0, 9, 1, [1, 3]),  # the first was erased and weighs nothing
        (1, 9, 1, [3]),
        (3, 9, 1, [4]),
        (5, 9, 1, []),
    ],
)
async def test_a_page_for_a_slow_reader_is_light_and_never_empty_while_there_is_more(
    pool: Pool, after: int, limit: int, size: int, seqs: list[int]
) -> None:
    assert [entry.seq for entry in await page_within(pool, "default", after, limit, size)] == seqs


async def test_numbers_of_another_namespace_are_not_given_out(pool: Pool) -> None:
    assert [entry.seq for entry in await by_numbers(pool, "default", [1, 2, 3])] == [1, 3]


async def test_an_erased_event_has_no_payload_and_others_show_theirs_without_salt(pool: Pool) -> None:
    erased, kept = await by_numbers(pool, "default", [1, 3])
    assert (erased.type, erased.payload) == ("memory.stored", None)
    assert kept.payload is not None
    assert kept.payload["content"] == "three"
    assert "salt" not in kept.payload
