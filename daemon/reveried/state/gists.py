"""What weighing a memory takes, counted when it was stored: a narrow row of its own, many of which share a page.

A question looks at hundreds of memories and returns a handful. Their records are wide, and their words would have to
be cut and stemmed anew each time; here both is done once. How they are read is in `gist_reads`.
"""

import sqlite3
from collections.abc import Sequence
from typing import Any

from reveried.domain.events import Recorded
from reveried.domain.memory import Memory
from reveried.domain.recalling.terms import terms_of
from reveried.state.projection import Change, Projection, put

SUPERSEDED, _COMPRESSED = 1, 2
# The words come last: a row that spills over is read only as far as it is asked for.
_COLUMNS = "id, namespace, kind, session_id, speaker, state, created_at, document, replaced, length, traits, terms"
TELLS_TIME, ASKS = 1, 2


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
        come = [_row(change.after) for change in changes if change.after is not None and is_news(change)]
        put(db, "DELETE FROM gists WHERE id = ?", gone)
        put(db, "REPLACE INTO gists VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", come)


def is_news(change: Change) -> bool:
    return change.before is None or change.after is None or _looked_at(change.before) != _looked_at(change.after)


def _looked_at(memory: Memory) -> tuple[Any, ...]:
    of_words = (memory.content, memory.speaker, memory.tags_manual, memory.created_at)
    return (*of_words, memory.namespace, memory.kind, memory.session_id, memory.state, _replaced(memory))


def _replaced(memory: Memory) -> int:
    """By which of two ways another memory stands for it; to be superseded says more than to be compressed."""
    if memory.superseded_by is not None:
        return SUPERSEDED
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
        TELLS_TIME * found.tells_time + ASKS * found.asks,
        found.text,
    )
