"""Vectors of what was said, in a file of their own. It can be deleted: making it anew costs time, nothing else.

A row is one text of one memory under one model. The same text is embedded once: whoever needs it again finds the
vector here by the text's hash. A memory embedded together with the one before it names that one as `beside`: when that
one is erased, a vector made of its words goes too, and the memory is noted as `bereft` until it has a new one.
"""

import logging
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from msgspec import Struct

from reveried.config.schema import StoragePolicy
from reveried.errors import StateDamaged, StorageFull
from reveried.log import database
from reveried.state.soundness import is_sound, with_sum

_log = logging.getLogger(__name__)
VERSION = 4
PAGE = 4_096
Row = tuple[int, int, bytes]
DDL = f"""
PRAGMA auto_vacuum=INCREMENTAL;
CREATE TABLE vectors (
  model TEXT NOT NULL, memory INTEGER NOT NULL, part INTEGER NOT NULL, namespace TEXT NOT NULL, role INTEGER NOT NULL,
  beside INTEGER, text BLOB NOT NULL, vector BLOB NOT NULL, sum INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX vectors_memory ON vectors(model, memory, part);
CREATE INDEX vectors_text ON vectors(model, text);
CREATE INDEX vectors_beside ON vectors(beside) WHERE beside IS NOT NULL;
CREATE TABLE bereft (model TEXT NOT NULL, memory INTEGER NOT NULL, PRIMARY KEY (model, memory)) STRICT, WITHOUT ROWID;
CREATE TABLE progress (model TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT;
CREATE TABLE readers (reader TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT;
PRAGMA user_version={VERSION};
"""


class Embedded(Struct, frozen=True):
    """One vector and what it stands for; `vector` is little-endian float32 of length 1."""

    memory: int
    namespace: str
    role: int
    text: bytes
    vector: bytes
    beside: int | None = None


# Rows removed at a time: whoever erases something must not wait for the end of a million others.
CHUNK = 5_000


