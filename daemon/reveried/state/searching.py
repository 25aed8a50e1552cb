"""Who holds which of the query's terms, at a cost that does not grow with the memory.

Ranking every row that matches is what makes keyword search slow. Here a term gives at most `cap` rows, the newest
ones; a rare term, which is what finds a memory, gives all it has. Weighing them is arithmetic on a few records, done
elsewhere (`domain.recalling`).
"""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from reveried.domain.recalling.words import Sought
from reveried.log.pool import Reading
from reveried.state.fulltext import namespace_word
from reveried.state.gists import condition_on
from reveried.state.reads import Filter, as_array

_decode_ids = msgspec.json.Decoder(list[int]).decode
_SPACED = "{content title tags_manual tags_auto speaker dated}"


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
    condition, values = condition_on("{table}", filter_)
    return Within(f"AND {condition}", values)


def holders(
    db: Reading, terms: Sequence[Sought], namespace: str | None, cap: int, within: Within = EVERYTHING
) -> list[list[int]]:
    """For each term the newest memories that hold it, newest first, at most `cap` from each index. The namespace may
    be left out where there is no other."""
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
    for place, ids in db.fetch(" UNION ALL ".join(searches), parameters) if searches else ():
        found[place] = _united(found[place], _decode_ids(ids))
    return found


def holders_of_both(db: Reading, one: Sought, other: Sought, namespace: str | None, cap: int) -> list[int]:
    """Memories that hold two terms at once, newest first. The index steps from one list to the next common row."""
    both = Sought("", f"{one.spaced} AND {other.spaced}" if one.spaced and other.spaced else "")
    return holders(db, [both], namespace, cap)[0]


def _united(some: list[int], more: list[int]) -> list[int]:
    return sorted({*some, *more}, reverse=True) if some and more else some or more


def _expressions(sought: Sought, namespace: str | None) -> list[tuple[str, str]]:
    """What is asked of which index, held to one namespace if one is given."""
    held = "" if namespace is None else f'namespace:"{namespace_word(namespace)}" AND '
    asked = (("fulltext", _SPACED, sought.spaced), ("fulltext_pairs", "pairs", sought.paired))
    return [(table, f"{held}{columns}:({expression})") for table, columns, expression in asked if expression]
