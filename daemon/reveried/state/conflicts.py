"""Which memories contradict each other, what was done about it, and what is still open."""

import sqlite3
from collections.abc import Sequence

from msgspec import Struct

from reveried.domain.events import ConflictDetected, ConflictResolved, MemoryErased, Recorded
from reveried.domain.memory import ASK, FLAGGED
from reveried.log.pool import Pool
from reveried.state.projection import Change, Projection

_COLUMNS = (
    "id, namespace, new, known, rule, confidence, similarity, mode, outcome, detected_at, open, resolved_at, "
    "resolution, winner"
)


class ConflictRow(Struct, frozen=True):
    id: int
    namespace: str
    new: int
    known: int
    rule: str
    confidence: float
    similarity: float | None
    mode: str
    outcome: str
    detected_at: int
    open: int
    resolved_at: int | None
    resolution: str | None
    winner: int | None


class Conflicts(Projection):
    name = "conflicts"
    ddl = """
    CREATE TABLE conflicts (
      id INTEGER PRIMARY KEY, namespace TEXT NOT NULL, new INTEGER NOT NULL, known INTEGER NOT NULL,
      rule TEXT NOT NULL, confidence REAL NOT NULL, similarity REAL, mode TEXT NOT NULL, outcome TEXT NOT NULL,
      detected_at INTEGER NOT NULL, open INTEGER NOT NULL, resolved_at INTEGER, resolution TEXT, winner INTEGER
    ) STRICT;
    CREATE INDEX conflicts_new ON conflicts(new);
    CREATE INDEX conflicts_known ON conflicts(known);
    """
    follows = frozenset((ConflictDetected.type, ConflictResolved.type, MemoryErased.type))
    digest_queries = (f"SELECT {_COLUMNS} FROM conflicts ORDER BY id",)

    def apply(
        self, db: sqlite3.Connection, events: Sequence[Recorded], changes: Sequence[Change], *, bulk: bool
    ) -> None:
        for recorded in events:
            match recorded.event:
                case ConflictDetected() as event:
                    _insert(db, recorded, event)
                case ConflictResolved(conflict=number, mode=mode, winner=winner):
                    db.execute(
                        "UPDATE conflicts SET open = ?, resolved_at = ?, resolution = ?, winner = ? WHERE id = ?",
                        (mode == ASK, recorded.at, mode, winner, number),
                    )
                case MemoryErased():
                    db.execute("DELETE FROM conflicts WHERE new = ?1 OR known = ?1", (recorded.subject,))


def _insert(db: sqlite3.Connection, recorded: Recorded, event: ConflictDetected) -> None:
    new = recorded.subject or 0
    winner = {"existing_kept": event.against, "new_used": new, "merged": event.against}.get(event.outcome)
    db.execute(
        f"INSERT OR REPLACE INTO conflicts ({_COLUMNS}) VALUES ({', '.join('?' * 14)})",
        (
            recorded.seq, recorded.namespace, new, event.against, event.rule, event.confidence, event.similarity,
            event.mode, event.outcome, recorded.at, event.outcome == FLAGGED, None, None, winner,
        ),
    )  # fmt: skip


async def conflict_page(
    pool: Pool, namespace: str, before: int | None, limit: int, *, every: bool
) -> list[ConflictRow]:
    """The newest first; the settled ones too with `every`."""
    rows = await pool.fetch(
        f"SELECT {_COLUMNS} FROM conflicts WHERE namespace = ? AND id < ? {'' if every else 'AND open'} "
        "ORDER BY id DESC LIMIT ?",
        (namespace, (1 << 62) if before is None else before, limit),
    )
    return [ConflictRow(*row) for row in rows]


async def count_open(pool: Pool) -> dict[str, int]:
    """By namespace, and only where there are any."""
    rows = await pool.fetch(
        "SELECT namespace, count(*) FROM conflicts WHERE open GROUP BY namespace ORDER BY namespace"
    )
    return dict(rows)


async def conflict_by_number(pool: Pool, namespace: str, number: int) -> ConflictRow | None:
    rows = await pool.fetch(f"SELECT {_COLUMNS} FROM conflicts WHERE namespace = ? AND id = ?", (namespace, number))
    return ConflictRow(*rows[0]) if rows else None
