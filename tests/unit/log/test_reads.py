"""A client sees the events of its own namespace, and those that belong to everyone."""

from collections.abc import AsyncIterator

import pytest

from reveried.domain.events import ConfigChanged, MemoryErased
from reveried.log.pool import Pool
from reveried.log.reads import EVERYONE, by_numbers, page
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


async def test_numbers_of_another_namespace_are_not_given_out(pool: Pool) -> None:
    assert [entry.seq for entry in await by_numbers(pool, "default", [1, 2, 3])] == [1, 3]


async def test_an_erased_event_has_no_payload_and_others_show_theirs_without_salt(pool: Pool) -> None:
    erased, kept = await by_numbers(pool, "default", [1, 3])
    assert (erased.type, erased.payload) == ("memory.stored", None)
    assert kept.payload is not None
    assert kept.payload["content"] == "three"
    assert "salt" not in kept.payload
