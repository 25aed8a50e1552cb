"""Who holds which of the query's terms, at a cost that does not grow with the memory.

Ranking every row that matches is what makes keyword search slow. Here a term gives at most `cap` rows, the newest
ones; a rare term, which is what finds a memory, gives all it has. Weighing them is arithmetic on a few records, done
elsewhere (`domain.recalling`).
"""

import re
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from reveried.domain.recalling.words import Sought
from reveried.log.pool import Pool
from reveried.state.reads import Filter, as_array, where

_TOKENS = re.compile(r"[^\W_]+")
_decode_ids = msgspec.json.Decoder(list[int]).decode
_SPACED = "{content title tags_manual tags_auto speaker dated}"
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


class Within(Struct, frozen=True):
    """A condition on the rows of an index, and its values: what a search is held to before the cap, not after it."""

    sql: str = ""
    values: tuple[Any, ...] = ()


EVERYTHING = Within()


def within_ids(ids: Sequence[int]) -> Within:
    """The range lets the index skip; the plus keeps it from searching anew for each id."""
    condition = "AND {table}.rowid BETWEEN ? AND ? AND +{table}.rowid IN (SELECT value FROM json_each(?))"
    return Within(condition, (min(ids), max(ids), as_array(ids))) if ids else Within("AND false")


def within_filter(filter_: Filter) -> Within:
    conditions, values = where(filter_)
    return Within(f"AND EXISTS (SELECT 1 FROM memories m WHERE m.id = {{table}}.rowid AND {conditions})", tuple(values))


async def holders(
    pool: Pool, terms: Sequence[Sought], namespace: str | None, cap: int, within: Within = EVERYTHING
) -> list[list[int]]:
    """For each term the newest memories that hold it, newest first, at most `cap` from each index. The namespace may
    be left out where there is no other; what is found may belong to a namespace of a similar name."""
    searches: list[str] = []
    parameters: list[Any] = []
    for place, sought in enumerate(terms):
        for table, expression in _expressions(sought, namespace):
            # One string for each term: a row for each memory would cost more than finding it.
            searches.append(
                f"SELECT {place}, json_group_array(id) FROM (SELECT {table}.rowid AS id FROM {table} "
                f"WHERE {table} MATCH ? {within.sql.format(table=table)} ORDER BY {table}.rowid DESC LIMIT ?)"
            )
            parameters += [expression, *within.values, cap]
    found: list[list[int]] = [[] for _ in terms]
    for place, ids in await pool.fetch(" UNION ALL ".join(searches), parameters) if searches else ():
        found[place] = _united(found[place], _decode_ids(ids))
    return found


async def holders_of_both(pool: Pool, one: Sought, other: Sought, namespace: str | None, cap: int) -> list[int]:
    """Memories that hold two terms at once, newest first. The index steps from one list to the next common row."""
    both = Sought("", f"{one.spaced} AND {other.spaced}" if one.spaced and other.spaced else "")
    return (await holders(pool, [both], namespace, cap))[0]


def _united(some: list[int], more: list[int]) -> list[int]:
    return sorted({*some, *more}, reverse=True) if some and more else some or more


def _expressions(sought: Sought, namespace: str | None) -> list[tuple[str, str]]:
    """What is asked of which index, held to one namespace as far as its name has words; the filter settles the rest."""
    words = " ".join(_TOKENS.findall(namespace or ""))
    held = f'namespace:"{words}" AND ' if words else ""
    asked = (("fulltext", _SPACED, sought.spaced), ("fulltext_pairs", "pairs", sought.paired))
    return [(table, f"{held}{columns}:({expression})") for table, columns, expression in asked if expression]


async def neighbours(pool: Pool, ids: Sequence[int]) -> dict[int, tuple[tuple[int, ...], tuple[int, ...]]]:
    """For each memory of a session the two before it and the two after it, nearest first."""
    found = {}
    for id_, before, before_that, after, after_that in await pool.fetch(_NEIGHBOURS, (as_array(ids),)):
        found[id_] = (_known(before, before_that), _known(after, after_that))
    return found


def _known(*ids: int | None) -> tuple[int, ...]:
    return tuple(id_ for id_ in ids if id_ is not None)
