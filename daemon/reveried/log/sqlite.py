"""The event log in one SQLite file: append, read, erase. An append returns after its fsync, or not at all."""

import os
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from reveried.domain.events import (
    AboutMemory,
    DocumentReceived,
    Event,
    MemoryMerged,
    MemoryRecalled,
    MemoryStored,
    NarrativeWritten,
    Recorded,
)
from reveried.domain.recalling.words import unspaced_pairs
from reveried.errors import LogDamaged, StorageFailed, StorageFull
from reveried.log import database
from reveried.log.chain import GENESIS, link
from reveried.log.payload import SALT_BYTES, redact, redactable_text, seal, texts_in, unseal
from reveried.log.scouring import File, Texts, scour
from reveried.log.verify import verify_rows
from reveried.ports import ChainReport, NewEvent

DDL = """
CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  namespace TEXT NOT NULL,
  subject INTEGER,
  actor TEXT NOT NULL,
  key TEXT,
  payload BLOB,
  digest BLOB NOT NULL,
  chain BLOB NOT NULL,
  UNIQUE (namespace, key)
) STRICT;
CREATE INDEX events_subject ON events(subject) WHERE subject IS NOT NULL;
PRAGMA application_id=1383490121;
PRAGMA user_version=1;
"""
KEYS_A_QUERY = 256
COLUMNS = "seq, at, namespace, subject, actor, key, type, payload"

_TYPE, _PAYLOAD = 6, 7

Row = tuple[Any, ...]


def recorded(row: Row) -> Recorded:
    seq, at, namespace, subject, actor, key, type_, payload = row
    return Recorded(seq, at, namespace, subject, actor, key, type_, unseal(type_, payload))


def read_events(
    db: sqlite3.Connection,
    after: int,
    upto: int | None = None,
    limit: int | None = None,
    unread: Collection[str] = (),
) -> Iterator[Recorded]:
    """Of the types in `unread` only that they happened: their payload is not taken apart."""
    bounds = (after, (1 << 62) if upto is None else upto, -1 if limit is None else limit)
    try:
        for row in db.execute(f"SELECT {COLUMNS} FROM events WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?", bounds):
            if row[_TYPE] in unread:
                yield Recorded(*(*row[:_PAYLOAD], None))
            else:
                yield recorded(row)
    except database.Unreadable as error:
        raise LogDamaged(f"the log cannot be read: {error}", hint="restore it from a backup") from error


def seq_at(db: sqlite3.Connection, at: int) -> int:
    """The last event recorded at or before that moment. Time never decreases along the log."""
    low, high = 0, head_of(db)
    while low < high:
        middle = (low + high + 1) // 2
        (then,) = db.execute("SELECT at FROM events WHERE seq = ?", (middle,)).fetchone()
        low, high = (middle, high) if then <= at else (low, middle - 1)
    return low


def head_of(db: sqlite3.Connection) -> int:
    try:
        (head,) = db.execute("SELECT coalesce(max(seq), 0) FROM events").fetchone()
    except database.Unreadable as error:
        raise LogDamaged(f"the log cannot be read: {error}", hint="restore it from a backup") from error
    return int(head)


