"""What readers ask of the memories: by id, by filter. Namespace and state are conditions of every query."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from reveried.domain.memory import DOCUMENT_HASH, SYSTEM_OF_KIND, Memory
from reveried.log.pool import Pool, Reading
from reveried.state.memories import COLUMNS, STATE, from_row

QUALIFIED = ", ".join(f"m.{column}" for column in COLUMNS.split(", "))
# Joined in this order: left to itself the planner walks through the whole namespace instead.
_OF_IDS = "json_each(?) j CROSS JOIN memories m ON m.id = j.value"


class Telling(Struct, frozen=True):
    """How a table `m` of memories tells documents, and what another memory stands for, from the rest."""

    no_document: str
    standing: str
    unsuperseded: str


OF_RECORDS = Telling(
    f"m.content_hash NOT GLOB '{DOCUMENT_HASH}*'",
    "m.superseded_by IS NULL AND m.compressed_into IS NULL",
    "m.superseded_by IS NULL",
)


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
    # Those that another memory tells, while what was superseded stays out.
    compressed: bool = False
    documents: bool = False

    @property
    def is_selective(self) -> bool:
        """Whether an index leads straight to the memories that pass."""
        return bool(self.tags) or self.session_id is not None or self.by_time

    @property
    def by_time(self) -> bool:
        return self.since is not None or self.until is not None


def where(filter_: Filter, telling: Telling = OF_RECORDS) -> tuple[str, list[Any]]:
    """Conditions on a table `m` of memories."""
    of_systems = tuple(kind for kind, system in SYSTEM_OF_KIND.items() if system in filter_.systems)
    # The plus keeps the planner from walking through the namespace where a tag or a session leads to few.
    leads = filter_.tags or filter_.session_id is not None
    conditions, parameters = ["+m.namespace = ?" if leads else "m.namespace = ?"], [filter_.namespace]
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
    if not filter_.documents:
        conditions.append(telling.no_document)
    if not filter_.replaced:
        conditions.append(telling.unsuperseded if filter_.compressed else telling.standing)
    return " AND ".join(conditions), parameters


class Extent(Struct, frozen=True):
    """How many memories a namespace has in a file, whatever their state, between which ids, and whether others are
    there beside it."""

    count: int
    lowest: int
    highest: int
    alone: bool


def extent(db: Reading, namespace: str) -> Extent:
    rows = db.fetch(
        "SELECT count(*), min(id), max(id), (SELECT min(namespace) FROM memories) = (SELECT max(namespace) FROM "
        "memories) FROM memories WHERE namespace = ?",
        (namespace,),
    )
    count, lowest, highest, alone = rows[0]
    # The one namespace of a file may well be another one than that which asks.
    return Extent(count, lowest or 0, highest or 0, bool(alone and count))


def of_ids(db: Reading, ids: Sequence[int], filter_: Filter) -> list[Memory]:
    """Those of the memories that pass the filter."""
    conditions, values = where(filter_)
    rows = db.fetch(f"SELECT {QUALIFIED} FROM {_OF_IDS} WHERE {conditions}", (as_array(ids), *values))
    return [from_row(row) for row in rows]


def all_passing(db: Reading, filter_: Filter, limit: int) -> dict[int, str | None] | None:
    """Everything that passes the filter, each with its session; None if that is more than the limit."""
    conditions, values = where(filter_)
    rows = db.fetch(f"SELECT m.id, m.session_id FROM memories m WHERE {conditions} LIMIT ?", (*values, limit + 1))
    return None if len(rows) > limit else dict(rows)


def _among(column: str, values: Sequence[Any]) -> str:
    return f"{column} IN ({', '.join('?' * len(values))})"


def _one(value: Any) -> tuple[Any, ...]:
    return () if value is None else (value,)


async def by_id(pool: Pool, id_: int) -> Memory | None:
    rows = await pool.fetch(f"SELECT {COLUMNS} FROM memories WHERE id = ?", (id_,))
    return from_row(rows[0]) if rows else None


async def by_ids(pool: Pool, ids: Sequence[int]) -> list[Memory]:
    rows = await pool.fetch(
        f"SELECT {COLUMNS} FROM memories WHERE id IN (SELECT value FROM json_each(?))", (as_array(ids),)
    )
    return [from_row(row) for row in rows]


def as_array(ids: Sequence[int]) -> str:
    """Any number of ids as one parameter."""
    return f"[{','.join(map(str, ids))}]"


async def newest(pool: Pool, filter_: Filter, before: int | None, limit: int) -> list[Memory]:
    upto = (1 << 62) if before is None else before
    return await _by_number(pool, filter_, "{id} < ? ORDER BY {id} DESC", upto, limit)


async def oldest(pool: Pool, filter_: Filter, after: int, limit: int) -> list[Memory]:
    return await _by_number(pool, filter_, "{id} > ? ORDER BY {id}", after, limit)


async def _by_number(pool: Pool, filter_: Filter, order: str, bound: int, limit: int) -> list[Memory]:
    """Page by page without a look at the others; where a time is asked for, that leads to fewer than numbers do."""
    conditions, parameters = where(filter_)
    ordered = order.format(id="+m.id" if filter_.by_time else "m.id")
    query = f"SELECT {QUALIFIED} FROM memories m WHERE {conditions} AND {ordered} LIMIT ?"
    return [from_row(row) for row in await pool.fetch(query, (*parameters, bound, limit))]


async def in_order(pool: Pool, filter_: Filter, after: tuple[int, int], limit: int) -> list[Memory]:
    """Oldest first by the time of the memories themselves; `after` is the (created_at, id) of the last one seen."""
    conditions, parameters = where(filter_)
    rows = await pool.fetch(
        f"SELECT {QUALIFIED} FROM memories m WHERE {conditions} AND (m.created_at, m.id) > (?, ?) "
        "ORDER BY m.created_at, m.id LIMIT ?",
        (*parameters, *after, limit),
    )
    return [from_row(row) for row in rows]


async def count_by_state(pool: Pool) -> dict[str, int]:
    query = f"SELECT {STATE}, count(*) FROM memories GROUP BY {STATE}"
    return {row[0]: row[1] for row in await pool.fetch(query)}


async def count_embeddable(pool: Pool) -> int:
    """A document is found by its chunks; everything else is to have a vector, whatever its state."""
    documents = f"SELECT count(*) FROM memories WHERE content_hash GLOB '{DOCUMENT_HASH}*'"
    ((count,),) = await pool.fetch(f"SELECT (SELECT count(*) FROM memories) - ({documents})")
    return int(count)


async def count_by_namespace(pool: Pool) -> dict[str, int]:
    return {row[0]: row[1] for row in await pool.fetch("SELECT namespace, count(*) FROM memories GROUP BY namespace")}
