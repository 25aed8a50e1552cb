"""The hebbian profile, exactly: keyword x exp(.2 score) x 1 / (1 + .01 days)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reveried.domain.policies import RecallPolicy
from reveried.domain.recalling.ranking import MICROSECONDS_A_DAY, hebbian, signals
from unit.domain.histories import BORN
from unit.domain.records import in_state

POLICY = RecallPolicy()
MEMORY = in_state("active")


def rank(score: int = 0, days: float = 0.0, keyword: float = 1.0, reinforced: int | None = None) -> float:
    memory = replace(MEMORY, score=score, reinforced_at=reinforced)
    return hebbian(signals(memory, keyword, BORN + round(days * MICROSECONDS_A_DAY), POLICY))


@pytest.mark.parametrize(("score", "lift"), [(3, 1.82), (0, 1.0), (-1, 0.82), (-5, 0.37)])
def test_the_score_lifts_a_memory_by_this_much(score: int, lift: float) -> None:
    assert rank(score) == pytest.approx(lift, abs=0.005)


@pytest.mark.parametrize(("days", "recency"), [(0, 1.0), (100, 0.5), (300, 0.25), (-5, 1.0)])
def test_a_memory_sinks_with_its_days(days: float, recency: float) -> None:
    assert rank(days=days) == pytest.approx(recency)


def test_reinforcement_starts_the_clock_again() -> None:
    assert rank(days=100, reinforced=BORN + 100 * MICROSECONDS_A_DAY) == 1.0


@given(st.integers(-10_000, 10_000), st.integers(-10_000, 10_000))
def test_a_higher_score_never_ranks_lower(one: int, other: int) -> None:
    low, high = sorted((one, other))
    assert rank(low) <= rank(high)


@given(st.floats(0.001, 100), st.floats(0.001, 100), st.integers(-20, 20), st.floats(0, 1_000))
def test_the_better_match_wins_when_all_else_is_equal(one: float, other: float, score: int, days: float) -> None:
    low, high = sorted((one, other))
    assert rank(score, days, low) <= rank(score, days, high)


def test_the_weights_are_the_configured_ones() -> None:
    policy = RecallPolicy(hebbian_score_weight=0.0, hebbian_recency_rate=1.0)
    made = signals(replace(MEMORY, score=9), 2.0, BORN + MICROSECONDS_A_DAY, policy)
    assert made == {"keyword": 2.0, "score": 1.0, "recency": 0.5}
    assert hebbian(made) == 1.0


def test_no_score_is_too_large_to_rank() -> None:
    assert rank(10**9) > rank(5)
    assert 0 < rank(-(10**9)) < rank(-5)
