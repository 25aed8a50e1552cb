"""Signals as they are defined, and every profile exactly as its formula says."""

from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reveried.domain.forgetting.retention import RetentionPolicy, retention_at
from reveried.domain.policies import RecallPolicy
from reveried.domain.recalling.ranking import (
    MICROSECONDS_A_DAY,
    PROFILES,
    SIGNALS,
    checked_profile,
    contributions,
    doubted,
    lifted,
    score,
    signals,
    weights_of,
    wrong_profiles,
)
from reveried.domain.recalling.relevance import Relevance
from reveried.errors import InvalidField
from unit.domain.histories import BORN
from unit.domain.records import in_state

POLICY = RecallPolicy()
RETENTION = RetentionPolicy()
MEMORY = in_state("active")
# semantic, recency, retention, importance, confidence, as they are written down for each profile.
WRITTEN = {
    "balanced": (0.35, 0.20, 0.20, 0.20, 0.05),
    "recent": (0.30, 0.50, 0.10, 0.07, 0.03),
    "important": (0.40, 0.10, 0.10, 0.35, 0.05),
    "historical": (0.50, 0.05, 0.25, 0.15, 0.05),
    "comprehensive": (0.45, 0.15, 0.15, 0.20, 0.05),
}
NAMES = ("semantic", "recency", "retention", "importance", "confidence")
# What each memory of the table is: near in meaning, new, well kept, important, sure.
TABLE = {
    "nearest": (0.95, 0.15, 0.20, 0.20, 0.70),
    "newest": (0.30, 1.00, 0.40, 0.30, 0.80),
    "dearest": (0.45, 0.20, 0.45, 1.00, 0.60),
    "kept": (0.50, 0.25, 1.00, 0.30, 0.50),
    "middling": (0.55, 0.50, 0.50, 0.50, 0.50),
    "nothing": (0.10, 0.10, 0.10, 0.10, 0.10),
}
ORDERS = {
    "balanced": ["dearest", "middling", "kept", "newest", "nearest", "nothing"],
    "recent": ["newest", "middling", "nearest", "kept", "dearest", "nothing"],
    "important": ["dearest", "nearest", "middling", "kept", "newest", "nothing"],
    "historical": ["nearest", "kept", "dearest", "middling", "newest", "nothing"],
    "comprehensive": ["nearest", "dearest", "middling", "kept", "newest", "nothing"],
}


@pytest.mark.parametrize("profile", PROFILES)
def test_doubt_leaves_a_share_of_the_score_and_is_one_of_its_parts(profile: str) -> None:
    known = signals(MEMORY, Relevance(1.0, 0.5, 0.4, 0.3, {}), 2.0, BORN, POLICY, RETENTION, semantic=True)
    parts = contributions(profile, known, POLICY)
    assert score(profile, doubted(profile, parts, 0.6)) == pytest.approx(0.6 * score(profile, parts))
    assert score(profile, parts) > 0


def found(**values: float) -> dict[str, float]:
    return {**dict.fromkeys((*SIGNALS, "reinforcement", "freshness", "coverage"), 0.0), **values}


def value(profile: str, policy: RecallPolicy = POLICY, **values: float) -> float:
    return score(profile, contributions(profile, found(**values), policy))


def of_table(name: str) -> dict[str, float]:
    return dict(zip(NAMES, TABLE[name], strict=True))


@pytest.mark.parametrize("profile", WRITTEN)
def test_a_weighted_profile_orders_the_table_as_its_formula_says(profile: str) -> None:
    for name, row in TABLE.items():
        by_hand = sum(weight * part for weight, part in zip(WRITTEN[profile], row, strict=True))
        assert value(profile, **of_table(name)) == pytest.approx(by_hand, abs=1e-12)
    assert sorted(TABLE, key=lambda name: -value(profile, **of_table(name))) == ORDERS[profile]


@pytest.mark.parametrize("profile", WRITTEN)
def test_no_other_signal_counts_in_a_weighted_profile(profile: str) -> None:
    assert sum(weights_of(profile, POLICY).values()) == pytest.approx(1.0)
    assert value(profile, keyword=1.0, score=1.0, links=1.0, relevance=1.0) == 0.0


def test_effective_is_cosine_times_retention_times_importance() -> None:
    assert value("effective", semantic=0.8, retention=0.5, importance=0.25, recency=1.0) == pytest.approx(0.1)
    assert value("effective", semantic=0.0, retention=1.0, importance=1.0) == 0.0


def test_effective_orders_the_table_by_the_product() -> None:
    order = sorted(TABLE, key=lambda name: -value("effective", **of_table(name)))
    assert order == ["dearest", "kept", "middling", "nearest", "newest", "nothing"]


