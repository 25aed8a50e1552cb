"""Which events shaped a memory. The words themselves stay in the log; this only says where to look."""

import sqlite3
from collections.abc import Sequence

from reveried.domain.events import (
    EVENTS,
    MemoryAccessed,
    MemoryErased,
    MemoryLinked,
    MemoryRecalled,
    MemoryReviewed,
    MemorySuperseded,
    MemoryUnlinked,
    Recorded,
)
from reveried.domain.evolving import concerns
from reveried.state.projection import Change, Projection, put

PAGE = "SELECT seq FROM history WHERE memory_id = ? AND seq > ? ORDER BY seq LIMIT ?"


class History(Projection):
    name = "history"
    ddl = """
    CREATE TABLE history (
      memory_id INTEGER NOT NULL, seq INTEGER NOT NULL, via INTEGER, PRIMARY KEY (memory_id, seq)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX history_via ON history(via) WHERE via IS NOT NULL;
    """
    # Reads are counted on the record; listing each of them here would outgrow the memories themselves. So would looks.
    follows = frozenset(EVENTS) - {event.type for event in (MemoryRecalled, MemoryAccessed, MemoryReviewed)}
    digest_queries = ("SELECT memory_id, seq, via FROM history ORDER BY memory_id, seq",)

    def apply(
        self, db: sqlite3.Connection, events: Sequence[Recorded], changes: Sequence[Change], *, bulk: bool
    ) -> None:
        rows = [(id_, event.seq) for event in events for id_ in _whom(event)]
        put(db, "INSERT OR IGNORE INTO history (memory_id, seq) VALUES (?, ?)", rows)
        replacing = [(one.event.by, one.seq, one.subject) for one in events if isinstance(one.event, MemorySuperseded)]
        put(db, "INSERT OR IGNORE INTO history VALUES (?, ?, ?)", replacing)
        # An emptied event no longer says whom it concerned besides its subject, so nobody else keeps it either.
        erased = [(one.subject,) for one in events if isinstance(one.event, MemoryErased)]
        put(db, "DELETE FROM history WHERE via = ?", erased)


def _whom(recorded: Recorded) -> tuple[int, ...]:
    # An erasure also reaches those that were tied to the memory; it is no part of their story.
    whom = (recorded.subject or 0,) if isinstance(recorded.event, MemoryErased) else concerns(recorded)
    return (*whom, *_linked(recorded))


def _linked(recorded: Recorded) -> set[int]:
    """Both ends of each link: it is a part of the story of both."""
    match recorded.event:
        case MemoryLinked(links=links):
            return {recorded.subject or 0, *(link.to for link in links)}
        case MemoryUnlinked(links=gone):
            return {end for a, b, _ in gone for end in (a, b)}
    return set()
