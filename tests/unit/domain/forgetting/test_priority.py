import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reveried.domain.forgetting.priority import PriorityPolicy, PriorityTerms, priority_at, priority_terms, weighted
from unit.domain.forgetting.making import a_memory, day, memories, moments

POLICY = PriorityPolicy()
NOTHING = PriorityTerms(explicit=0.0, access_frequency=0.0, relationship_density=0.0, recency=0.0, source=0.0)


@pytest.mark.parametrize(
    ("term", "with_explicit", "without"),
    [
        ("explicit", 0.4, None),
        ("access_frequency", 0.2, 1 / 3),
        ("relationship_density", 0.2, 1 / 3),
        ("recency", 0.1, 1 / 6),
        ("source", 0.1, 1 / 6),
    ],
)
def test_each_term_has_its_weight_and_takes_its_share_of_a_missing_one(term, with_explicit, without) -> None:
    only = replace(NOTHING, **{term: 1.0})
    assert weighted(only, POLICY) == pytest.approx(with_explicit)
    if without is not None:
        assert weighted(replace(only, explicit=None), POLICY) == pytest.approx(without)


@pytest.mark.parametrize("explicit", [None, 1.0])
def test_every_term_at_its_best_gives_one(explicit: float | None) -> None:
    best = PriorityTerms(explicit=explicit, access_frequency=1.0, relationship_density=1.0, recency=1.0, source=1.0)
    assert weighted(best, POLICY) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("fields", "now", "term", "value"),
    [
        ({}, day(0), "access_frequency", 0.0),
        ({"access_count": 20}, day(0), "access_frequency", 1.0),
        ({"access_count": 20}, day(30), "access_frequency", 1.0),
        ({"access_count": 2000}, day(0), "access_frequency", 1.0),
        ({"access_count": 20}, day(300), "access_frequency", math.log(3) / math.log(21)),
        ({}, day(0), "recency", 1.0),
        ({}, day(math.e - 1), "recency", 0.5),
        ({"last_accessed_at": day(9)}, day(9), "recency", 1.0),
        ({"source": "correction"}, day(0), "source", 1.0),
        ({"source": "agent"}, day(0), "source", 0.8),
        ({"source": "pigeon"}, day(0), "source", 0.5),
        ({"source": "custom"}, day(0), "source", 0.5),
        ({}, day(0), "explicit", None),
        ({"priority": 0.7}, day(0), "explicit", 0.7),
        ({"priority": 7.0}, day(0), "explicit", 1.0),
    ],
)
def test_a_term_is_brought_between_zero_and_one(fields, now: int, term: str, value: float | None) -> None:
    terms = priority_terms(a_memory(**fields), now, 0.0, POLICY)
    assert getattr(terms, term) == (value if value is None else pytest.approx(value))


@pytest.mark.parametrize(("score", "density"), [(0, 0), (3, 0.5), (6, 1), (600, 1)])
def test_a_dense_graph_counts_as_one(score: float, density: float) -> None:
    assert priority_terms(a_memory(), day(0), score, POLICY).relationship_density == density


def test_a_source_of_ones_own_can_be_weighed() -> None:
    policy = msgspec.convert({"source_weights": {"custom": {"pigeon": 0.9}}}, PriorityPolicy)
    assert policy.source_weights.of("pigeon") == 0.9
    assert policy.source_weights.of("correction") == 1.0


def test_a_lonely_unread_memory_of_a_month_is_of_low_priority_whatever_its_source() -> None:
    assert priority_at(a_memory(source="correction"), day(30), 0.0, POLICY) < 0.3


@given(memories(), moments, st.floats(0, 1000))
def test_priority_stays_between_zero_and_one(memory, now, score) -> None:
    assert 0.0 <= priority_at(memory, now, score, POLICY) <= 1.0 + 1e-12


@given(memories(), moments, moments, st.floats(0, 1000))
def test_a_clock_set_back_never_lowers_priority(memory, one, other, score) -> None:
    earlier, later = sorted((one, other))
    assert priority_at(memory, earlier, score, POLICY) >= priority_at(memory, later, score, POLICY)


@pytest.mark.parametrize(
    "section",
    [
        {"explicit": 0.5},
        {"explicit": 1, "access_frequency": 0, "relationship_density": 0, "recency": 0, "source": 0},
        {"source_weights": {"agent": 2}},
        {"source_weights": {"agents": 1}},
        {"frequent_accesses": 0},
    ],
)
def test_a_section_that_makes_no_sense_is_refused(section: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(section, PriorityPolicy)