def hebbian(lasting: int = 0, days: float = 0.0, keyword: float = 1.0, reinforced: int | None = None) -> float:
    memory = replace(MEMORY, score=lasting, reinforced_at=reinforced)
    return value("hebbian", **made(memory, days=days, keyword=keyword))


def made(
    memory: object = MEMORY,
    *,
    days: float = 0.0,
    keyword: float = 1.0,
    cosine: float = 0.5,
    total: float = 1.0,
    best: float = 1.0,
    semantic: bool = True,
    policy: RecallPolicy = POLICY,
) -> dict[str, float]:
    weighed = Relevance(total=total, keyword=keyword, coverage=keyword, semantic=cosine, parts={})
    now = BORN + round(days * MICROSECONDS_A_DAY)
    return signals(memory, weighed, best, now, policy, RETENTION, semantic)  # type: ignore[arg-type]


@pytest.mark.parametrize(("lasting", "lift"), [(3, 1.82), (0, 1.0), (-1, 0.82), (-5, 0.37)])
def test_in_hebbian_the_score_lifts_a_memory_by_this_much(lasting: int, lift: float) -> None:
    assert hebbian(lasting) == pytest.approx(lift, abs=0.005)


@pytest.mark.parametrize(("days", "left"), [(0, 1.0), (100, 0.5), (300, 0.25), (-5, 1.0)])
def test_in_hebbian_a_memory_sinks_with_its_days(days: float, left: float) -> None:
    assert hebbian(days=days) == pytest.approx(left)


def test_in_hebbian_reinforcement_starts_the_clock_again() -> None:
    assert hebbian(days=100, reinforced=BORN + 100 * MICROSECONDS_A_DAY) == 1.0


@given(st.integers(-10_000, 10_000), st.integers(-10_000, 10_000))
def test_in_hebbian_a_higher_score_never_ranks_lower(one: int, other: int) -> None:
    low, high = sorted((one, other))
    assert hebbian(low) <= hebbian(high)


@given(st.floats(0.001, 1), st.floats(0.001, 1), st.integers(-20, 20), st.floats(0, 1_000))
def test_in_hebbian_the_better_match_wins_when_all_else_is_equal(
    one: float, other: float, lasting: int, days: float
) -> None:
    low, high = sorted((one, other))
    assert hebbian(lasting, days, low) <= hebbian(lasting, days, high)


def test_the_weights_of_hebbian_are_the_configured_ones() -> None:
    policy = RecallPolicy(hebbian_score_weight=0.0, hebbian_recency_rate=1.0)
    known = made(replace(MEMORY, score=9), days=1, policy=policy)
    assert (known["reinforcement"], known["freshness"]) == (1.0, 0.5)


def test_no_score_is_too_large_to_rank() -> None:
    assert hebbian(10**9) > hebbian(5)
    assert 0 < hebbian(-(10**9)) < hebbian(-5)


@pytest.mark.parametrize("days", [0.0, 1.0, 30.0, 3650.0])
def test_recency_falls_with_the_logarithm_of_the_days(days: float) -> None:
    assert made(days=days)["recency"] == pytest.approx(1 / (1 + log(1 + days)))


@pytest.mark.parametrize("lasting", [-20, -1, 0, 3, 40])
def test_the_score_signal_is_the_exponential_scaled_to_one(lasting: int) -> None:
    lift = exp(0.2 * lasting)
    assert made(replace(MEMORY, score=lasting))["score"] == pytest.approx(lift / (1 + lift))


def test_the_other_signals_are_what_the_record_says() -> None:
    memory = replace(MEMORY, importance=0.3, confidence=0.4)
    known = made(memory, days=12, cosine=0.6, keyword=0.2, total=1.5, best=3.0)
    assert (known["importance"], known["confidence"]) == (0.3, 0.4)
    assert known["retention"] == retention_at(memory, BORN + 12 * MICROSECONDS_A_DAY, RETENTION)
    assert (known["semantic"], known["keyword"], known["relevance"]) == (0.6, 0.2, 0.5)


def test_without_vectors_keywords_stand_in_for_meaning() -> None:
    assert made(cosine=0.0, keyword=0.7, semantic=False)["semantic"] == 0.7


def test_where_nothing_is_relevant_relevance_is_nothing() -> None:
    assert made(total=0.0, best=0.0)["relevance"] == 0.0


@given(st.integers(-(10**6), 10**6), st.floats(-10, 100_000), st.floats(0, 1), st.floats(0, 1))
def test_every_signal_lies_between_0_and_1(lasting: int, days: float, cosine: float, keyword: float) -> None:
    known = made(replace(MEMORY, score=lasting), days=days, cosine=cosine, keyword=keyword)
    assert all(0.0 <= known[name] <= 1.0 for name in SIGNALS)


