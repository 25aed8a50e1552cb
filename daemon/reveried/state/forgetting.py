"""What forgetting looks at of every memory, page by page and without the words."""

from collections.abc import AsyncIterator, Mapping, Sequence
from math import log
from typing import Any

import numpy as np
from msgspec import Struct

from reveried.domain.forgetting.columns import NEVER, NONE, TIERS, Columns
from reveried.domain.forgetting.lifecycle import LifecyclePolicy, span
from reveried.domain.forgetting.retention import LEVELS, RetentionPolicy, growth
from reveried.domain.forgetting.units import DAY
from reveried.domain.memory import DOCUMENT_HASH, KINDS, STATES
from reveried.log.pool import Pool, Row
from reveried.state.link_reads import ALONE, Counting, Degree, degrees

# A page is turned into columns on the event loop, which it may hold up for a millisecond and no longer.
PAGE = 500
# Few of many memories are ripe: a query looks at this many ids, however few it finds, and ends before its deadline.
WINDOW = 50_000
# Accesses from which stability has grown at least so much. Between two steps the lower one is assumed.
STEPS = (4096, 1024, 256, 64, 32, 16, 8, 4, 2, 1, 0)
# Sums in SQL and in Python may differ in their last bits; what is taken for ripe by that much is looked at again.
SLACK = 1 - 1e-9
_KIND = {kind: place for place, kind in enumerate(KINDS)}
_STATE = {state: place for place, state in enumerate(STATES)}
_TIER = {tier: place for place, tier in enumerate(TIERS)}
# `used_at` and `affirmed_at` say in SQL what `domain.forgetting.units` says of one record; a test holds them together.
_USED_AT = "max(coalesce(last_accessed_at, created_at), stored_at, coalesce(reinforced_at, stored_at))"
_LEVEL = f"min(max(CAST(importance * {LEVELS} + 0.5 AS INTEGER), 1), {LEVELS})"
_TEXTS = ("content", "title", "summary", "tags_auto", "tags_manual", "entities", "metadata", "source_ref", "session_id")
_LENGTH = " + ".join(f"ifnull(length(CAST({name} AS BLOB)), 0)" for name in _TEXTS)
# A document stays as long as it is wanted: its chunks are the memories, and fade.
_KEPT = f"(pinned OR content_hash GLOB '{DOCUMENT_HASH}*')"
_SELECT = f"""
SELECT id, namespace, kind, importance, access_count, score, created_at, {_USED_AT},
  coalesce(reinforced_at, created_at), coalesce(expires_at, {NEVER}), coalesce(deleted_at, {NEVER}),
  coalesce(stale_since, {NEVER}), state, tier, {_KEPT}, tags_manual <> '[]', priority, source, %s
FROM memories WHERE id > ? AND id <= ? AND namespace = coalesce(?, namespace) AND (%s) ORDER BY id LIMIT {PAGE}
"""


class Page(Struct, frozen=True):
    namespaces: Sequence[str]
    columns: Columns
    lengths: Sequence[int]


class Condition(Struct, frozen=True):
    sql: str = "1"
    parameters: tuple[Any, ...] = ()


EVERY = Condition()


class Linked(Struct, frozen=True):
    """Where links are counted, and which: also those of archived memories stand in the live file."""

    pool: Pool
    rule: Counting


async def pages(
    pool: Pool,
    namespace: str | None = None,
    *,
    lengths: bool = False,
    only: Condition = EVERY,
    linked: Linked | None = None,
) -> AsyncIterator[Page]:
    """Without `linked` everybody is taken to stand alone."""
    query = _SELECT % (_LENGTH if lengths else "0", only.sql)
    ((end,),) = await pool.fetch("SELECT coalesce(max(id), 0) FROM memories")
    last = 0
    while last < end:
        upto = end if only is EVERY else min(last + WINDOW, end)
        rows = await pool.fetch(query, (last, upto, namespace, *only.parameters))
        if rows:
            yield _page(rows, await degrees(linked.pool, rows[0][0], rows[-1][0], linked.rule) if linked else {})
        last = rows[-1][0] if len(rows) == PAGE else upto


