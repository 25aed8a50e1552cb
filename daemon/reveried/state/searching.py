"""Who holds which of the query's terms, at a cost that does not grow with the memory.

Ranking every row that matches is what makes keyword search slow. Here a term gives at most `cap` rows, the newest
ones; a rare term, which is what finds a memory, gives all it has. Weighing them is arithmetic on a few records, done
elsewhere (`domain.recalling`).
"""

import re
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from reveried.domain.memory import Memory
from reveried.domain.recalling.words import Sought
from reveried.log.pool import Pool
from reveried.state.memories import from_row
from reveried.state.reads import QUALIFIED, Filter, as_array, where

_TOKENS = re.compile(r"[^\W_]+")
_NEIGHBOURS = """SELECT c.id,
  (SELECT p.id FROM memories p WHERE p.session_id = c.session_id AND p.namespace = c.namespace AND p.id < c.id
   ORDER BY p.id DESC LIMIT 1),
  (SELECT p.id FROM memories p WHERE p.session_id = c.session_id AND p.namespace = c.namespace AND p.id < c.id
   ORDER BY p.id DESC LIMIT 1 OFFSET 1),
  (SELECT p.id FROM memories p WHERE p.session_id = c.session_id AND p.namespace = c.namespace AND p.id > c.id
   ORDER BY p.id LIMIT 1),
  (SELECT p.id FROM memories p WHERE p.session_id = c.session_id AND p.namespace = c.namespace AND p.id > c.id
   ORDER BY p.id LIMIT 1 OFFSET 1)
FROM memories c WHERE c.id IN (SELECT value FROM json_each(?)) AND c.session_id IS NOT NULL"""


class Held(Struct, frozen=True):
    """A term that a memory holds; `term` is its place in the query."""

    term: int
    id: int
    session: str | None


async def holding(
    pool: Pool, terms: Sequence[Sought], filter_: Filter, cap: int, *, within: bool = False
) -> list[Held]:
    """For each term its newest `cap` memories. With `within`, the filter is applied before the cap and not after it:
    slower, but a narrow filter then misses nothing."""
    searches, parameters = _searches(terms, filter_, cap, within)
    if not searches:
        return []
    conditions, values = where(filter_)
    sql = f"SELECT u.term, m.id, m.session_id FROM ({' UNION ALL '.join(searches)}) u JOIN memories m ON m.id = u.id"
    rows = await pool.fetch(f"{sql} WHERE {conditions}", (*parameters, *values))
    return [Held(*row) for row in rows]


def _searches(terms: Sequence[Sought], filter_: Filter, cap: int, within: bool) -> tuple[list[str], list[Any]]:
    conditions, values = where(filter_)
    joined = "JOIN memories m ON m.id = {table}.rowid" if within else ""
    narrowed = f"AND {conditions}" if within else ""
    searches: list[str] = []
    parameters: list[Any] = []
    for place, sought in enumerate(terms):
        for table, expression in (
            ("fulltext", _in(filter_.namespace, sought.spaced)),
            ("fulltext_pairs", sought.paired),
        ):
            if expression:
                searches.append(
                    f"SELECT * FROM (SELECT {place} AS term, {table}.rowid AS id FROM {table} "
                    f"{joined.format(table=table)} WHERE {table} MATCH ? {narrowed} "
                    f"ORDER BY {table}.rowid DESC LIMIT ?)"
                )
                parameters += [expression, *(values if within else ()), cap]
    return searches, parameters


def _in(namespace: str, expression: str) -> str:
    """The expression, held to one namespace as far as its name has words; the filter settles the rest."""
    words = " ".join(_TOKENS.findall(namespace))
    return (
        f'namespace:"{words}" AND {{content title tags_manual tags_auto speaker dated}}:{expression}'
        if expression and words
        else expression
    )


async def of_ids(pool: Pool, ids: Sequence[int], filter_: Filter) -> list[Memory]:
    """Those of the memories that pass the filter."""
    conditions, values = where(filter_)
    rows = await pool.fetch(
        f"SELECT {QUALIFIED} FROM memories m WHERE m.id IN (SELECT value FROM json_each(?)) AND {conditions}",
        (as_array(ids), *values),
    )
    return [from_row(row) for row in rows]


async def neighbours(pool: Pool, ids: Sequence[int]) -> dict[int, tuple[tuple[int, ...], tuple[int, ...]]]:
    """For each memory of a session the two before it and the two after it, nearest first."""
    found = {}
    for id_, before, before_that, after, after_that in await pool.fetch(_NEIGHBOURS, (as_array(ids),)):
        found[id_] = (_known(before, before_that), _known(after, after_that))
    return found


def _known(*ids: int | None) -> tuple[int, ...]:
    return tuple(id_ for id_ in ids if id_ is not None)


async def how_many(pool: Pool, namespace: str) -> int:
    rows = await pool.fetch("SELECT count(*) FROM memories WHERE namespace = ?", (namespace,))
    return int(rows[0][0])
