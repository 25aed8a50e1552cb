"""What forgetting looks at of memories, page by page and without the words."""

from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from reveried.domain.forgetting.columns import NEVER, NONE, TIERS, Columns
from reveried.domain.memory import DOCUMENT_HASH, KINDS, STATES
from reveried.log.pool import Pool, Row
from reveried.state.link_reads import ALONE, Counting, Degree, degrees, degrees_of
from reveried.state.memories import USED_AT
from reveried.state.reads import as_array
from reveried.state.windows import windows

# A page is turned into columns on the event loop, which it may hold up for a millisecond and no longer.
PAGE = 500
_KIND = {kind: place for place, kind in enumerate(KINDS)}
_STATE = {state: place for place, state in enumerate(STATES)}
_TIER = {tier: place for place, tier in enumerate(TIERS)}
_TEXTS = ("content", "title", "summary", "tags_auto", "tags_manual", "entities", "metadata", "source_ref", "session_id")
_LENGTH = " + ".join(f"ifnull(length(CAST({name} AS BLOB)), 0)" for name in _TEXTS)
# A document stays as long as it is wanted: its chunks are the memories, and fade.
_KEPT = f"(pinned OR content_hash GLOB '{DOCUMENT_HASH}*')"
_SELECT = f"""
SELECT id, namespace, kind, importance, access_count, score, created_at, {USED_AT},
  coalesce(reinforced_at, created_at), coalesce(expires_at, {NEVER}), coalesce(deleted_at, {NEVER}),
  coalesce(stale_since, {NEVER}), state, tier, {_KEPT}, tags_manual <> '[]', priority, source, %s
FROM memories WHERE namespace = coalesce(?, namespace) AND %s ORDER BY id LIMIT {PAGE}
"""


class Page(Struct, frozen=True):
    namespaces: Sequence[str]
    columns: Columns
    lengths: Sequence[int]


class Linked(Struct, frozen=True):
    """Where links are counted, and which: also those of archived memories stand in the live file."""

    pool: Pool
    rule: Counting


async def pages(
    pool: Pool,
    namespace: str | None = None,
    *,
    lengths: bool = False,
    linked: Linked | None = None,
) -> AsyncIterator[Page]:
    """Everything. Without `linked` everybody is taken to stand alone."""
    query = _SELECT % (_LENGTH if lengths else "0", "id > ?")
    last = 0
    while rows := await pool.fetch(query, (namespace, last)):
        last = rows[-1][0]
        yield _page(rows, await degrees(linked.pool, rows[0][0], last, linked.rule) if linked else {})


async def pages_of(pool: Pool, ids: Sequence[int], linked: Linked, namespace: str | None = None) -> AsyncIterator[Page]:
    """Of these alone, in their order."""
    query = _SELECT % ("0", "id IN (SELECT value FROM json_each(?))")
    for start in range(0, len(ids), PAGE):
        rows = await pool.fetch(query, (namespace, as_array(ids[start : start + PAGE])))
        if rows:
            yield _page(rows, await degrees_of(linked.pool, [row[0] for row in rows], linked.rule))


async def counts(pool: Pool, namespace: str) -> list[tuple[str, str, str, int]]:
    """How many there are of each state, tier and kind."""
    found = Counter[tuple[str, str, str]]()
    which = "id > ? AND id <= ? AND namespace = ?"
    query = f"SELECT state, tier, kind, count(*) FROM memories NOT INDEXED WHERE {which} GROUP BY 1, 2, 3"
    async for after, upto in windows(pool):
        for state, tier, kind, number in await pool.fetch(query, (after, upto, namespace)):
            found[state, tier, kind] += number
    return [(*spread, number) for spread, number in found.items()]


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
