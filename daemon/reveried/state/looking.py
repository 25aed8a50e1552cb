"""Memories by what is to be done about them: changed of late, said in a session, tags long unseen, no summary yet."""

from collections import Counter
from typing import Any

import msgspec
from msgspec import Struct

from reveried.domain.memory import DOCUMENT_HASH, LIVE_STATES, Memory
from reveried.log.pool import Pool
from reveried.state.memories import COLUMNS, from_row
from reveried.state.windows import windows

PAGE = 1_000
# Or SQLite would go through a whole index for each range.
WINDOWED = "memories NOT INDEXED"
_LIVE = ", ".join(f"'{state}'" for state in LIVE_STATES)
_STANDING = (
    f"state IN ({_LIVE}) AND superseded_by IS NULL AND compressed_into IS NULL "
    f"AND content_hash NOT GLOB '{DOCUMENT_HASH}*'"
)


async def changed_since(pool: Pool, namespace: str, at: int) -> list[int]:
    """Whose words came or changed at that moment or later."""
    query = (
        "SELECT id FROM memories NOT INDEXED WHERE id > ? AND id <= ? AND namespace = ? "
        f"AND {_STANDING} AND max(stored_at, updated_at) >= ?"
    )
    found: list[int] = []
    async for after, upto in windows(pool):
        found += [row[0] for row in await pool.fetch(query, (after, upto, namespace, at))]
    return found


async def said_in_sessions(pool: Pool, namespace: str) -> list[Memory]:
    """Everything that stands and was said in a session."""
    found: list[Memory] = []
    where = "namespace = ? AND session_id IS NOT NULL AND id > ? AND id <= ?"
    async for after, upto in windows(pool):
        while page := await _page(pool, where, (namespace, after, upto), "id", table=WINDOWED):
            found += page
            after = page[-1].id
    return found


async def said_in(pool: Pool, namespace: str, session_id: str) -> list[Memory]:
    where = "namespace = ? AND session_id = ?"
    return await _page(pool, where, (namespace, session_id), "created_at, id")


async def with_oldest_tags(pool: Pool, before: int, limit: int) -> list[Memory]:
    found: list[Memory] = []
    async for after, upto in windows(pool):
        where = "tags_at < ? AND id > ? AND id <= ?"
        found += await _page(pool, where, (before, after, upto), "tags_at, id", limit, table=WINDOWED)
        found = sorted(found, key=lambda memory: (memory.tags_at, memory.id))[:limit]
    return found


async def untagged(pool: Pool, limit: int) -> list[Memory]:
    found: list[Memory] = []
    async for window in windows(pool):
        if len(found) < limit:
            where = "tags_auto = '[]' AND tags_manual = '[]' AND id > ? AND id <= ?"
            found += await _page(pool, where, window, "id", limit - len(found), table=WINDOWED)
    return found


# The tables know no sentences; whoever is shorter than this has no three of them.
SHORTEST_SUMMED_UP = 40


async def without_summary(pool: Pool, after: int, limit: int) -> list[Memory]:
    where = f"summary IS NULL AND length(content) > {SHORTEST_SUMMED_UP} AND id > ? AND id <= ?"
    found: list[Memory] = []
    async for start, upto in windows(pool):
        if upto > after and len(found) < limit:
            found += await _page(pool, where, (max(start, after), upto), "id", limit - len(found), table=WINDOWED)
    return found


async def _page(
    pool: Pool, where: str, parameters: tuple[Any, ...], order: str, limit: int = PAGE, *, table: str = "memories"
) -> list[Memory]:
    rows = await pool.fetch(
        f"SELECT {COLUMNS} FROM {table} WHERE {_STANDING} AND {where} ORDER BY {order} LIMIT ?", (*parameters, limit)
    )
    return [from_row(row) for row in rows]


class Standing(Struct, frozen=True):
    """All memories that stand, counted by tier, and since when there are any."""

    tiers: dict[str, int]
    oldest: int | None

    @property
    def memories(self) -> int:
        return sum(self.tiers.values())


async def standing(pool: Pool) -> Standing:
    query = (
        "SELECT tier, count(*), min(stored_at) "
        f"FROM memories NOT INDEXED WHERE id > ? AND id <= ? AND {_STANDING} GROUP BY tier"
    )
    tiers, stored_at = Counter[str](), []
    async for window in windows(pool):
        for tier, count, since in await pool.fetch(query, window):
            tiers[tier] += count
            stored_at.append(since)
    return Standing(dict(sorted(tiers.items())), min(stored_at, default=None))


class Said(Struct, frozen=True):
    """A session as its memories tell it, those included that something else stands for by now."""

    session_id: str
    memories: int
    first_at: int
    last_at: int
    speakers: tuple[str, ...]


async def sessions_said(pool: Pool, namespace: str) -> dict[str, Said]:
    rows = await pool.fetch(
        "SELECT session_id, count(*), min(created_at), max(created_at), json_group_array(DISTINCT speaker) "
        f"FROM memories WHERE namespace = ? AND session_id IS NOT NULL AND state IN ({_LIVE}) GROUP BY session_id",
        (namespace,),
    )
    return {row[0]: Said(row[0], row[1], row[2], row[3], _speakers(row[4])) for row in rows}


def _speakers(array: str) -> tuple[str, ...]:
    return tuple(sorted(name for name in msgspec.json.decode(array) if name is not None))
