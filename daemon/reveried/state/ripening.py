"""Who may be due for a change of state, found in an index: of a million memories only those are read that fade by now.

The index knows no settings. What a setting means for it is worked out anew for every question, so an edit takes effect
at once and leaves nothing to be rebuilt.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import floor, log

from msgspec import Struct

from reveried.domain.forgetting.columns import NEVER
from reveried.domain.forgetting.lifecycle import LifecyclePolicy, span
from reveried.domain.forgetting.retention import LEVELS, RetentionPolicy, growth
from reveried.domain.forgetting.units import DAY
from reveried.domain.memory import KINDS
from reveried.log.pool import Pool
from reveried.state.memories import STATE, USED_AT

# Accesses from which stability has grown at least so much. Between two steps the lower one is assumed.
STEPS = (4096, 1024, 256, 64, 32, 16, 8, 4, 2, 1, 0)
# Sums in SQL and in Python may differ in their last bits; what is taken for ripe by that much is looked at again.
SLACK = 1 - 1e-9
_LEVEL = f"min(max(CAST(importance * {LEVELS} + 0.5 AS INTEGER), 1), {LEVELS})"


class Condition(Struct, frozen=True):
    """Some of those who are ripe: one range of one index."""

    sql: str
    parameters: Sequence[float | int | str]


async def ripe_ids(pool: Pool, now: int, retention: RetentionPolicy, policy: LifecyclePolicy) -> list[int]:
    """All whose state may have to change by now, and few others: their stability is taken for less than it is."""
    conditions = ripe(now, retention, policy)
    query = " UNION ".join(f"SELECT id FROM memories WHERE {one.sql}" for one in conditions)
    rows = await pool.fetch(query, [value for one in conditions for value in one.parameters])
    return sorted(id_ for (id_,) in rows)


def ripe(now: int, retention: RetentionPolicy, policy: LifecyclePolicy) -> list[Condition]:
    found = [
        Condition(f"{STATE} = 'deleted' AND deleted_at <= ?", (now - span(policy.purge_days),)),
        # Named twice, for the index is of those that expire at all.
        Condition("expires_at IS NOT NULL AND expires_at <= ? AND state <> 'deleted' AND pinned = 0", (now,)),
    ]
    if policy.mode == "never":
        return found
    # With other settings, or once reinforced, a stale memory may also come back; there are few of them.
    found.append(Condition(f"{STATE} = 'stale' AND pinned = 0", ()))
    found += _fading("active", policy.stale_below, now, retention)
    if policy.mode == "full":
        found += _fading("archived", policy.delete_below, now, retention)
    return found


def _fading(state: str, share: float, now: int, policy: RetentionPolicy) -> Iterator[Condition]:
    """Those of which no more than this share is left: a range of the index for each kind, and one for each gap between
    the kinds that are known."""
    fall = -log(share) * DAY * SLACK
    stability, numbers = _least_stability(policy)
    for kinds, names, base in _ranges(policy):
        longest_ago = max(now - floor(base * growth(0, policy) * fall), -NEVER)
        sql = f"{STATE} = ? AND {kinds} AND {USED_AT} <= ? AND ? - {USED_AT} >= {stability} * ? AND pinned = 0"
        given = (base,) if policy.by == "kind" else _levels(policy)
        yield Condition(sql, (state, *names, longest_ago, now, *given, *numbers, fall))


def _ranges(policy: RetentionPolicy) -> Iterator[tuple[str, tuple[str, ...], float]]:
    """Which kinds, by name, and the least base stability in days of any of their memories."""
    known, least = sorted(KINDS), min(_levels(policy))
    by_kind = policy.by == "kind"
    for kind in known:
        yield "kind = ?", (kind,), policy.kind_days.of(kind) if by_kind else least
    others = policy.kind_days.unknown if by_kind else least
    yield "kind < ?", (known[0],), others
    for before, after in pairwise(known):
        yield "kind > ? AND kind < ?", (before, after), others
    yield "kind > ?", (known[-1],), others


def _levels(policy: RetentionPolicy) -> tuple[float, ...]:
    return tuple(half_life / log(2) for half_life in policy.half_life_days)


def _least_stability(policy: RetentionPolicy) -> tuple[str, tuple[float, ...]]:
    """Days, as SQL after the base: exact but for growth, which is that of the step below, and for links, which only
    lengthen it."""
    levels = " ".join(f"WHEN {level} THEN ?" for level in range(1, LEVELS + 1))
    base = "?" if policy.by == "kind" else f"CASE {_LEVEL} {levels} END"
    steps = " ".join(f"WHEN access_count >= {step} THEN ?" for step in STEPS)
    return f"{base} * CASE {steps} END", tuple(growth(step, policy) for step in STEPS)
