"""Which events shaped a memory. The words themselves stay in the log; this only says where to look."""

import sqlite3
from collections.abc import Iterator, Sequence

from reveried.domain.events import (
    MemoryAccessed,
    MemoryErased,
    MemoryRecalled,
    MemoryReviewed,
    MemorySuperseded,
    Recorded,
)
from reveried.domain.evolving import concerns
from reveried.state.projection import Change, Projection

PAGE = "SELECT seq FROM history WHERE memory_id = ? AND seq > ? ORDER BY seq LIMIT ?"


class History(Projection):
    name = "history"
    ddl = """
    CREATE TABLE history (
      memory_id INTEGER NOT NULL, seq INTEGER NOT NULL, via INTEGER, PRIMARY KEY (memory_id, seq)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX history_via ON history(via) WHERE via IS NOT NULL;
    """
    digest_queries = ("SELECT memory_id, seq, via FROM history ORDER BY memory_id, seq",)

    def apply(
        self, db: sqlite3.Connection, events: Sequence[Recorded], changes: Sequence[Change], *, bulk: bool
    ) -> None:
        rows = [row for event in events for row in _rows(event)]
        db.executemany("INSERT OR IGNORE INTO history VALUES (?, ?, ?)", rows)
        # An emptied event no longer says whom it concerned besides its subject, so nobody else keeps it either.
        erased = [(one.subject,) for one in events if isinstance(one.event, MemoryErased)]
        db.executemany("DELETE FROM history WHERE via = ?", erased)


def _rows(recorded: Recorded) -> Iterator[tuple[int, int, int | None]]:
    # Reads are counted on the record; listing each of them here would outgrow the memories themselves. So would looks.
    if isinstance(recorded.event, MemoryRecalled | MemoryAccessed | MemoryReviewed):
        return
    # An erasure also reaches those that were tied to the memory; it is no part of their story.
    whom = (recorded.subject or 0,) if isinstance(recorded.event, MemoryErased) else concerns(recorded)
    for id_ in whom:
        yield id_, recorded.seq, None
    if isinstance(recorded.event, MemorySuperseded):
        yield recorded.event.by, recorded.seq, recorded.subject
