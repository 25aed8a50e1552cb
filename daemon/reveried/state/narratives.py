"""The narratives of each namespace, one chain: every one names the one before it, also when that was erased."""

import sqlite3
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from reveried.domain.events import MemoryErased, NarrativeWritten, Recorded
from reveried.log.pool import Pool, Row
from reveried.state.projection import Change, Projection

_COLUMNS = "id, namespace, at, summary, topic, memories, previous, trust, erased"
_BEFORE = "SELECT max(id) FROM narratives WHERE namespace = ? AND id < ?"


class NarrativeRow(Struct, frozen=True):
    id: int
    namespace: str
    at: int
    summary: str
    topic: str
    memories: tuple[int, ...]
    previous: int | None
    trust: str
    erased: bool


class Narratives(Projection):
    name = "narratives"
    ddl = """
    CREATE TABLE narratives (
      id INTEGER PRIMARY KEY, namespace TEXT NOT NULL, at INTEGER NOT NULL, summary TEXT NOT NULL, topic TEXT NOT NULL,
      memories TEXT NOT NULL, previous INTEGER, trust TEXT NOT NULL, erased INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX narratives_chain ON narratives(namespace, id);
    """
    follows = frozenset((NarrativeWritten.type, MemoryErased.type))
    digest_queries = (f"SELECT {_COLUMNS} FROM narratives ORDER BY id",)

    def apply(
        self, db: sqlite3.Connection, events: Sequence[Recorded], changes: Sequence[Change], *, bulk: bool
    ) -> None:
        for recorded in events:
            if recorded.type == NarrativeWritten.type:
                _insert(db, recorded)
            elif isinstance(recorded.event, MemoryErased):
                db.execute(
                    "UPDATE narratives SET summary = '', topic = '', memories = '[]', trust = 'normal', erased = 1 "
                    "WHERE id = ?",
                    (recorded.subject,),
                )


def _insert(db: sqlite3.Connection, recorded: Recorded) -> None:
    """Of one whose words are gone the log still tells that it was there, and so which ones it stood between."""
    event = recorded.event
    words: Row = ("", "", "[]", "normal", 1)
    if isinstance(event, NarrativeWritten):
        words = (event.summary, event.topic, msgspec.json.encode(event.memories).decode(), event.trust, 0)
    summary, topic, memories, trust, erased = words
    (previous,) = db.execute(_BEFORE, (recorded.namespace, recorded.seq)).fetchone()
    db.execute(
        f"INSERT OR IGNORE INTO narratives ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (recorded.seq, recorded.namespace, recorded.at, summary, topic, memories, previous, trust, erased),
    )


def latest_now(db: sqlite3.Connection, pending: Sequence[Recorded], namespace: str) -> int | None:
    """The last one of the chain, also if its words are gone, and also if no table holds it yet."""
    for recorded in reversed(pending):
        if recorded.type == NarrativeWritten.type and recorded.namespace == namespace:
            return recorded.seq
    (latest,) = db.execute(_BEFORE, (namespace, 1 << 62)).fetchone()
    return None if latest is None else int(latest)


def narratives_now(db: sqlite3.Connection, pending: Sequence[Recorded], namespace: str) -> dict[int, tuple[int, ...]]:
    """Those with words, each with the memories it names, also what no table holds yet."""
    rows = db.execute("SELECT id, memories FROM narratives WHERE namespace = ? AND NOT erased", (namespace,))
    found: dict[int, tuple[int, ...]] = {id_: tuple(msgspec.json.decode(memories)) for id_, memories in rows}
    for recorded in pending:
        if isinstance(recorded.event, NarrativeWritten) and recorded.namespace == namespace:
            found[recorded.seq] = recorded.event.memories
        elif isinstance(recorded.event, MemoryErased):
            found.pop(recorded.subject or 0, None)
    return found


async def chain(pool: Pool, namespace: str, before: int | None, topic: str | None, limit: int) -> list[NarrativeRow]:
    """The newest first; with a topic only those on it, which are then no longer all links of the chain."""
    rows = await pool.fetch(
        f"SELECT {_COLUMNS} FROM narratives WHERE namespace = ? AND id < ? AND (? IS NULL OR topic = ?) "
        "ORDER BY id DESC LIMIT ?",
        (namespace, (1 << 62) if before is None else before, topic, topic, limit),
    )
    return [_row(row) for row in rows]


def _row(row: Row) -> NarrativeRow:
    id_, namespace, at, summary, topic, memories, previous, trust, erased = row
    return NarrativeRow(
        id_, namespace, at, summary, topic, tuple(msgspec.json.decode(memories)), previous, trust, bool(erased)
    )
