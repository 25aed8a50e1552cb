import pytest
from hypothesis import given
from hypothesis import strategies as st

from reveried.domain.forgetting.course import Use, left_at, uses_of
from reveried.domain.forgetting.retention import RetentionPolicy, retention_at
from unit.domain.forgetting.making import BORN, a_memory, day, memories, moments

CURVE = RetentionPolicy()


def test_a_life_begins_when_it_is_stored_and_each_use_begins_it_anew() -> None:
    memory = a_memory(access_count=2, last_accessed_at=day(30), reinforced_at=day(20))
    uses = uses_of(memory, [day(10), day(30)], [day(20)])
    assert uses == [Use(BORN, 0), Use(day(10), 1), Use(day(20), 1), Use(day(30), 2)]


def test_where_accesses_are_missing_the_course_begins_with_the_first_one_known() -> None:
    memory = a_memory(access_count=5, last_accessed_at=day(30))
    assert uses_of(memory, [day(30), day(25)], [day(1), day(27)]) == [
        Use(day(25), 4),
        Use(day(27), 4),
        Use(day(30), 5),
    ]
    assert uses_of(memory, [], []) == [Use(day(30), 5)]


def test_what_is_left_rises_to_all_at_a_use_and_falls_more_slowly_after_it() -> None:
    memory = a_memory(kind="plan", access_count=1, last_accessed_at=day(60))
    uses = uses_of(memory, [day(60)], [])
    assert left_at(memory, day(60) - 1, uses, CURVE) == pytest.approx(0.3679, abs=1e-4)
    assert left_at(memory, day(60), uses, CURVE) == 1.0
    # 60 days after the first access: 60·(1 + ½·ln 2) = 80.8 days of stability.
    assert left_at(memory, day(120), uses, CURVE) == pytest.approx(0.476, abs=1e-3)


def test_a_pinned_memory_is_whole_all_along() -> None:
    assert left_at(a_memory(pinned=True), day(5_000), [Use(BORN, 0)], CURVE) == 1.0


@given(memories(pinned=False), st.lists(moments, max_size=5), moments)
def test_after_its_last_use_the_course_is_the_curve(memory, affirmations, now) -> None:
    uses = uses_of(memory, [], affirmations)
    if now >= uses[-1].at:
        assert left_at(memory, now, uses, CURVE) == pytest.approx(retention_at(memory, now, CURVE))
