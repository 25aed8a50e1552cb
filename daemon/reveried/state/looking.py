"""Memories by what is to be done about them: changed of late, said in a session, tags long unseen, no summary yet."""

from typing import Any

import msgspec
from msgspec import Struct

from reveried.domain.memory import DOCUMENT_HASH, LIVE_STATES, Memory
from reveried.log.pool import Pool
from reveried.state.memories import COLUMNS, from_row

PAGE = 1_000
_LIVE = ", ".join(f"'{state}'" for state in LIVE_STATES)
_STANDING = (
    f"state IN ({_LIVE}) AND superseded_by IS NULL AND compressed_into IS NULL "
    f"AND content_hash NOT GLOB '{DOCUMENT_HASH}*'"
)


async def changed_since(pool: Pool, namespace: str, at: int) -> list[int]:
    """Whose words came or changed at that moment or later."""
    rows = await pool.fetch(
        f"SELECT id FROM memories WHERE namespace = ? AND {_STANDING} AND max(stored_at, updated_at) >= ?",
        (namespace, at),
    )
    return [row[0] for row in rows]


async def said_in_sessions(pool: Pool, namespace: str) -> list[Memory]:
    """Everything that stands and was said in a session."""
    found: list[Memory] = []
    after = 0
    while page := await _page(pool, "namespace = ? AND session_id IS NOT NULL AND id > ?", (namespace, after), "id"):
        found += page
        after = page[-1].id
    return found


async def said_in(pool: Pool, namespace: str, session_id: str) -> list[Memory]:
    where = "namespace = ? AND session_id = ?"
    return await _page(pool, where, (namespace, session_id), "created_at, id")


async def with_oldest_tags(pool: Pool, before: int, limit: int) -> list[Memory]:
    return await _page(pool, "tags_at < ?", (before,), "tags_at, id", limit)


# The tables know no sentences; whoever is shorter than this has no three of them.
SHORTEST_SUMMED_UP = 40


async def without_summary(pool: Pool, after: int, limit: int) -> list[Memory]:
    where = f"summary IS NULL AND length(content) > {SHORTEST_SUMMED_UP} AND id > ?"
    return await _page(pool, where, (after,), "id", limit)


async def _page(pool: Pool, where: str, parameters: tuple[Any, ...], order: str, limit: int = PAGE) -> list[Memory]:
    rows = await pool.fetch(
        f"SELECT {COLUMNS} FROM memories WHERE {_STANDING} AND {where} ORDER BY {order} LIMIT ?", (*parameters, limit)
    )
    return [from_row(row) for row in rows]


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
