"""Who is looked at for a change of state: nobody who is due is left out, and few others are read."""

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reveried.domain.forgetting.lifecycle import LifecyclePolicy, forecast, next_state
from reveried.domain.forgetting.retention import KindDays, RetentionPolicy
from reveried.state.memories import DDL, FIELDS, Memories, to_row
from reveried.state.ripening import ripe
from unit.domain.forgetting.making import BORN, a_memory, day, maybe, memories, moments

CURVES = [
    RetentionPolicy(),
    RetentionPolicy(by="importance"),
    RetentionPolicy(growth="geometric", kind_days=KindDays(fact=0.001)),
    RetentionPolicy(by="importance", growth="geometric", half_life_days=(1.0, 2.0, 3.0, 4.0, 5.0)),
]
LIVES = [
    LifecyclePolicy(),
    LifecyclePolicy(mode="full"),
    LifecyclePolicy(mode="never"),
    LifecyclePolicy(mode="full", manual_tags_protect=True, stale_days=1.0, stale_below=0.9),
]
INSERT = f"INSERT INTO memories VALUES ({', '.join('?' * len(FIELDS))})"


def ripe_ids(found, now, curve, life) -> set[int]:
    db = sqlite3.connect(":memory:")
    db.executescript(DDL)
    db.executemany(INSERT, [to_row(memory) for memory in found])
    ids = {id_ for query, values in asked(now, curve, life) for (id_,) in db.execute(query, values)}
    db.close()
    return ids


def asked(now, curve, life) -> list[tuple[str, tuple[object, ...]]]:
    return [(f"SELECT id FROM memories WHERE {one.sql}", one.parameters) for one in ripe(now, curve, life)]


@pytest.mark.parametrize("life", LIVES)
@pytest.mark.parametrize("curve", CURVES)
def test_no_question_reads_the_whole_table(curve, life) -> None:
    db = sqlite3.connect(":memory:")
    db.executescript(";".join((DDL, *Memories.indexes)))
    plans = [
        step
        for query, values in asked(day(100), curve, life)
        for (_, _, _, step) in db.execute(f"EXPLAIN QUERY PLAN {query}", values)
    ]
    db.close()
    assert plans
    assert {plan.split(" (")[0] for plan in plans} <= {
        "SEARCH memories USING INDEX memories_fading",
        "SEARCH memories USING INDEX memories_expiring",
    }


@pytest.mark.parametrize("kind", ["a new kind", "factual", "zeal"])
def test_a_kind_that_nobody_knows_fades_as_well(kind: str) -> None:
    assert ripe_ids([a_memory(kind=kind)], day(5_000), CURVES[0], LIVES[0]) == {a_memory().id}


def due(memory, now, curve, life) -> bool:
    return next_state(memory, memory.stale_since, now, curve, life) is not None


@given(
    st.lists(memories(), max_size=8, unique_by=lambda memory: memory.id),
    maybe(moments),
    moments,
    st.sampled_from(CURVES),
    st.sampled_from(LIVES),
)
def test_whatever_is_due_is_ripe(found, stale_since, now, curve, life) -> None:
    found = [replace(memory, stale_since=stale_since) for memory in found]
    assert {memory.id for memory in found if due(memory, now, curve, life)} <= ripe_ids(found, now, curve, life)


@given(memories(), st.sampled_from(CURVES), st.sampled_from(LIVES))
def test_a_memory_is_ripe_at_the_very_moment_of_its_change(memory, curve, life) -> None:
    coming = forecast(memory, None, BORN, curve, life)
    if coming is not None:
        assert ripe_ids([memory], coming.at, curve, life) == {memory.id}


@pytest.mark.parametrize("accesses", [0, 1, 5, 100, 100_000])
def test_a_memory_in_use_is_not_looked_at_in_vain(accesses: int) -> None:
    used = a_memory(kind="plan", access_count=accesses, last_accessed_at=day(100))
    assert ripe_ids([used], day(150), CURVES[0], LIVES[1]) == set()


def test_the_pinned_are_looked_at_only_when_they_were_deleted() -> None:
    found = [
        a_memory(id=1, pinned=True, expires_at=day(1)),
        a_memory(id=2, pinned=True, state="stale"),
        a_memory(id=3, pinned=True, state="deleted", deleted_at=day(1)),
    ]
    assert ripe_ids(found, day(5_000), CURVES[0], LIVES[1]) == {3}
