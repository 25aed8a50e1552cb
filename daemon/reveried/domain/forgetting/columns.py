"""The arithmetic of this package over whole columns, equal to it row for row; the only place here that needs numpy."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log
from typing import TypeAlias, get_args

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from reveried.domain.forgetting.lifecycle import LADDER, LifecyclePolicy, Reason, span
from reveried.domain.forgetting.priority import PriorityPolicy
from reveried.domain.forgetting.pruning import PrunePolicy, score_lift
from reveried.domain.forgetting.retention import FAINTEST, LEVELS, RetentionPolicy, connectivity, growth
from reveried.domain.forgetting.tiers import TierPolicy, TierReason
from reveried.domain.forgetting.units import DAY, last_affirmed_at, last_used_at
from reveried.domain.memory import KINDS, STATES, Memory

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Codes: TypeAlias = NDArray[np.int8]
Flags: TypeAlias = NDArray[np.bool_]

# Far beyond any moment, and far enough below 2^63 that a span of days can still be added.
NEVER = 2**62
NONE = -1
TIERS = ("hot", "warm", "archive")
REASONS: tuple[Reason, ...] = get_args(Reason)
TIER_REASONS: tuple[TierReason, ...] = get_args(TierReason)


class Columns(Struct, frozen=True, kw_only=True):
    """Codes are places in KINDS (−1 for any other), STATES and TIERS; a time that never came is NEVER."""

    id: Ints
    kind: Codes
    importance: Floats
    access_count: Ints
    score: Ints
    edges: Ints
    recent_edges: Ints
    created_at: Ints
    used_at: Ints
    affirmed_at: Ints
    expires_at: Ints
    deleted_at: Ints
    stale_since: Ints
    state: Codes
    tier: Codes
    pinned: Flags
    tagged: Flags
    explicit: Floats  # NaN where no priority was given
    source: Sequence[str]


def columns_of(
    memories: Sequence[Memory],
    edges: Mapping[int, int],
    recent_edges: Mapping[int, int],
    stale_since: Mapping[int, int],
) -> Columns:
    """The mappings are by id and may be sparse."""
    return Columns(
        id=_ints(memory.id for memory in memories),
        kind=_codes(KINDS.index(memory.kind) if memory.kind in KINDS else NONE for memory in memories),
        importance=_floats(memory.importance for memory in memories),
        access_count=_ints(memory.access_count for memory in memories),
        score=_ints(memory.score for memory in memories),
        edges=_ints(edges.get(memory.id, 0) for memory in memories),
        recent_edges=_ints(recent_edges.get(memory.id, 0) for memory in memories),
        created_at=_ints(memory.created_at for memory in memories),
        used_at=_ints(map(last_used_at, memories)),
        affirmed_at=_ints(map(last_affirmed_at, memories)),
        expires_at=_ints(NEVER if memory.expires_at is None else memory.expires_at for memory in memories),
        deleted_at=_ints(NEVER if memory.deleted_at is None else memory.deleted_at for memory in memories),
        stale_since=_ints(stale_since.get(memory.id, NEVER) for memory in memories),
        state=_codes(STATES.index(memory.state) for memory in memories),
        tier=_codes(TIERS.index(memory.tier) for memory in memories),
        pinned=np.array([memory.pinned for memory in memories], dtype=np.bool_),
        tagged=np.array([bool(memory.tags_manual) for memory in memories], dtype=np.bool_),
        explicit=_floats(np.nan if memory.priority is None else memory.priority for memory in memories),
        source=[memory.source for memory in memories],
    )


def stability_days(columns: Columns, policy: RetentionPolicy) -> Floats:
    grown = _each(columns.access_count, lambda accesses: growth(accesses, policy))
    return _base_days(columns, policy) * grown * _each(columns.edges, lambda edges: connectivity(edges, policy))


def _base_days(columns: Columns, policy: RetentionPolicy) -> Floats:
    if policy.by == "kind":
        # The code of a kind that has no place in KINDS is −1, which picks the last entry.
        return np.array([*map(policy.kind_days.of, KINDS), policy.kind_days.unknown])[columns.kind]
    levels = np.clip(np.floor(columns.importance * LEVELS + 0.5), 1, LEVELS).astype(np.int64)
    return np.array([half_life / log(2) for half_life in policy.half_life_days])[levels - 1]


def retention_at(columns: Columns, now: int, policy: RetentionPolicy) -> Floats:
    return np.where(columns.pinned, 1.0, curve_at(columns, now, policy))


def curve_at(columns: Columns, now: int, policy: RetentionPolicy) -> Floats:
    fading: Floats = np.exp(-days_since(columns.used_at, now) / stability_days(columns, policy))
    return np.maximum(fading, FAINTEST)


def next_states(columns: Columns, now: int, retention: RetentionPolicy, policy: LifecyclePolicy) -> tuple[Codes, Codes]:
    """The state due, as a place in LADDER, and why, as a place in REASONS; −1 for both where nothing is due."""
    stability = stability_days(columns, retention)
    stale_at, archive_at, delete_at = (
        _first_below(share, columns.used_at, stability)
        for share in (policy.stale_below, policy.archive_below, policy.delete_below)
    )
    long_at = np.where(columns.stale_since == NEVER, stale_at, columns.stale_since) + span(policy.stale_days)
    deleted, stale, active = (columns.state == STATES.index(name) for name in ("deleted", "stale", "active"))
    kept = deleted | columns.pinned
    fades = ~kept if policy.mode != "never" else np.zeros_like(kept)
    recovered = fades & stale & (now < stale_at)
    sinks = fades & ~recovered & ~(columns.tagged & policy.manual_tags_protect)
    expired = ~kept & (columns.expires_at <= now)
    gone = sinks & (delete_at <= now) & (policy.mode == "full")
    faint = sinks & (active | stale) & (archive_at <= now)
    long_stale = sinks & stale & (long_at <= now)
    return _first_of(
        (deleted & (columns.deleted_at + span(policy.purge_days) <= now), "purged", "purge_due"),
        (gone & ~(expired & (columns.expires_at <= delete_at)), "deleted", "retention_below_delete"),
        (expired, "deleted", "expired"),
        (long_stale & ~(faint & (archive_at <= long_at)), "archived", "stale_too_long"),
        (faint, "archived", "retention_below_archive"),
        (fades & active & (stale_at <= now), "stale", "retention_below_stale"),
        (recovered, "active", "retention_recovered"),
    )


def _first_below(share: float, used_at: Ints, stability: Floats) -> Ints:
    span_of_fading = np.floor(np.minimum(stability * -log(share) * DAY, NEVER))
    return used_at + span_of_fading.astype(np.int64) + 1


def _first_of(*rules: tuple[Flags, str, Reason]) -> tuple[Codes, Codes]:
    return _select(
        [holds for holds, _, _ in rules],
        [LADDER.index(state) for _, state, _ in rules],
        [REASONS.index(reason) for _, _, reason in rules],
    )


def relationship_scores(columns: Columns, policy: TierPolicy) -> Floats:
    return columns.edges + policy.recent_edge_weight * columns.recent_edges


def priorities_at(columns: Columns, now: int, relationship_score: Floats, policy: PriorityPolicy) -> Floats:
    periods = np.maximum(days_since(columns.created_at, now) / policy.frequency_days, 1.0)
    frequency = np.log(1.0 + columns.access_count / periods) / log(1.0 + policy.frequent_accesses)
    weight_of = {source: policy.source_weights.of(source) for source in set(columns.source)}
    implicit = (
        policy.access_frequency * np.minimum(frequency, 1.0)
        + policy.relationship_density * np.minimum(relationship_score / policy.dense_relationships, 1.0)
        + policy.recency / (1.0 + np.log(1.0 + days_since(columns.used_at, now)))
        + policy.source * _floats(weight_of[source] for source in columns.source)
    )
    explicit = policy.explicit * np.clip(columns.explicit, 0.0, 1.0) + implicit
    return np.where(np.isnan(columns.explicit), implicit / policy.implicit, explicit)


def tiers(
    columns: Columns, now: int, priority: Floats, retention: RetentionPolicy, policy: TierPolicy
) -> tuple[Codes, Codes]:
    """The tier each live memory belongs to, as a place in TIERS, and why, as a place in TIER_REASONS."""
    related = relationship_scores(columns, policy)
    idle = days_since(columns.used_at, now)
    stale = 1.0 - curve_at(columns, now, retention)
    lonely = (related <= policy.archive_relationships) & (columns.recent_edges == 0)
    archive = lonely & (idle >= policy.archive_idle_days) & (stale >= policy.archive_staleness)
    cold = (idle >= policy.cold_idle_days) & (stale >= policy.cold_staleness)
    rules: dict[TierReason, tuple[Flags, str]] = {
        "high_priority": (priority >= policy.hot_priority, "hot"),
        "low_decay": (stale <= policy.hot_staleness, "hot"),
        "recent_access": (idle <= policy.hot_idle_days, "hot"),
        "dense_graph": (related >= policy.hot_relationships, "hot"),
        "active_connections": (columns.recent_edges >= policy.hot_recent_edges, "hot"),
        "manual_pin": (columns.pinned, "hot"),
        "cooling": ((columns.tier == TIERS.index("hot")) & (idle < policy.hot_stays_days), "hot"),
        "moderate_priority": (priority >= policy.warm_priority, "warm"),
        "recently_accessed": (idle <= policy.warm_idle_days, "warm"),
        "connected_graph": (related >= policy.warm_relationships, "warm"),
        "manual_tags_present": (columns.tagged, "warm"),
        "cold_and_disconnected": (archive & cold, "archive"),
        "stale_and_low_priority": (archive, "archive"),
    }
    tier, reason = _select(
        [holds for holds, _ in rules.values()],
        [TIERS.index(name) for _, name in rules.values()],
        [TIER_REASONS.index(code) for code in rules],
    )
    between = tier == NONE
    return np.where(between, columns.tier, tier), np.where(
        between, np.int8(TIER_REASONS.index("between_tiers")), reason
    )


def prune_weights(columns: Columns, now: int, policy: PrunePolicy) -> Floats:
    lift = _each(columns.score, lambda score: score_lift(score, policy))
    return lift / (1.0 + policy.recency_rate * days_since(columns.affirmed_at, now))


def prune_order(columns: Columns, now: int, policy: PrunePolicy) -> Ints:
    """Ids, first to go first."""
    live = (columns.state == STATES.index("active")) | (columns.state == STATES.index("stale"))
    spared = columns.tagged & (days_since(columns.used_at, now) <= policy.tagged_recent_days)
    order = np.lexsort((columns.id, prune_weights(columns, now, policy), spared))
    leaving: Ints = columns.id[order[(live & ~columns.pinned)[order]]]
    return leaving


def days_since(moments: Ints, now: int) -> Floats:
    return np.maximum(now - moments, 0) / DAY


def _each(values: Ints, function: Callable[[int], float]) -> Floats:
    """The scalar function of every value, called once for each that occurs: the same bits, and few of them."""
    distinct, place = np.unique(values, return_inverse=True)
    return _floats(function(int(value)) for value in distinct)[place]


def _select(rules: list[Flags], first: list[int], second: list[int]) -> tuple[Codes, Codes]:
    """For each row the two codes of the first rule that holds there."""
    return (
        np.select(rules, [np.int8(code) for code in first], np.int8(NONE)),
        np.select(rules, [np.int8(code) for code in second], np.int8(NONE)),
    )


def _floats(values: Iterable[float]) -> Floats:
    return np.fromiter(values, dtype=np.float64)


def _ints(values: Iterable[int]) -> Ints:
    return np.fromiter(values, dtype=np.int64)


def _codes(values: Iterable[int]) -> Codes:
    return np.fromiter(values, dtype=np.int8)
