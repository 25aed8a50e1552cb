import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reveried.domain.forgetting.retention import RetentionPolicy
from reveried.domain.forgetting.tiers import (
    TierChange,
    TierPolicy,
    TierSignals,
    decide_tier,
    relationship_score,
    tier_change,
    tier_signals,
)
from unit.domain.forgetting.making import a_memory, day, memories, moments

POLICY = TierPolicy()
CURVE = RetentionPolicy()
FORGOTTEN = TierSignals(
    priority=0.1, staleness=0.7, idle_days=40, relationship_score=0, recent_edges=0, pinned=False, manual_tags=False
)


def signals(**fields: float) -> TierSignals:
    return msgspec.structs.replace(FORGOTTEN, **fields)


@pytest.mark.parametrize(
    ("fields", "tier", "reason"),
    [
        ({"priority": 0.65}, "hot", "high_priority"),
        ({"staleness": 0.25}, "hot", "low_decay"),
        ({"idle_days": 3}, "hot", "recent_access"),
        ({"relationship_score": 6}, "hot", "dense_graph"),
        ({"recent_edges": 4}, "hot", "active_connections"),
        ({"pinned": True}, "hot", "manual_pin"),
        ({"priority": 0.3}, "warm", "moderate_priority"),
        ({"priority": 0.649}, "warm", "moderate_priority"),
        ({"idle_days": 21}, "warm", "recently_accessed"),
        ({"idle_days": 3.1}, "warm", "recently_accessed"),
        ({"relationship_score": 3}, "warm", "connected_graph"),
        ({"manual_tags": True}, "warm", "manual_tags_present"),
        ({}, "archive", "stale_and_low_priority"),
        ({"idle_days": 30, "staleness": 0.6, "relationship_score": 2}, "archive", "stale_and_low_priority"),
        ({"idle_days": 45, "staleness": 0.79}, "archive", "stale_and_low_priority"),
        ({"idle_days": 44.9, "staleness": 0.8}, "archive", "stale_and_low_priority"),
        ({"idle_days": 45, "staleness": 0.8}, "archive", "cold_and_disconnected"),
        ({"staleness": 0.251}, "warm", "between_tiers"),
        ({"relationship_score": 5.9}, "warm", "connected_graph"),
        ({"recent_edges": 3}, "warm", "between_tiers"),
        ({"priority": 0.299}, "archive", "stale_and_low_priority"),
        ({"relationship_score": 2.9}, "warm", "between_tiers"),
    ],
)
def test_the_first_rule_that_holds_gives_tier_and_reason(fields, tier, reason) -> None:
    decision = decide_tier(signals(**fields), "warm", POLICY)
    assert (decision.tier, decision.reason) == (tier, reason)


@pytest.mark.parametrize(
    ("drop", "reason"),
    [
        ("priority", "low_decay"),
        ("staleness", "recent_access"),
        ("idle_days", "dense_graph"),
        ("relationship_score", "active_connections"),
        ("recent_edges", "manual_pin"),
        ("pinned", "manual_tags_present"),
    ],
)
def test_reasons_are_tried_in_their_order(drop: str, reason: str) -> None:
    everything = {"priority": 0.9, "staleness": 0.1, "idle_days": 1, "relationship_score": 9, "recent_edges": 5}
    everything |= {"pinned": True, "manual_tags": True}
    names = list(everything)
    left = {name: everything[name] for name in names[names.index(drop) + 1 :]}
    assert decide_tier(signals(**left), "warm", POLICY).reason == reason


@pytest.mark.parametrize("current", ["hot", "warm", "archive"])
@pytest.mark.parametrize(
    "fields",
    [{"idle_days": 21.1}, {"idle_days": 29.9}, {"staleness": 0.59}, {"relationship_score": 2.5}, {"recent_edges": 1}],
)
def test_a_memory_no_rule_claims_stays_where_it_is(fields, current: str) -> None:
    decision = decide_tier(signals(**fields), current, POLICY)
    assert (decision.tier, decision.reason) == (current, "between_tiers")


