"""What forgetting looks at of every memory, page by page and without the words."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from reveried.domain.forgetting.columns import NEVER, NONE, TIERS, Columns
from reveried.domain.memory import KINDS, STATES
from reveried.log.pool import Pool, Row

# A page is turned into columns on the event loop, which must not be held up by it.
PAGE = 2_000
_KIND = {kind: place for place, kind in enumerate(KINDS)}
_STATE = {state: place for place, state in enumerate(STATES)}
_TIER = {tier: place for place, tier in enumerate(TIERS)}
# `used_at` and `affirmed_at` say in SQL what `domain.forgetting.units` says of one record; a test holds them together.
_SELECT = f"""
SELECT id, namespace, kind, importance, access_count, score, created_at,
  max(coalesce(last_accessed_at, created_at), stored_at, coalesce(reinforced_at, stored_at)),
  coalesce(reinforced_at, created_at), coalesce(expires_at, {NEVER}), coalesce(deleted_at, {NEVER}),
  coalesce(stale_since, {NEVER}), state, tier, pinned, tags_manual <> '[]', priority, source, %s
FROM memories WHERE id > ? AND namespace = coalesce(?, namespace) ORDER BY id LIMIT ?
"""
_BARE = _SELECT % "0"
_WEIGHED = _SELECT % "length(content)"


class Page(Struct, frozen=True):
    namespaces: Sequence[str]
    columns: Columns
    lengths: Sequence[int]


async def pages(pool: Pool, namespace: str | None = None, *, lengths: bool = False) -> AsyncIterator[Page]:
    last = 0
    while rows := await pool.fetch(_WEIGHED if lengths else _BARE, (last, namespace, PAGE)):
        yield _page(rows)
        last = rows[-1][0]


def _page(rows: Sequence[Row]) -> Page:
    (
        id_, namespace, kind, importance, accesses, score, created, used, affirmed, expires, deleted, stale, state,
        tier, pinned, tagged, priority, source, length,
    ) = zip(*rows, strict=True)  # fmt: skip
    nothing = np.zeros(len(rows), dtype=np.int64)  # until memories are linked
    columns = Columns(
        id=_ints(id_),
        kind=_codes([_KIND.get(name, NONE) for name in kind]),
        importance=np.array(importance, dtype=np.float64),
        access_count=_ints(accesses),
        score=_ints(score),
        edges=nothing,
        recent_edges=nothing,
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


async def live_bytes(pool: Pool) -> int:
    """What the file would measure without its free pages."""
    size, used, free = [
        (await pool.fetch(f"PRAGMA {name}"))[0][0] for name in ("page_size", "page_count", "freelist_count")
    ]
    return int(size * (used - free))