def ripe(now: int, retention: RetentionPolicy, policy: LifecyclePolicy) -> Condition:
    """All whose state may have to change by now, and few others: their stability is taken for less than it is.

    SQLite looks through a million rows while Python would make objects of a few thousand.
    """
    deleted = "state = 'deleted' AND deleted_at <= ?"
    expired = "state <> 'deleted' AND pinned = 0 AND expires_at <= ?"
    moments = (now - span(policy.purge_days), now)
    if policy.mode == "never":
        return Condition(f"{deleted} OR {expired}", moments)
    least, numbers = _least_stability(retention)
    # With other settings, or once reinforced, a stale memory may also come back; there are few of them.
    fading = f"pinned = 0 AND (state = 'stale' OR ? - {_USED_AT} >= CASE state WHEN 'active' THEN ? %s END * {least})"
    falls = [-log(policy.stale_below) * DAY * SLACK]
    if policy.mode == "full":
        falls.append(-log(policy.delete_below) * DAY * SLACK)
    fading %= "WHEN 'archived' THEN ?" if policy.mode == "full" else ""
    return Condition(f"{deleted} OR {expired} OR {fading}", (*moments, now, *falls, *numbers))


def _least_stability(policy: RetentionPolicy) -> tuple[str, tuple[float, ...]]:
    """Days, as SQL: exact but for growth, which is that of the step below, and for links, which only lengthen it."""
    if policy.by == "kind":
        cases = " ".join(f"WHEN '{kind}' THEN ?" for kind in KINDS)
        base, days = f"CASE kind {cases} ELSE ? END", [*map(policy.kind_days.of, KINDS), policy.kind_days.unknown]
    else:
        cases = " ".join(f"WHEN {level} THEN ?" for level in range(1, LEVELS + 1))
        base, days = f"CASE {_LEVEL} {cases} END", [half_life / log(2) for half_life in policy.half_life_days]
    steps = " ".join(f"WHEN access_count >= {step} THEN ?" for step in STEPS)
    return f"{base} * CASE {steps} END", (*days, *(growth(step, policy) for step in STEPS))


async def counts(pool: Pool, namespace: str) -> list[tuple[str, str, str, int]]:
    """How many there are of each state, tier and kind."""
    rows = await pool.fetch(
        "SELECT state, tier, kind, count(*) FROM memories WHERE namespace = ? GROUP BY 1, 2, 3", (namespace,)
    )
    return [(state, tier, kind, number) for state, tier, kind, number in rows]


def _page(rows: Sequence[Row], links: Mapping[int, Degree]) -> Page:
    (
        id_, namespace, kind, importance, accesses, score, created, used, affirmed, expires, deleted, stale, state,
        tier, pinned, tagged, priority, source, length,
    ) = zip(*rows, strict=True)  # fmt: skip
    linked = [links.get(number, ALONE) for number in id_]
    columns = Columns(
        id=_ints(id_),
        kind=_codes([_KIND.get(name, NONE) for name in kind]),
        importance=np.array(importance, dtype=np.float64),
        access_count=_ints(accesses),
        score=_ints(score),
        edges=_ints([one.edges for one in linked]),
        recent_edges=_ints([one.recent for one in linked]),
        created_at=_ints(created),
        used_at=_ints(used),
        affirmed_at=_ints(affirmed),
        expires_at=_ints(expires),
        deleted_at=_ints(deleted),
        stale_since=_ints(stale),
        state=_codes([_STATE[name] for name in state]),
        tier=_codes([_TIER[name] for name in tier]),
        pinned=np.array(pinned, dtype=np.bool_),
        tagged=np.array(tagged, dtype=np.bool_),
        explicit=np.array([np.nan if value is None else value for value in priority], dtype=np.float64),
        source=source,
    )
    return Page(namespace, columns, length)


def _ints(values: Sequence[Any]) -> Any:
    return np.array(values, dtype=np.int64)


def _codes(values: Sequence[int]) -> Any:
    return np.array(values, dtype=np.int8)


class Size(Struct, frozen=True):
    """Bytes of a file as it will be when its write-ahead log is folded into it: all of it, and without free pages."""

    whole: int
    used: int


async def size_of(pool: Pool) -> Size:
    size, pages_, free = [
        (await pool.fetch(f"PRAGMA {name}"))[0][0] for name in ("page_size", "page_count", "freelist_count")
    ]
    return Size(size * pages_, size * (pages_ - free))


async def history_rows(pool: Pool) -> int:
    """They stay in the live file when their memory leaves it."""
    return int((await pool.fetch("SELECT count(*) FROM history"))[0][0])