class SqliteLog:
    """Implements the `EventLog` port. All calls come from one thread at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            database.create(path, DDL)
            self._db = database.open_writer(path, "FULL")
            # A kill between an erasure's commit and its checkpoint leaves erased words in the write-ahead log.
            database.checkpoint(self._db, "TRUNCATE")
            self._durable = self._head, self._at, self._chain = self._tail()
            self._staged: list[Row] = []
            # Texts that may still be in the file, and those that `take_erased` has not told yet.
            self._unscoured: Texts = ()
            self._erased: set[str] = set()
            self._checkpoints = database.Checkpoints(self._db, path)
        except database.Unreadable as error:
            if not database.is_readable(path):
                raise StorageFailed(f"the disk does not give back {path}: {error}", hint="look at the disk") from error
            raise self._judged(error) from error

    @property
    def head(self) -> int:
        return self._head

    @property
    def chain(self) -> bytes:
        return self._chain

    def stage(self, new: NewEvent, now: int) -> Recorded:
        at = max(now, self._at)  # the clock may step back; the log's time may not
        seq = self._head + 1
        event = new.event
        subject = seq if isinstance(event, MemoryStored | DocumentReceived | NarrativeWritten) else new.subject
        sealed = seal(event, os.urandom(SALT_BYTES))
        chain = link(self._chain, seq, at, event.type, new.namespace, subject, new.actor, new.key, sealed.digest)
        self._staged.append(
            (seq, at, event.type, new.namespace, subject, new.actor, new.key, sealed.payload, sealed.digest, chain)
        )
        self._head, self._at, self._chain = seq, at, chain
        return Recorded(seq, at, new.namespace, subject, new.actor, new.key, event.type, event)

    def chain_at(self, seq: int) -> bytes:
        """The chain value of an event; that of the empty log for none."""
        row = self._db.execute("SELECT chain FROM events WHERE seq = ?", (seq,)).fetchone()
        return bytes(row[0]) if row else GENESIS

    def commit(self) -> None:
        if self._staged:
            self._transaction()

    def _transaction(self, updates: Iterable[tuple[bytes | None, int]] = ()) -> None:
        try:
            with database.transaction(self._db):
                self._db.executemany("UPDATE events SET payload = ? WHERE seq = ?", updates)
                self._db.executemany("INSERT INTO events VALUES (?,?,?,?,?,?,?,?,?,?)", self._staged)
        except database.Unreadable as error:
            raise self._failure(error) from error
        self._staged.clear()
        self._durable = (self._head, self._at, self._chain)

    def _failure(self, error: sqlite3.DatabaseError | UnicodeDecodeError) -> StorageFull | StorageFailed | LogDamaged:
        # A full disk is noticed before anything is durable, so it can be taken back. After any other error the
        # outcome is unknown, and an fsync must never be retried: the pages may be marked clean already.
        self.discard()
        if database.error_name(error) == "SQLITE_FULL":
            return StorageFull("the disk is full; nothing was stored", hint="free some space, then try again")
        return self._judged(error)

    def _judged(self, error: sqlite3.DatabaseError | UnicodeDecodeError) -> StorageFailed | LogDamaged:
        if database.is_passing(error):
            return StorageFailed(f"using {self.path} failed: {error} ({database.error_name(error)})")
        return LogDamaged(f"{self.path} cannot be read: {error}", hint="restore it from a backup")

    def discard(self) -> None:
        self._staged.clear()
        self._head, self._at, self._chain = self._durable

    def read(self, after: int, upto: int | None = None, limit: int | None = None) -> Iterator[Recorded]:
        return read_events(self._db, after, upto, limit)

    def by_key(self, namespace: str, key: str) -> Recorded | None:
        return self.by_keys(namespace, [key]).get(key)

    def by_keys(self, namespace: str, keys: Sequence[str]) -> dict[str, Recorded]:
        found: list[Row] = []
        for start in range(0, len(keys), KEYS_A_QUERY):
            some = keys[start : start + KEYS_A_QUERY]
            query = f"SELECT {COLUMNS} FROM events WHERE namespace = ? AND key IN ({', '.join('?' * len(some))})"
            try:
                found += self._db.execute(query, (namespace, *some))
            except database.Unreadable as error:
                raise self._judged(error) from error
        return {one.key: one for one in map(recorded, found) if one.key is not None}

    def of_type(self, type_: str) -> list[Recorded]:
        return [recorded(row) for row in self._db.execute(f"SELECT {COLUMNS} FROM events WHERE type = ?", (type_,))]

    def erase(self, subject: int, erasure: NewEvent, now: int) -> Recorded:
        (recorded,) = self.erase_all([replace(erasure, subject=subject)], now)
        self.scrub()
        return recorded

    def erase_all(self, erasures: Sequence[NewEvent], now: int) -> list[Recorded]:
        recorded = [self.stage(erasure, now) for erasure in erasures]
        subjects = {erasure.subject for erasure in erasures if erasure.subject is not None}
        about = [row for subject in subjects for row in self._about(subject)]
        changed = [*_emptied(about), *self._redacted(subjects, about), *self._withdrawn(subjects)]
        texts = self._texts_of(seq for _, seq in changed)
        self._transaction(changed)
        self._erased |= texts
        self._unscoured = None if self._unscoured is None else {*self._unscoured, *texts}
        return recorded

    def _texts_of(self, seqs: Iterable[int]) -> set[str]:
        payloads = (self._db.execute("SELECT payload FROM events WHERE seq = ?", (seq,)).fetchone()[0] for seq in seqs)
        return {text for payload in payloads for text in texts_in(payload)}

    def take_erased(self) -> set[str]:
        """Every text that was erased since this was last asked, for those who keep more of it than the log."""
        erased, self._erased = self._erased, set()
        return erased

    def _redacted(self, subjects: set[int], about: "list[_About]") -> Iterator[tuple[bytes | None, int]]:
        """Recalls that returned one of them, or asked with a word of one, keep their ids but lose their query."""
        words = {word for _, _, event in about for field in _WORDED for word in _words(getattr(event, field, "") or "")}
        namespaces = {namespace for _, namespace, _ in about}
        for seq, namespace, payload in self._db.execute(
            "SELECT seq, namespace, payload FROM events WHERE type = ?", (MemoryRecalled.type,)
        ).fetchall():
            query = redactable_text(MemoryRecalled.type, payload) if namespace in namespaces else None
            if query and (words & _words(query) or subjects.intersection(_ids(payload))):
                yield redact(MemoryRecalled.type, payload), seq

    def _withdrawn(self, subjects: set[int]) -> Iterator[tuple[bytes | None, int]]:
        """Where one was merged into another memory, the event keeps what became of that one, without the words."""
        for subject in subjects:
            for seq, payload in self._db.execute(
                "SELECT seq, payload FROM events WHERE subject = ? AND type = ?", (subject, MemoryMerged.type)
            ).fetchall():
                yield redact(MemoryMerged.type, payload), seq

    def _about(self, subject: int) -> "list[_About]":
        rows = self._db.execute(
            "SELECT seq, namespace, type, payload FROM events WHERE subject = ?", (subject,)
        ).fetchall()
        return [(seq, namespace, unseal(type_, payload)) for seq, namespace, type_, payload in rows]

    def verify(self) -> ChainReport:
        return verify_rows(self._db)

    def checkpoint_if_large(self, pages: int, truncate_over: int) -> None:
        self._checkpoints.keep_small(pages, truncate_over)

    def suspect(self) -> None:
        """Something was erased, nobody knows what, and it may not be gone from everywhere."""
        self._unscoured = None

    @property
    def file(self) -> File:
        return File(self.path, self._db, self._unscoured)

    def scrub(self) -> bool:
        """Leave nothing of what was erased in the file; False when a reader or a full disk was in the way."""
        try:
            done = scour(self.file)
        except sqlite3.DatabaseError as error:
            raise self._judged(error) from error
        if done:
            self._unscoured = ()
        return done

    def copy_to(self, path: Path) -> None:
        """A consistent copy of the whole log, made durable under its final name only when it is complete."""
        beside = path.with_name(f"{path.name}.partial")
        beside.unlink(missing_ok=True)
        try:
            self._db.execute("VACUUM INTO ?", (str(beside),))
            beside.chmod(0o600)
            database.sync(beside)
            beside.rename(path)
            database.sync(path.parent)
        except database.FileTrouble as error:
            beside.unlink(missing_ok=True)  # half a copy is worth nothing, and takes room
            if database.is_full(error):
                raise StorageFull("the disk is full; no copy was made", hint="free some space") from error
            raise StorageFailed(f"copying {self.path} failed: {error}", hint="look at the disk") from error

    def close(self) -> None:
        database.checkpoint(self._db, "TRUNCATE")
        self._db.close()

    def _tail(self) -> tuple[int, int, bytes]:
        row = self._db.execute("SELECT seq, at, chain FROM events ORDER BY seq DESC LIMIT 1").fetchone()
        return row if row else (0, 0, GENESIS)


_About = tuple[int, str, Event | None]
# The fields whose words a query may have repeated.
_WORDED = ("content", "title", "text", "opening", "summary", "topic")


def _emptied(about: list[_About]) -> Iterator[tuple[bytes | None, int]]:
    for seq, _, event in about:
        if isinstance(event, AboutMemory):
            yield None, seq


def _words(text: str) -> set[str]:
    """Words long enough to tell something; in scripts without spaces a pair of characters is one."""
    spaced = {word for word in "".join(c if c.isalnum() else " " for c in text.lower()).split() if len(word) > 3}
    return spaced if text.isascii() else spaced.union(unspaced_pairs(text).split())


def _ids(payload: bytes) -> Sequence[int]:
    event = unseal(MemoryRecalled.type, payload)
    return event.ids if isinstance(event, MemoryRecalled) else ()