class VectorStore:
    """The only connection to the file. Calls come from several threads, one at a time."""

    def __init__(
        self, path: Path, policy: Callable[[], StoragePolicy] = StoragePolicy, *, suspected: bool = False
    ) -> None:
        """A file that is damaged, or not what it was, is begun anew; looking closely takes time in a large one."""
        if path.exists() and (_version(path) != VERSION or (suspected and not is_sound(path))):
            _log.error("%s was damaged; the vectors are made anew", path.name)
            database.remove(path)
        database.create(path, DDL)
        self._db = database.open_writer(path, "NORMAL")
        self.damaged = False
        self._policy = policy
        self._checkpoints = database.Checkpoints(self._db, path)
        self._lock = Lock()
        self._erased: set[int] = set()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except database.Unreadable as error:
                if database.error_name(error) == "SQLITE_FULL":
                    raise StorageFull(
                        "vectors.db: the disk is full", hint="free some space; it goes on by itself"
                    ) from error
                if database.is_passing(error):
                    raise
                self.damaged = True
                raise StateDamaged(f"vectors.db: {error}", hint="it is made anew at the next start") from error

    def progress(self, model: str) -> int:
        with self._alone():
            row = self._db.execute("SELECT seq FROM progress WHERE model = ?", (model,)).fetchone()
        return int(row[0]) if row else 0

    def read_up_to(self, reader: str) -> int:
        """How far somebody who reads the log behind the vectors has come; it outlives a change of the model."""
        with self._alone():
            row = self._db.execute("SELECT seq FROM readers WHERE reader = ?", (reader,)).fetchone()
        return int(row[0]) if row else 0

    def note_read(self, reader: str, seq: int) -> None:
        with self._alone():
            self._db.execute("INSERT OR REPLACE INTO readers VALUES (?, ?)", (reader, seq))
            self._keep_small()

    def known(self, model: str, texts: Iterable[bytes]) -> dict[bytes, bytes]:
        """The vectors of those texts that were embedded before."""
        found = {}
        with self._alone():
            for text in texts:
                row = self._db.execute(
                    "SELECT vector FROM vectors WHERE model = ? AND text = ? LIMIT 1", (model, text)
                ).fetchone()
                if row:
                    found[text] = row[0]
        return found

    def write(self, model: str, seq: int, changed: Sequence[int], rows: Sequence[Embedded]) -> list[Embedded]:
        """Replace what is known of the changed memories and note how far the log was read, as one."""
        with self._alone():
            # A memory may have been erased while its words were on their way to the embedder.
            kept = [row for row in rows if row.memory not in self._erased and row.beside not in self._erased]
            with database.transaction(self._db):
                self._replace(model, changed, kept)
                self._db.execute("INSERT OR REPLACE INTO progress VALUES (?, ?)", (model, seq))
            self._keep_small()
        return kept

    def _replace(self, model: str, changed: Sequence[int], kept: Sequence[Embedded]) -> None:
        keys = [(model, memory) for memory in changed]
        self._db.executemany("DELETE FROM vectors WHERE model = ? AND memory = ?", keys)
        self._db.executemany("DELETE FROM bereft WHERE model = ? AND memory = ?", keys)
        for gone in {*changed} - {row.memory for row in kept}:
            self._forget(gone)
        self._db.executemany("INSERT INTO vectors VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", _numbered(model, kept))

    def load(self, model: str, namespace: str) -> Iterator[Row]:
        """Memory, role and vector of everything in a namespace, in the order of the memories; page by page, for all
        at once would take as much room as the file."""
        after = 0
        while rows := self._page(model, namespace, after):
            last = rows[-1][0]
            if last <= after:  # the tree is damaged, and would lead round and round
                self.damaged = True
                raise StateDamaged("vectors.db is out of order", hint="it is made anew at the next start")
            if len(rows) == PAGE and rows[0][0] != last:  # the page may end amid a memory
                rows = [row for row in rows if row[0] != last]
            after = rows[-1][0]
            yield from rows

    def _page(self, model: str, namespace: str, after: int) -> list[Row]:
        with self._alone():
            return self._db.execute(
                "SELECT memory, role, vector FROM vectors WHERE model = ? AND namespace = ? AND memory > ? "
                f"ORDER BY memory, part LIMIT {PAGE}",
                (model, namespace, after),
            ).fetchall()

    def of(self, model: str, memories: Sequence[int]) -> list[Row]:
        """The same of single memories."""
        with self._alone():
            return self._db.execute(
                "SELECT memory, role, vector FROM vectors WHERE model = ? "
                "AND memory IN (SELECT value FROM json_each(?)) ORDER BY memory, part",
                (model, f"[{','.join(map(str, memories))}]"),
            ).fetchall()

    def count(self, model: str) -> int:
        """How many memories have a vector."""
        with self._alone():
            row = self._db.execute("SELECT count(DISTINCT memory) FROM vectors WHERE model = ?", (model,)).fetchone()
        return int(row[0])

    def count_by_model(self) -> dict[str, int]:
        with self._alone():
            rows = self._db.execute("SELECT model, count(DISTINCT memory) FROM vectors GROUP BY model").fetchall()
        return {model: int(count) for model, count in rows}

    def erase(self, memories: Sequence[int]) -> bool:
        """Forget memories under every model; False when a page of one may still be in the write-ahead log."""
        with self._alone():
            self._erased.update(memories)
            try:
                with database.transaction(self._db):
                    for memory in memories:
                        self._forget(memory)
            except sqlite3.OperationalError as error:
                if database.error_name(error) != "SQLITE_FULL":
                    raise
                return False  # the events are in the log: it is done when there is room again
            return database.checkpoint(self._db, "TRUNCATE")

    def _forget(self, memory: int) -> None:
        """Under every model, also what was made of its words for the memory that follows it."""
        for table in ("vectors", "bereft"):
            for (model,) in self._db.execute("SELECT model FROM progress").fetchall():
                self._db.execute(f"DELETE FROM {table} WHERE model = ? AND memory = ?", (model, memory))
        self._db.execute("INSERT OR IGNORE INTO bereft SELECT model, memory FROM vectors WHERE beside = ?", (memory,))
        self._db.execute("DELETE FROM vectors WHERE beside = ?", (memory,))

    def bereft(self, model: str) -> list[int]:
        """Memories whose predecessor was erased: they are to be embedded anew."""
        with self._alone():
            rows = self._db.execute("SELECT memory FROM bereft WHERE model = ? ORDER BY memory", (model,)).fetchall()
        return [int(row[0]) for row in rows]

    def drop_others(self, model: str) -> int:
        """Let go of every other model's vectors; returns how many rows that were."""
        with self._alone():
            others = self._db.execute("SELECT model FROM progress WHERE model <> ?", (model,)).fetchall()
        return sum(self._drop(other) for (other,) in others)

    def _drop(self, model: str) -> int:
        total = 0
        while count := self._drop_some(model):
            total += count
        with self._alone(), database.transaction(self._db):
            self._db.execute("DELETE FROM bereft WHERE model = ?", (model,))
            self._db.execute("DELETE FROM progress WHERE model = ?", (model,))
        return total

    def _drop_some(self, model: str) -> int:
        some = "SELECT rowid FROM vectors WHERE model = ? LIMIT ?"
        with self._alone():
            count = self._db.execute(f"DELETE FROM vectors WHERE rowid IN ({some})", (model, CHUNK)).rowcount
            # As a script: `execute` takes one step, and each step of this one frees one page.
            self._db.executescript("PRAGMA incremental_vacuum")
            self._keep_small()
        return int(count)

    def _keep_small(self) -> None:
        policy = self._policy()
        self._checkpoints.keep_small(policy.checkpoint_pages, policy.wal_limit_bytes)

    def close(self) -> None:
        with self._alone():
            database.checkpoint(self._db, "TRUNCATE")
            self._db.close()


def _numbered(model: str, rows: Sequence[Embedded]) -> list[tuple[object, ...]]:
    parts: dict[int, int] = {}
    numbered: list[tuple[object, ...]] = []
    for row in rows:
        part = parts[row.memory] = parts.get(row.memory, -1) + 1
        numbered.append(with_sum(model, row.memory, part, row.namespace, row.role, row.beside, row.text, row.vector))
    return numbered


def _version(path: Path) -> int:
    """The version of the file; 0 if it is no database any more."""
    db = sqlite3.connect(path)
    try:
        db.execute("SELECT count(*) FROM progress").fetchone()
        return int(db.execute("PRAGMA user_version").fetchone()[0])
    except database.Unreadable:
        return 0
    finally:
        db.close()
