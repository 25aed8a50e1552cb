"""What readers get: one namespace, the asked states, in the asked order."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import partial
from typing import Any

import pytest

from reveried.domain.events import MemoryTransitioned
from reveried.log.pool import Pool
from reveried.state.gist_reads import KeptGists, passing
from reveried.state.reads import (
    Filter,
    all_passing,
    by_id,
    by_ids,
    count_by_state,
    in_order,
    newest,
    of_ids,
    oldest,
)
from unit.domain.histories import BORN, SECOND, Act, stored
from unit.state.workspace import Workspace, workspace


@pytest.fixture
def space() -> Iterator[Workspace]:
    with workspace() as space:
        new = (
            stored("amber keeps the database", kind="fact", tags_manual=("infra",), session_id="s1"),
            stored("I prefer amber tea", kind="preference", created_at=BORN - SECOND),
            stored("amber meeting 東京", kind="event", tags_manual=("infra", "trip"), created_at=BORN + SECOND),
            stored("amber was replaced", kind="fact"),
        )
        for event in new:
            space.world.record(event)
        space.world.record(stored("amber elsewhere 東京"), None, "other")
        space.world.run(Act("supersede", 3, 0))
        space.world.record(
            MemoryTransitioned(ids=(2,), what="state", before="active", after="stale", reason="faded"), None
        )
        space.flush()
        yield space


@pytest.fixture
async def pool(space: Workspace) -> AsyncIterator[Pool]:
    pool = Pool(space.store.live_path, 2)
    await pool.open()
    yield pool
    await pool.close()


CASES: list[tuple[dict[str, Any], list[int]]] = [
    ({}, [4, 3, 2, 1]),
    ({"namespace": "other"}, [5]),
    ({"namespace": "nobody"}, []),
    ({"kinds": ("fact",)}, [4, 1]),
    ({"systems": ("procedural", "episodic")}, [3, 2]),
    ({"kinds": ("fact", "event"), "systems": ("episodic",)}, [3]),
    ({"kinds": ("fact",), "systems": ("episodic",)}, []),
    ({"tags": ("infra",)}, [3, 1]),
    ({"tags": ("infra", "trip")}, [3]),
    ({"states": ("stale",)}, [2]),
    ({"session_id": "s1"}, [1]),
    ({"since": BORN}, [4, 3, 1]),
    ({"until": BORN}, [2]),
    ({"since": BORN, "until": BORN + SECOND}, [4, 1]),
    ({"replaced": False}, [3, 2, 1]),
]


def filtered(fields: dict[str, Any]) -> Filter:
    return Filter(**({"namespace": "default"} | fields))


@pytest.mark.parametrize(("fields", "ids"), CASES)
async def test_a_filter_keeps_what_it_says(pool: Pool, fields: dict[str, Any], ids: list[int]) -> None:
    filter_ = filtered(fields)
    assert [memory.id for memory in await newest(pool, filter_, None, 50)] == ids
    assert {memory.id for memory in await in_order(pool, filter_, (-(1 << 62), 0), 50)} == set(ids)
    assert {memory.id for memory in await pool.run(lambda db: of_ids(db, range(1, 9), filter_))} == set(ids)
    assert (await pool.run(lambda db: passing(db, KeptGists(0), range(1, 9), filter_))).keys() == set(ids)
    assert (await pool.run(lambda db: all_passing(db, filter_, 50)) or {}).keys() == set(ids)
    assert await pool.run(lambda db: all_passing(db, filter_, len(ids) - 1)) is None


async def test_pages_join_without_gap_or_repeat(pool: Pool) -> None:
    filter_ = filtered({})
    first = await newest(pool, filter_, None, 2)
    assert [memory.id for memory in await newest(pool, filter_, first[-1].id, 2)] == [2, 1]
    early = await in_order(pool, filter_, (-(1 << 62), 0), 2)
    late = await in_order(pool, filter_, (early[-1].created_at, early[-1].id), 2)
    assert [memory.id for memory in (*early, *late)] == [2, 1, 4, 3]


LEADS = [
    ({}, "memories_newest"),
    ({"states": ("active", "stale"), "kinds": ("fact",)}, "memories_newest"),
    ({"session_id": "s1"}, "memories_session"),
    ({"since": BORN}, "memories_timeline"),
    ({"until": BORN, "kinds": ("fact",)}, "memories_timeline"),
]


@pytest.mark.parametrize(("fields", "index"), LEADS)
@pytest.mark.parametrize("page", [partial(newest, before=None), partial(oldest, after=0)], ids=["newest", "oldest"])
async def test_a_page_is_read_by_what_leads_straight_to_it(
    pool: Pool, page: Callable[..., Any], fields: dict[str, Any], index: str
) -> None:
    plan = await _plan_of(pool, lambda: page(pool, filtered(fields), limit=20))
    assert f"USING INDEX {index}" in plan[0]
    assert len(plan) == 1 or index == "memories_timeline", "what is read in order is not sorted again"


async def _plan_of(pool: Pool, reading: Callable[[], Awaitable[Any]]) -> list[str]:
    """How SQLite answers the only query of it."""
    asked: list[str] = []
    await pool.run(lambda reader: reader._raw.set_trace_callback(asked.append))
    try:
        await reading()
    finally:
        await pool.run(lambda reader: reader._raw.set_trace_callback(None))
    (query,) = asked
    return [row[3] for row in await pool.fetch(f"EXPLAIN QUERY PLAN {query}")]


async def test_any_number_of_memories_is_read_at_once(pool: Pool) -> None:
    assert {memory.id for memory in await by_ids(pool, [*range(2, 40_000)])} == {2, 3, 4, 5}
    assert await by_ids(pool, []) == []


async def test_who_passes_is_told_with_the_session(pool: Pool) -> None:
    assert await pool.run(lambda db: passing(db, KeptGists(0), [1, 3, 5], filtered({}))) == {1: "s1", 3: None}


async def test_a_memory_reads_back_as_it_was_folded(pool: Pool, space: Workspace) -> None:
    for id_ in (1, 2, 3, 4, 5):
        assert await by_id(pool, id_) == space.world.memories[id_]
    assert await by_id(pool, 99) is None


async def test_memories_are_counted_by_state(pool: Pool) -> None:
    assert await count_by_state(pool) == {"active": 4, "stale": 1}
