import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reveried.domain.forgetting.pruning import PrunePolicy, leaving, prune_order, prune_weight, round_size
from unit.domain.forgetting.making import BORN, a_memory, day, memories, moments

POLICY = PrunePolicy()


@pytest.mark.parametrize(("score", "weight"), [(3, 1.82), (0, 1.0), (-1, 0.82), (-5, 0.37)])
def test_the_score_weighs_exponentially(score: int, weight: float) -> None:
    assert prune_weight(score, BORN, BORN, POLICY) == pytest.approx(weight, abs=5e-3)


@pytest.mark.parametrize(("days", "weight"), [(0, 1.0), (100, 0.5), (300, 0.25)])
def test_the_weight_falls_with_the_days_since_it_was_affirmed(days: float, weight: float) -> None:
    assert prune_weight(0, BORN, day(days), POLICY) == pytest.approx(weight)


@pytest.mark.parametrize("score", [-(10**6), 10**6])
def test_no_score_is_too_large_to_weigh(score: int) -> None:
    assert 0.0 < prune_weight(score, BORN, day(10_000), POLICY) < float("inf")


def order(*candidates) -> list[int]:
    return [memory.id for memory in prune_order(candidates, day(400), POLICY)]


def test_the_least_affirmed_goes_first() -> None:
    demoted = a_memory(id=1, score=-5)
    plain = a_memory(id=2)
    reinforced_long_ago = a_memory(id=3, score=3, reinforced_at=day(10))
    reinforced_lately = a_memory(id=4, score=3, reinforced_at=day(390))
    assert order(reinforced_lately, plain, reinforced_long_ago, demoted) == [1, 2, 3, 4]


def test_being_read_is_not_being_affirmed() -> None:
    assert order(a_memory(id=2, created_at=day(1)), a_memory(id=1, last_accessed_at=day(399))) == [1, 2]


def test_equals_go_oldest_first() -> None:
    assert order(a_memory(id=9), a_memory(id=7), a_memory(id=8)) == [7, 8, 9]


def test_what_is_tagged_by_hand_and_in_use_goes_last_however_low_its_score() -> None:
    in_use = a_memory(id=1, score=-50, tags_manual=("x",), last_accessed_at=day(380))
    unused = a_memory(id=2, score=-50, tags_manual=("x",), last_accessed_at=day(300))
    assert order(in_use, a_memory(id=3, score=50), unused) == [2, 3, 1]


def test_what_is_pinned_or_already_gone_makes_no_room() -> None:
    assert order(a_memory(pinned=True), a_memory(state="archived"), a_memory(state="deleted")) == []
    assert order(a_memory(id=5, state="stale")) == [5]


@pytest.mark.parametrize(("live", "expected"), [(0, 0), (1, 1), (99, 1), (101, 2), (10_000, 100)])
def test_a_round_takes_one_percent_and_at_least_one(live: int, expected: int) -> None:
    assert round_size(live, POLICY) == expected


def test_a_round_never_takes_more_than_there_is() -> None:
    assert round_size(10, PrunePolicy(percent=100.0)) == 10


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ("100MB", 100_000_000),
        ("1.5 GB", 1_500_000_000),
        ("64MiB", 64 * 2**20),
        ("512kB", 512_000),
        ("512KB", 512_000),
        ("10B", 10),
        ("2GiB", 2 * 2**30),
    ],
)
def test_a_size_is_read_with_its_unit(size: str, expected: int) -> None:
    assert msgspec.convert({"max_size": size}, PrunePolicy).max_bytes == expected


@pytest.mark.parametrize("section", [{"max_size": "100"}, {"max_size": "lots"}, {"max_size": "-1MB"}, {"percent": 0}])
def test_a_section_that_makes_no_sense_is_refused(section: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(section, PrunePolicy)


@given(st.lists(memories(), max_size=20), moments)
def test_the_pinned_are_never_pruned(candidates, now) -> None:
    assert not any(memory.pinned for memory in prune_order(candidates, now, POLICY))


@given(st.integers(-10_000, 10_000), moments, moments, moments)
def test_a_clock_set_back_never_lowers_the_weight(score, affirmed_at, one, other) -> None:
    earlier, later = sorted((one, other))
    then, now = (prune_weight(score, affirmed_at, at, POLICY) for at in (earlier, later))
    assert then >= now


@given(st.lists(st.floats(1, 1e6), max_size=300), st.integers(0, 100), st.floats(-10, 1e8), st.floats(0.1, 100))
def test_whole_rounds_leave_until_they_outweigh_the_excess(sizes, staying, excess, percent) -> None:
    policy = PrunePolicy(percent=percent)
    count = leaving(sizes, len(sizes) + staying, excess, policy)
    assert 0 <= count <= len(sizes)
    assert count == len(sizes) or sum(sizes[:count]) >= excess
    taken = 0
    while taken < count:
        assert sum(sizes[:taken]) < excess
        taken += round_size(len(sizes) + staying - taken, policy)
    assert taken == count or count == len(sizes)
