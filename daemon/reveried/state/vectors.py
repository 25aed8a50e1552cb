"""Vectors of what was said, in a file of their own. It can be deleted: making it anew costs time, nothing else.

A row is one text of one memory under one model. The same text is embedded once: whoever needs it again finds the
vector here by the text's hash.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path
from threading import Lock

from msgspec import Struct

from reveried.log import database

VERSION = 1
DDL = f"""
PRAGMA auto_vacuum=INCREMENTAL;
CREATE TABLE vectors (
  model TEXT NOT NULL, memory INTEGER NOT NULL, part INTEGER NOT NULL, namespace TEXT NOT NULL, role INTEGER NOT NULL,
  text BLOB NOT NULL, vector BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX vectors_memory ON vectors(model, memory, part);
CREATE INDEX vectors_text ON vectors(model, text);
CREATE TABLE progress (model TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT;
PRAGMA user_version={VERSION};
"""


class Embedded(Struct, frozen=True):
    """One vector and what it stands for; `vector` is little-endian float32 of length 1."""

    memory: int
    namespace: str
    role: int
    text: bytes
    vector: bytes


class VectorStore:
    """The only connection to the file. Calls come from several threads, one at a time."""

    def __init__(self, path: Path) -> None:
        if path.exists() and _version(path) != VERSION:
            remove(path)
        database.create(path, DDL)
        self._db = database.open_writer(path, "NORMAL")
        self._checkpoints = database.Checkpoints(self._db, path)
        self._lock = Lock()
        self._erased: set[int] = set()

    def progress(self, model: str) -> int:
        with self._lock:
            row = self._db.execute("SELECT seq FROM progress WHERE model = ?", (model,)).fetchone()
        return int(row[0]) if row else 0

    def known(self, model: str, texts: Iterable[bytes]) -> dict[bytes, bytes]:
        """The vectors of those texts that were embedded before."""
        found = {}
        with self._lock:
            for text in texts:
                row = self._db.execute(
                    "SELECT vector FROM vectors WHERE model = ? AND text = ? LIMIT 1", (model, text)
                ).fetchone()
                if row:
                    found[text] = row[0]
        return found

    def write(self, model: str, seq: int, changed: Sequence[int], rows: Sequence[Embedded]) -> list[Embedded]:
        """Replace what is known of the changed memories and note how far the log was read, as one."""
        with self._lock, database.transaction(self._db):
            # A memory may have been erased while its words were on their way to the embedder.
            kept = [row for row in rows if row.memory not in self._erased]
            self._db.executemany(
                "DELETE FROM vectors WHERE model = ? AND memory = ?", [(model, memory) for memory in changed]
            )
            self._db.executemany("INSERT INTO vectors VALUES (?, ?, ?, ?, ?, ?, ?)", _numbered(model, kept))
            self._db.execute("INSERT OR REPLACE INTO progress VALUES (?, ?)", (model, seq))
        return kept

    def load(self, model: str, namespace: str) -> list[tuple[int, int, bytes]]:
        """Memory, role and vector of everything in a namespace, in the order of the memories."""
        with self._lock:
            return self._db.execute(
                "SELECT memory, role, vector FROM vectors WHERE model = ? AND namespace = ? ORDER BY memory, part",
                (model, namespace),
            ).fetchall()

    def count(self, model: str) -> int:
        """How many memories have a vector."""
        with self._lock:
            row = self._db.execute("SELECT count(DISTINCT memory) FROM vectors WHERE model = ?", (model,)).fetchone()
        return int(row[0])

    def erase(self, memories: Sequence[int]) -> bool:
        """Forget memories under every model; False when a page of one may still be in the write-ahead log."""
        with self._lock:
            self._erased.update(memories)
            self._db.executemany("DELETE FROM vectors WHERE memory = ?", [(memory,) for memory in memories])
            return database.checkpoint(self._db, "TRUNCATE")

    def drop_others(self, model: str) -> int:
        """Let go of every other model's vectors; returns how many rows that were."""
        with self._lock:
            with database.transaction(self._db):
                dropped = self._db.execute("DELETE FROM vectors WHERE model <> ?", (model,)).rowcount
                self._db.execute("DELETE FROM progress WHERE model <> ?", (model,))
            if dropped:
                self._db.execute("PRAGMA incremental_vacuum").fetchall()
        return int(dropped)

    def keep_small(self, pages: int, limit: int) -> None:
        with self._lock:
            self._checkpoints.keep_small(pages, limit)

    def close(self) -> None:
        with self._lock:
            database.checkpoint(self._db, "TRUNCATE")
            self._db.close()


def _numbered(model: str, rows: Sequence[Embedded]) -> list[tuple[object, ...]]:
    parts: dict[int, int] = {}
    numbered: list[tuple[object, ...]] = []
    for row in rows:
        part = parts[row.memory] = parts.get(row.memory, -1) + 1
        numbered.append((model, row.memory, part, row.namespace, row.role, row.text, row.vector))
    return numbered


def _version(path: Path) -> int:
    """The version of the file; 0 if it is no database any more."""
    db = sqlite3.connect(path)
    try:
        return int(db.execute("PRAGMA user_version").fetchone()[0])
    except sqlite3.DatabaseError:
        return 0
    finally:
        db.close()


def remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(f"{path.name}{suffix}").unlink(missing_ok=True)