parts = st.fixed_dictionaries({name: st.floats(0, 1) for name in SIGNALS})
MOST = POLICY.lift_recency + POLICY.lift_retention + POLICY.lift_importance + POLICY.lift_confidence + POLICY.lift_score


@given(parts)
def test_the_lift_of_adaptive_is_bounded(known: dict[str, float]) -> None:
    lifted = value("adaptive", **known)
    assert lifted >= known["relevance"] * (1 - MOST / 2) - 1e-12
    assert lifted <= known["relevance"] * (1 + MOST / 2) + 1e-12


@given(parts, parts)
def test_what_is_clearly_more_relevant_comes_first_whatever_the_rest(
    one: dict[str, float], other: dict[str, float]
) -> None:
    better, worse = {**one, "relevance": 1.0}, {**other, "relevance": (1 - MOST / 2) / (1 + MOST / 2) - 1e-9}
    assert value("adaptive", **better) > value("adaptive", **worse)


def test_among_equally_relevant_the_other_signals_decide() -> None:
    for name in ("recency", "retention", "importance", "confidence", "score"):
        assert value("adaptive", relevance=0.9, **{name: 1.0}) > value("adaptive", relevance=0.9)


def test_relevance_alone_is_a_profile_too() -> None:
    assert value("relevance", relevance=0.4, recency=1.0, importance=1.0) == 0.4


def test_a_profile_of_ones_own_is_a_weighted_sum() -> None:
    policy = RecallPolicy(profiles={"mine": {"keyword": 2.0, "importance": 0.5, "recency": -0.1}})
    assert value("mine", policy, keyword=0.5, importance=1.0, recency=1.0) == pytest.approx(1.4)
    assert weights_of("mine", policy) == {"keyword": 2.0, "importance": 0.5, "recency": -0.1}
    assert checked_profile("mine", policy) == "mine"


@pytest.mark.parametrize("profile", PROFILES)
def test_what_counts_and_what_it_gives_have_the_same_names(profile: str) -> None:
    known = made()
    assert list(contributions(profile, known, POLICY)) == list(weights_of(profile, POLICY))


def test_an_unknown_profile_is_refused_with_those_there_are() -> None:
    with pytest.raises(InvalidField) as refused:
        checked_profile("best", RecallPolicy(profiles={"mine": {"keyword": 1.0}}))
    assert refused.value.field == "profile"
    assert refused.value.hint == ", ".join((*PROFILES, "mine"))


@pytest.mark.parametrize(
    ("profiles", "setting"),
    [
        ({"mine": {"semantics": 1.0}}, "profiles.mine.semantics"),
        ({"mine": {"reinforcement": 1.0}}, "profiles.mine.reinforcement"),
        ({"mine": {"semantic": float("inf")}}, "profiles.mine.semantic"),
        ({"mine": {}}, "profiles.mine"),
        ({"mine": {"semantic": 0.0, "recency": -1.0}}, "profiles.mine"),
        ({"balanced": {"semantic": 1.0}}, "profiles.balanced"),
        ({"adaptive": {"semantic": 1.0}}, "profiles.adaptive"),
        ({"My own": {"semantic": 1.0}}, "profiles.My own"),
    ],
)
def test_a_profile_that_makes_no_sense_is_named(profiles: dict[str, dict[str, float]], setting: str) -> None:
    assert list(wrong_profiles(RecallPolicy(profiles=profiles))) == [setting]


def test_the_default_profile_must_exist() -> None:
    assert list(wrong_profiles(RecallPolicy(profile="mine"))) == ["profile"]
    assert wrong_profiles(RecallPolicy(profile="mine", profiles={"mine": {"keyword": 1.0}})) == {}
    assert wrong_profiles(RecallPolicy()) == {}


@given(
    st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.integers(-50, 50), st.integers(0, 10**9), st.booleans(),
    st.sampled_from(["adaptive", "relevance"]),
)  # fmt: skip
def test_a_score_by_itself_is_the_sum_of_its_contributions(
    total: float, importance: float, confidence: float, reinforced: int, age: int, pinned: bool, profile: str
) -> None:
    memory = replace(MEMORY, importance=importance, confidence=confidence, score=reinforced, pinned=pinned)
    now, policy = BORN + age * 1_000_000, RecallPolicy(lift_links=0.1)
    found = signals(memory, Relevance(total, 0.0, 0.0, 0.0, {}), 1.0, now, policy, RETENTION, semantic=False)
    summed = score(profile, contributions(profile, found, policy))
    assert lifted(profile, memory, total, now, policy, RETENTION) == pytest.approx(summed, rel=1e-12, abs=1e-300)
