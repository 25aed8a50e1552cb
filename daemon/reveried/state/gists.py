"""What weighing a memory takes, counted when it was stored: a narrow row of its own, many of which share a page.

A question looks at hundreds of memories and returns a handful. Their records are wide, and their words would have to
be cut and stemmed anew each time; here both is done once.
"""

import sqlite3
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct

from reveried.domain.events import Recorded
from reveried.domain.memory import Memory
from reveried.domain.recalling.terms import terms_of
from reveried.log.pool import Reading
from reveried.state.projection import Change, Projection, put
from reveried.state.reads import Filter, Telling, as_array, where

_decode_ids = msgspec.json.Decoder(list[int]).decode
_decode_sessions = msgspec.json.Decoder(list[str | None]).decode
Sides = tuple[tuple[int, ...], tuple[int, ...]]
# Joined in this order: left to itself the planner may walk through the whole table instead.
_OF_IDS = "json_each(?) j CROSS JOIN gists m ON m.id = j.value"
_SUPERSEDED, _COMPRESSED = 1, 2
_OF_GISTS = Telling("m.document = 0", "m.replaced = 0", f"m.replaced <> {_SUPERSEDED}")
# The words come last: a row that spills over is read only as far as it is asked for.
_COLUMNS = "id, namespace, kind, session_id, speaker, state, created_at, document, replaced, length, traits, terms"
_TELLS_TIME, _ASKS = 1, 2
_BESIDE = "FROM gists p WHERE p.namespace = c.namespace AND p.session_id = c.session_id AND p.id"
_NEIGHBOURS = f"""SELECT c.id,
  (SELECT group_concat(id) FROM (SELECT p.id {_BESIDE} < c.id ORDER BY p.id DESC LIMIT 2)),
  (SELECT group_concat(id) FROM (SELECT p.id {_BESIDE} > c.id ORDER BY p.id LIMIT 2))
FROM json_each(?) j CROSS JOIN gists c ON c.id = j.value WHERE c.session_id IS NOT NULL"""


class Gists(Projection):
    name = "gists"
    ddl = """
    CREATE TABLE gists (
      id INTEGER PRIMARY KEY, namespace TEXT NOT NULL, kind TEXT NOT NULL, session_id TEXT, speaker TEXT,
      state TEXT NOT NULL, created_at INTEGER NOT NULL, document INTEGER NOT NULL, replaced INTEGER NOT NULL,
      length INTEGER NOT NULL, traits INTEGER NOT NULL, terms TEXT NOT NULL
    ) STRICT;
    """
    indexes = ("CREATE INDEX gists_session ON gists(namespace, session_id) WHERE session_id IS NOT NULL",)
    digest_queries = (f"SELECT {_COLUMNS} FROM gists ORDER BY id",)

    def apply(
        self, db: sqlite3.Connection, events: Sequence[Recorded], changes: Sequence[Change], *, bulk: bool
    ) -> None:
        gone = [(change.id,) for change in changes if change.after is None]
        come = [_row(change.after) for change in changes if change.after is not None and _is_news(change)]
        put(db, "DELETE FROM gists WHERE id = ?", gone)
        put(db, "REPLACE INTO gists VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", come)


def _is_news(change: Change) -> bool:
    return change.before is None or change.after is None or _looked_at(change.before) != _looked_at(change.after)


def _looked_at(memory: Memory) -> tuple[Any, ...]:
    of_words = (memory.content, memory.speaker, memory.tags_manual, memory.created_at)
    return (*of_words, memory.namespace, memory.kind, memory.session_id, memory.state, _replaced(memory))


def _replaced(memory: Memory) -> int:
    """By which of two ways another memory stands for it; to be superseded says more than to be compressed."""
    if memory.superseded_by is not None:
        return _SUPERSEDED
    return 0 if memory.compressed_into is None else _COMPRESSED


def _row(memory: Memory) -> tuple[Any, ...]:
    found = terms_of(memory)
    return (
        memory.id,
        memory.namespace,
        memory.kind,
        memory.session_id,
        memory.speaker,
        memory.state,
        memory.created_at,
        memory.is_document,
        _replaced(memory),
        found.length,
        _TELLS_TIME * found.tells_time + _ASKS * found.asks,
        found.text,
    )


class Gist(Struct, frozen=True):
    id: int
    namespace: str
    kind: str
    session_id: str | None
    speaker: str | None
    length: int
    traits: int
    terms: str

    @property
    def tells_time(self) -> bool:
        return bool(self.traits & _TELLS_TIME)

    @property
    def asks(self) -> bool:
        return bool(self.traits & _ASKS)


def gists(db: Reading, ids: Sequence[int], filter_: Filter) -> list[Gist]:
    """Those of the memories that pass the filter."""
    conditions, values = where(filter_, _OF_GISTS)
    columns = "m.id, m.namespace, m.kind, m.session_id, m.speaker, m.length, m.traits, m.terms"
    rows = db.fetch(f"SELECT {columns} FROM {_OF_IDS} WHERE {conditions}", (as_array(ids), *values))
    return [Gist(*row) for row in rows]


def passing(db: Reading, ids: Sequence[int], filter_: Filter) -> dict[int, str | None]:
    """Those that pass the filter, each with its session."""
    conditions, values = where(filter_, _OF_GISTS)
    # In the order of the table, where the next one is often on the same page; and as two texts: hundreds of rows would
    # cost more than finding them.
    columns, parameters = "json_group_array(m.id), json_group_array(m.session_id)", (as_array(sorted(ids)), *values)
    ((passed, sessions),) = db.fetch(f"SELECT {columns} FROM {_OF_IDS} WHERE {conditions}", parameters)
    return dict(zip(_decode_ids(passed), _decode_sessions(sessions), strict=True))


def condition_on(table: str, filter_: Filter) -> tuple[str, tuple[Any, ...]]:
    """That the memory of a table's row passes."""
    conditions, values = where(filter_, _OF_GISTS)
    return f"EXISTS (SELECT 1 FROM gists m WHERE m.id = {table}.rowid AND {conditions})", tuple(values)


def neighbours(db: Reading, ids: Sequence[int]) -> dict[int, Sides]:
    """For each memory of a session the two before it and the two after it, nearest first."""
    return {id_: (_ids(before), _ids(after)) for id_, before, after in db.fetch(_NEIGHBOURS, (as_array(ids),))}


def _ids(joined: str | None) -> tuple[int, ...]:
    return tuple(map(int, joined.split(","))) if joined else ()
