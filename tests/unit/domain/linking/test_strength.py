"""Being recalled together: it grows with every time, more when both helped, and fades."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reveried.domain.forgetting.units import DAY
from reveried.domain.linking.policy import LinksPolicy
from reveried.domain.linking.strength import AMONG, may_fade_before, pairs, strength_at

POLICY = LinksPolicy()
NOW = 1_780_000_000_000_000


@pytest.mark.parametrize(
    ("together", "affirmed", "days", "expected"),
    [(1, 0, 0, 0.2), (2, 0, 0, 0.36), (1, 1, 0, 1 - 0.8**4), (1, 0, 30, 0.1), (1, 0, 60, 0.05)],
)
def test_strength_is_counts_and_time(together: int, affirmed: int, days: int, expected: float) -> None:
    assert strength_at(together, affirmed, NOW - days * DAY, NOW, POLICY) == pytest.approx(expected)


@given(st.integers(1, 500), st.integers(0, 50), st.floats(0, 3_000))
def test_it_never_leaves_0_to_1_and_helping_counts_more(together: int, affirmed: int, days: float) -> None:
    last = NOW - round(days * DAY)
    strength = strength_at(together, affirmed, last, NOW, POLICY)
    assert 0.0 <= strength <= 1.0
    assert strength <= strength_at(together, affirmed + 1, last, NOW, POLICY)
    assert strength >= strength_at(together, affirmed, last - DAY, NOW, POLICY)


@given(st.integers(1, 100), st.floats(0, 400))
def test_nothing_fades_before_its_time(together: int, days: float) -> None:
    last = NOW - round(days * DAY)
    if last > may_fade_before(NOW, POLICY):
        assert strength_at(together, 0, last, NOW, POLICY) >= POLICY.faded


@given(st.lists(st.integers(1, 1_000), max_size=50))
def test_an_answer_makes_few_pairs_however_long_it_is(ids: list[int]) -> None:
    found = pairs(tuple(ids))
    assert len(found) <= AMONG * (AMONG - 1) // 2
    assert all(one < other for one, other in found)


def test_recalls_that_count_for_nothing_may_fade_at_once() -> None:
    policy = LinksPolicy(together=0.05, faded=0.05)
    assert may_fade_before(7 * DAY, policy) == 7 * DAY
    assert may_fade_before(7 * DAY, LinksPolicy(together=0.05, faded=0.04)) < 7 * DAY
