"""What readers ask of the memories: by id, by filter, by word. Namespace and state are conditions of every query."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from reveried.domain.memory import SYSTEM_OF_KIND, Memory
from reveried.log.pool import Pool
from reveried.state.fulltext import WEIGHTS
from reveried.state.memories import COLUMNS, from_row

_QUALIFIED = ", ".join(f"m.{column}" for column in COLUMNS.split(", "))


class Filter(Struct, frozen=True, kw_only=True):
    namespace: str
    kinds: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    session_id: str | None = None
    since: int | None = None
    until: int | None = None
    replaced: bool = True


class Hit(Struct, frozen=True):
    memory: Memory
    strength: float


def _where(filter_: Filter) -> tuple[str, list[Any]]:
    of_systems = tuple(kind for kind, system in SYSTEM_OF_KIND.items() if system in filter_.systems)
    conditions, parameters = ["m.namespace = ?"], [filter_.namespace]
    narrowed: list[tuple[str, Sequence[Any]]] = [
        (_among("m.kind", filter_.kinds), filter_.kinds),
        (_among("m.kind", of_systems), of_systems),
        (_among("m.state", filter_.states), filter_.states),
        ("m.session_id = ?", _one(filter_.session_id)),
        ("m.created_at >= ?", _one(filter_.since)),
        ("m.created_at < ?", _one(filter_.until)),
    ]
    narrowed += [("m.id IN (SELECT memory_id FROM tags WHERE tag = ?)", (tag,)) for tag in filter_.tags]
    for condition, values in narrowed:
        if values:
            conditions.append(condition)
            parameters.extend(values)
    if not filter_.replaced:
        conditions.append("m.superseded_by IS NULL AND m.compressed_into IS NULL")
    return " AND ".join(conditions), parameters


def _among(column: str, values: Sequence[Any]) -> str:
    return f"{column} IN ({', '.join('?' * len(values))})"


def _one(value: Any) -> tuple[Any, ...]:
    return () if value is None else (value,)


async def by_id(pool: Pool, id_: int) -> Memory | None:
    rows = await pool.fetch(f"SELECT {COLUMNS} FROM memories WHERE id = ?", (id_,))
    return from_row(rows[0]) if rows else None


async def newest(pool: Pool, filter_: Filter, before: int | None, limit: int) -> list[Memory]:
    where, parameters = _where(filter_)
    rows = await pool.fetch(
        f"SELECT {_QUALIFIED} FROM memories m WHERE {where} AND m.id < ? ORDER BY m.id DESC LIMIT ?",
        (*parameters, (1 << 62) if before is None else before, limit),
    )
    return [from_row(row) for row in rows]


async def in_order(pool: Pool, filter_: Filter, after: tuple[int, int], limit: int) -> list[Memory]:
    """Oldest first by the time of the memories themselves; `after` is the (created_at, id) of the last one seen."""
    where, parameters = _where(filter_)
    rows = await pool.fetch(
        f"SELECT {_QUALIFIED} FROM memories m WHERE {where} AND (m.created_at, m.id) > (?, ?) "
        "ORDER BY m.created_at, m.id LIMIT ?",
        (*parameters, *after, limit),
    )
    return [from_row(row) for row in rows]


async def matching(pool: Pool, expression: str, filter_: Filter, limit: int) -> list[Hit]:
    """Keyword search; strength is BM25 turned positive."""
    return await _search(pool, "fulltext", f"bm25(fulltext, {WEIGHTS})", expression, filter_, limit)


async def matching_pairs(pool: Pool, expression: str, filter_: Filter, limit: int) -> list[Hit]:
    return await _search(pool, "fulltext_pairs", "bm25(fulltext_pairs)", expression, filter_, limit)


async def _search(pool: Pool, table: str, rank: str, expression: str, filter_: Filter, limit: int) -> list[Hit]:
    where, parameters = _where(filter_)
    rows = await pool.fetch(
        f"SELECT {_QUALIFIED}, -{rank} AS strength FROM {table} JOIN memories m ON m.id = {table}.rowid "
        f"WHERE {table} MATCH ? AND {where} ORDER BY strength DESC, m.id DESC LIMIT ?",
        (expression, *parameters, limit),
    )
    return [Hit(from_row(row[:-1]), row[-1]) for row in rows]


async def count_by_state(pool: Pool) -> dict[str, int]:
    return {row[0]: row[1] for row in await pool.fetch("SELECT state, count(*) FROM memories GROUP BY state")}
