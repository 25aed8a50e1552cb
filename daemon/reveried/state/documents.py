"""Which texts were received, and what became of their chunks. One without an end is still being cut up."""

import sqlite3
from collections.abc import Sequence

import msgspec
from msgspec import Struct

from reveried.domain.events import DocumentChunked, DocumentReceived, MemoryErased, Recorded
from reveried.domain.memory import DOCUMENT_HASH
from reveried.log.pool import Pool, Row
from reveried.state.projection import Change, Projection

_COLUMNS = "id, namespace, done, chunks, stored, duplicates, discarded, notes"


class DocumentRow(Struct, frozen=True):
    id: int
    namespace: str
    done: bool
    chunks: int
    stored: int
    duplicates: int
    discarded: int
    notes: tuple[str, ...]


class Documents(Projection):
    name = "documents"
    ddl = """
    CREATE TABLE documents (
      id INTEGER PRIMARY KEY, namespace TEXT NOT NULL, done INTEGER NOT NULL, chunks INTEGER NOT NULL,
      stored INTEGER NOT NULL, duplicates INTEGER NOT NULL, discarded INTEGER NOT NULL, notes TEXT NOT NULL
    ) STRICT;
    CREATE INDEX documents_unfinished ON documents(id) WHERE done = 0;
    """
    follows = frozenset((DocumentReceived.type, DocumentChunked.type, MemoryErased.type))
    digest_queries = (f"SELECT {_COLUMNS} FROM documents ORDER BY id",)

    def apply(
        self, db: sqlite3.Connection, events: Sequence[Recorded], changes: Sequence[Change], *, bulk: bool
    ) -> None:
        for recorded in events:
            match recorded.event:
                case DocumentReceived():
                    db.execute(
                        "INSERT OR IGNORE INTO documents VALUES (?, ?, 0, 0, 0, 0, 0, '[]')",
                        (recorded.seq, recorded.namespace),
                    )
                case DocumentChunked() as chunked:
                    db.execute(
                        "UPDATE documents SET done = 1, chunks = ?, stored = ?, duplicates = ?, discarded = ?, "
                        "notes = ? WHERE id = ?",
                        (*_counts(chunked), msgspec.json.encode(chunked.notes).decode(), recorded.subject),
                    )
                case MemoryErased():
                    db.execute("DELETE FROM documents WHERE id = ?", (recorded.subject,))


def _counts(chunked: DocumentChunked) -> tuple[int, int, int, int]:
    return chunked.chunks, chunked.stored, chunked.duplicates, chunked.discarded


async def document(pool: Pool, id_: int) -> DocumentRow | None:
    rows = await pool.fetch(f"SELECT {_COLUMNS} FROM documents WHERE id = ?", (id_,))
    return _row(rows[0]) if rows else None


async def arrived_document(pool: Pool, id_: int) -> DocumentRow | None:
    """One that was imported: it was cut up elsewhere, and its chunks came as memories of their own."""
    rows = await pool.fetch(
        "SELECT namespace, (SELECT count(*) FROM memories WHERE parent_id = m.id) FROM memories m "
        f"WHERE id = ? AND content_hash GLOB '{DOCUMENT_HASH}*'",
        (id_,),
    )
    return DocumentRow(id_, rows[0][0], True, rows[0][1], rows[0][1], 0, 0, ()) if rows else None


async def unfinished(pool: Pool) -> list[tuple[int, str]]:
    """Id and namespace of every document that still has chunks to come, the oldest first."""
    return [(row[0], row[1]) for row in await pool.fetch("SELECT id, namespace FROM documents WHERE done = 0")]


def _row(row: Row) -> DocumentRow:
    id_, namespace, done, chunks, stored, duplicates, discarded, notes = row
    return DocumentRow(
        id_, namespace, bool(done), chunks, stored, duplicates, discarded, tuple(msgspec.json.decode(notes))
    )