@pytest.mark.parametrize(
    ("current", "idle", "tier"),
    [("hot", 3.5, "hot"), ("hot", 4, "warm"), ("warm", 3.5, "warm"), ("archive", 3.5, "warm")],
)
def test_hot_is_left_only_after_four_idle_days(current: str, idle: float, tier: str) -> None:
    decision = decide_tier(signals(idle_days=idle), current, POLICY)
    assert decision.tier == tier
    assert (decision.reason == "cooling") == (tier == "hot")


@pytest.mark.parametrize(("edges", "recent", "score"), [(0, 0, 0), (3, 0, 3), (2, 2, 6), (4, 4, 12), (1, 1, 3)])
def test_an_edge_of_the_last_days_counts_three_times(edges: int, recent: int, score: float) -> None:
    assert relationship_score(edges, recent, POLICY) == score


def signals_of(memory, now, edges=0, recent_edges=0, priority=0.0) -> TierSignals:
    return tier_signals(
        memory, now, priority=priority, edges=edges, recent_edges=recent_edges, retention=CURVE, policy=POLICY
    )


def test_signals_are_read_from_the_record() -> None:
    memory = a_memory(kind="activity", last_accessed_at=day(10), tags_manual=("x",))
    read = signals_of(memory, day(100), edges=2, recent_edges=1)
    assert read.idle_days == 90
    assert read.relationship_score == 4
    assert read.manual_tags
    assert 0.5 < read.staleness < 1 - 0.3679


def test_the_pin_is_named_when_nothing_else_makes_a_memory_hot() -> None:
    pinned = a_memory(pinned=True, tier="warm")
    change = tier_change(pinned, signals_of(pinned, day(1000)), POLICY)
    assert change == TierChange("warm", "hot", "manual_pin")


def test_an_old_lonely_memory_moves_to_the_archive_tier_and_an_access_brings_it_back() -> None:
    old = a_memory(kind="plan", tier="warm")
    assert tier_change(old, signals_of(old, day(80)), POLICY) == TierChange("warm", "archive", "stale_and_low_priority")
    read = a_memory(kind="plan", tier="archive", access_count=1, last_accessed_at=day(80))
    assert tier_change(read, signals_of(read, day(81)), POLICY) == TierChange("archive", "hot", "low_decay")


def test_a_tier_that_stays_is_no_change() -> None:
    fresh = a_memory(tier="hot")
    assert tier_change(fresh, signals_of(fresh, day(1)), POLICY) is None


@pytest.mark.parametrize("state", ["archived", "deleted"])
def test_what_has_left_the_live_states_keeps_its_tier(state: str) -> None:
    gone = a_memory(state=state, tier="archive")
    assert tier_change(gone, signals_of(gone, day(1), priority=1.0), POLICY) is None


@given(memories(), moments, st.integers(0, 9), st.integers(0, 9), st.floats(0, 1))
def test_tags_by_hand_and_pins_keep_a_memory_out_of_the_archive_tier(memory, now, edges, recent, priority) -> None:
    read = signals_of(memory, now, edges, recent, priority)
    if read.pinned or read.manual_tags:
        assert decide_tier(read, "warm", POLICY).tier != "archive"


@given(memories(), moments, moments, st.sampled_from(["warm", "archive"]))
def test_a_clock_set_back_never_cools_a_memory(memory, one, other, current) -> None:
    earlier, later = sorted((one, other))
    warmth = ["archive", "warm", "hot"]
    then, now = (decide_tier(signals_of(memory, at), current, POLICY).tier for at in (earlier, later))
    assert warmth.index(then) >= warmth.index(now)


@pytest.mark.parametrize("section", [{"hot_priority": 1.5}, {"hot_idle_days": -1}, {"warm": 1}])
def test_a_section_that_makes_no_sense_is_refused(section: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(section, TierPolicy)
