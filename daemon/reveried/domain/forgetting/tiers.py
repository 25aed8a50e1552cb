"""Which tier a memory belongs to, and the one reason for it: the first rule that holds, in the order written here."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from reveried.domain.forgetting.retention import RetentionPolicy, curve_at
from reveried.domain.forgetting.units import Days, Rate, Share, days_since, last_used_at
from reveried.domain.memory import LIVE_STATES, Memory

Tier = Literal["hot", "warm", "archive"]
TierReason = Literal[
    "high_priority",
    "low_decay",
    "recent_access",
    "dense_graph",
    "active_connections",
    "manual_pin",
    "cooling",
    "moderate_priority",
    "recently_accessed",
    "connected_graph",
    "manual_tags_present",
    "cold_and_disconnected",
    "stale_and_low_priority",
    "between_tiers",
]

Count = Annotated[int, Meta(ge=0)]


class TierPolicy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    hot_priority: Annotated[Share, Meta(description="Priority from which a memory is hot.")] = 0.65
    hot_staleness: Annotated[Share, Meta(description="Staleness up to which it is hot.")] = 0.25
    hot_idle_days: Annotated[Days, Meta(description="Idle days up to which it is hot.")] = 3.0
    hot_relationships: Annotated[Count, Meta(description="Relationship score from which it is hot.")] = 6
    hot_recent_edges: Annotated[Count, Meta(description="Recent edges from which it is hot.")] = 4
    hot_stays_days: Annotated[Days, Meta(description="Idle days before which hot is not left.")] = 4.0
    warm_priority: Annotated[Share, Meta(description="Priority from which it is warm.")] = 0.3
    warm_idle_days: Annotated[Days, Meta(description="Idle days up to which it is warm.")] = 21.0
    warm_relationships: Annotated[Count, Meta(description="Relationship score from which it is warm.")] = 3
    archive_idle_days: Annotated[Days, Meta(description="Idle days from which it may be archived.")] = 30.0
    archive_staleness: Annotated[Share, Meta(description="Staleness from which it may be archived.")] = 0.6
    archive_relationships: Annotated[Count, Meta(description="Relationship score up to which it may be archived.")] = 2
    cold_idle_days: Annotated[Days, Meta(description="Idle days from which it is called cold.")] = 45.0
    cold_staleness: Annotated[Share, Meta(description="Staleness from which it is called cold.")] = 0.8
    recent_edge_weight: Annotated[Rate, Meta(description="What a recent edge adds to the relationship score.")] = 2.0
    recent_edge_days: Annotated[Days, Meta(description="Days for which an edge is recent.")] = 7.0


class TierSignals(Struct, frozen=True, kw_only=True):
    priority: float
    staleness: float
    idle_days: float
    relationship_score: float
    recent_edges: int
    pinned: bool
    manual_tags: bool


class TierDecision(Struct, frozen=True):
    tier: str
    reason: TierReason


class TierChange(Struct, frozen=True):
    before: str
    after: str
    reason: TierReason


def tier_change(memory: Memory, signals: TierSignals, policy: TierPolicy) -> TierChange | None:
    """None when the tier stays. A memory that has left the live states stays in the tier it left them with."""
    if memory.state not in LIVE_STATES:
        return None
    decision = decide_tier(signals, memory.tier, policy)
    if decision.tier == memory.tier:
        return None
    return TierChange(memory.tier, decision.tier, decision.reason)


def decide_tier(signals: TierSignals, current: str, policy: TierPolicy) -> TierDecision:
    if reason := _hot(signals, current, policy):
        return TierDecision("hot", reason)
    if reason := _warm(signals, policy):
        return TierDecision("warm", reason)
    if reason := _archive(signals, policy):
        return TierDecision("archive", reason)
    return TierDecision(current, "between_tiers")


def _hot(signals: TierSignals, current: str, policy: TierPolicy) -> TierReason | None:
    if signals.priority >= policy.hot_priority:
        return "high_priority"
    if signals.staleness <= policy.hot_staleness:
        return "low_decay"
    if signals.idle_days <= policy.hot_idle_days:
        return "recent_access"
    if signals.relationship_score >= policy.hot_relationships:
        return "dense_graph"
    if signals.recent_edges >= policy.hot_recent_edges:
        return "active_connections"
    if signals.pinned:
        return "manual_pin"
    return "cooling" if current == "hot" and signals.idle_days < policy.hot_stays_days else None


def _warm(signals: TierSignals, policy: TierPolicy) -> TierReason | None:
    if signals.priority >= policy.warm_priority:
        return "moderate_priority"
    if signals.idle_days <= policy.warm_idle_days:
        return "recently_accessed"
    if signals.relationship_score >= policy.warm_relationships:
        return "connected_graph"
    return "manual_tags_present" if signals.manual_tags else None


def _archive(signals: TierSignals, policy: TierPolicy) -> TierReason | None:
    """Asked only of what is neither hot nor warm, hence of low priority and without tags or a pin."""
    connected = signals.relationship_score > policy.archive_relationships or signals.recent_edges > 0
    if connected or signals.idle_days < policy.archive_idle_days or signals.staleness < policy.archive_staleness:
        return None
    cold = signals.idle_days >= policy.cold_idle_days and signals.staleness >= policy.cold_staleness
    return "cold_and_disconnected" if cold else "stale_and_low_priority"


def relationship_score(edges: int, recent_edges: int, policy: TierPolicy) -> float:
    return edges + policy.recent_edge_weight * recent_edges


def tier_signals(
    memory: Memory,
    now: int,
    *,
    priority: float,
    edges: int,
    recent_edges: int,
    retention: RetentionPolicy,
    policy: TierPolicy,
) -> TierSignals:
    return TierSignals(
        priority=priority,
        # The bare curve: a pinned memory never looks stale, and the pin would go unnamed as the reason.
        staleness=1.0 - curve_at(memory, now, retention, edges),
        idle_days=days_since(last_used_at(memory), now),
        relationship_score=relationship_score(edges, recent_edges, policy),
        recent_edges=recent_edges,
        pinned=memory.pinned,
        manual_tags=bool(memory.tags_manual),
    )
