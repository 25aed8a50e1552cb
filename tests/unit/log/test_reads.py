"""A client sees the events of its own namespace, and those that belong to everyone."""

from collections.abc import AsyncIterator

import pytest

from reveried.domain.documents import PART
from reveried.domain.events import (
    ConfigChanged,
    MemoryAccessed,
    MemoryErased,
    MemoryPinned,
    MemoryReinforced,
    MemoryRestored,
)
from reveried.log import reads
from reveried.log.pool import Pool
from reveried.log.reads import (
    EVERYONE,
    affirmations_of,
    by_numbers,
    count_by_type,
    document,
    is_recorded,
    kept_apart,
    page,
    page_within,
    reads_of,
)
from reveried.log.sqlite import SqliteLog
from unit.domain.histories import stored
from unit.domain.test_documents import received
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


async def test_keys_and_what_was_recorded_under_them_belong_to_their_namespace(log: SqliteLog) -> None:
    append(log, new(stored("one"), key="cut:1"), new(stored("two"), key="cut:2"), new(MemoryPinned(), 1, "cut:3"))
    append(log, new(stored("three"), key="cut:1", namespace="other"), new(stored("four"), key="cuu"))
    pool = Pool(log.path, 1)
    await pool.open()
    assert await count_by_type(pool, "default", "cut:") == {"memory.stored": 2, "memory.pinned": 1}
    assert await count_by_type(pool, "other", "cut:") == {"memory.stored": 1}
    assert [await is_recorded(pool, name, "cut:2") for name in ("default", "other")] == [True, False]
    await pool.close()


async def test_a_document_is_told_whole_or_not_at_all(log: SqliteLog) -> None:
    first = received("x" * (PART + 10))
    append(log, new(first[0]))
    append(log, *(new(event, 1) for event in first[1:]))
    pool = Pool(log.path, 1)
    await pool.open()
    found = await document(pool, 1)
    assert found is not None
    assert found[1] == "x" * (PART + 10)
    assert await document(pool, 2) is None, "a part of it is no document"
    log.erase(1, new(MemoryErased(), 1), 2_000)
    assert await document(pool, 1) is None
    await pool.close()


async def test_what_is_to_be_kept_and_what_began_a_time_anew_are_found(log: SqliteLog) -> None:
    append(log, new(stored("one")), new(stored("two", dedup=False)), new(MemoryPinned(), 1))
    append(log, new(MemoryReinforced(amount=3), 1), new(MemoryRestored(reason="asked"), 1), now=5_000)
    pool = Pool(log.path, 1)
    await pool.open()
    assert await kept_apart(pool, [1, 2, 3]) == {2}
    assert await affirmations_of(pool, 1) == [("reinforced", 5_000), ("restored", 5_000)]
    await pool.close()


@pytest.mark.parametrize(("window", "windows", "seen"), [(2, 50, 6), (3, 50, 6), (100, 1, 6), (2, 2, 4), (1, 1, 1)])
async def test_reads_are_found_newest_first_as_far_back_as_is_worth_it(
    log: SqliteLog, window: int, windows: int, seen: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reads, "READS_WINDOW", window)
    monkeypatch.setattr(reads, "READS_WINDOWS", windows)
    append(log, new(stored("one")), new(stored("two")))
    for moment in range(3, 9):
        append(log, new(MemoryAccessed(ids=(1,) if moment % 2 else (1, 12), how="get")), now=moment * 1_000)
    pool = Pool(log.path, 1)
    await pool.open()
    newest_first = [moment * 1_000 for moment in range(8, 2, -1)]
    assert await reads_of(pool, 1, 9) == newest_first[:seen]
    assert await reads_of(pool, 1, 1) == newest_first[:1]
    assert await reads_of(pool, 2, 9) == []
    await pool.close()
