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
from reveried.state.gist_reads import condition_on, newest
from reveried.state.kept_holders import KeptHolders, Term
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
    db: Reading,
    terms: Sequence[Sought],
    namespace: str | None,
    cap: int,
    within: Within = EVERYTHING,
    kept: KeptHolders | None = None,
) -> list[Sequence[int]]:
    """For each term the newest memories that hold it, newest first, at most `cap` from each index. The namespace may
    be left out where there is no other."""
    asked = [[(table, asks, cap) for table, asks in _expressions(sought, namespace)] for sought in terms]
    wanted = list(dict.fromkeys(term for some in asked for term in some))
    if kept is None or within is not EVERYTHING:
        lists: Sequence[Sequence[int]] = _searched(db, wanted, within)
    else:
        lists = kept.of(wanted, lambda some, above: _searched(db, some, _above(above)), lambda: newest(db))
    found = dict(zip(wanted, lists, strict=True))
    return [_united([found[term] for term in some]) for some in asked]


def _above(id_: int) -> Within:
    return Within("AND {table}.rowid > ?", (id_,)) if id_ else EVERYTHING


def _searched(db: Reading, terms: Sequence[Term], within: Within) -> list[list[int]]:
    searches: list[str] = []
    parameters: list[Any] = []
    for place, (table, asks, cap) in enumerate(terms):
        # One string for each term: a row for each memory would cost more than finding it.
        searches.append(
            f"SELECT {place}, json_group_array(id) FROM (SELECT {table}.rowid AS id FROM {table} "
            f"WHERE {table} MATCH ? {within.sql.format(table=table)} ORDER BY {table}.rowid DESC LIMIT ?)"
        )
        parameters += [asks, *within.values, cap]
    found: list[list[int]] = [[] for _ in terms]
    for place, ids in db.fetch(" UNION ALL ".join(searches), parameters) if searches else ():
        found[place] = _decode_ids(ids)
    return found


def holders_of_both(
    db: Reading, one: Sought, other: Sought, namespace: str | None, cap: int, kept: KeptHolders | None = None
) -> Sequence[int]:
    """Memories that hold two terms at once, newest first. The index steps from one list to the next common row."""
    both = Sought("", f"{one.spaced} AND {other.spaced}" if one.spaced and other.spaced else "")
    return holders(db, [both], namespace, cap, kept=kept)[0]


def _united(lists: Sequence[Sequence[int]]) -> Sequence[int]:
    some = [ids for ids in lists if ids]
    return sorted({id_ for ids in some for id_ in ids}, reverse=True) if len(some) > 1 else some[0] if some else []


def _expressions(sought: Sought, namespace: str | None) -> list[tuple[str, str]]:
    """What is asked of which index, held to one namespace if one is given."""
    held = "" if namespace is None else f'namespace:"{namespace_word(namespace)}" AND '
    asked = (("fulltext", _SPACED, sought.spaced), ("fulltext_pairs", "pairs", sought.paired))
    return [(table, f"{held}{columns}:({expression})") for table, columns, expression in asked if expression]
