"""Opening SQLite files the way every file of ours is opened: one writer, no surprises, nothing left in freed pages."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from errno import ENOSPC
from pathlib import Path
from urllib.parse import quote

# Freed pages are zeroed, the schema is not trusted with functions, and only we decide when to checkpoint: SQLite
# before 3.51.3 can lose commits when two connections checkpoint at the same moment.
PAGE_SIZE = 4096
BUSY_TIMEOUT = 5_000
READ_AT_ONCE = 1 << 20
VERSION = sqlite3.sqlite_version
# What the disk, or another process, stands in the way of: the file itself may be perfectly sound.
_BLAMELESS = (
    "SQLITE_IOERR", "SQLITE_FULL", "SQLITE_CANTOPEN", "SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_READONLY",
    "SQLITE_CONSTRAINT",
)  # fmt: skip
_COMMON = """
PRAGMA secure_delete=ON;
PRAGMA trusted_schema=OFF;
PRAGMA cell_size_check=ON;
PRAGMA temp_store=MEMORY;
PRAGMA mmap_size=0;
PRAGMA wal_autocheckpoint=0;
"""


def has_fts5() -> bool:
    db = sqlite3.connect(":memory:")
    try:
        return ("ENABLE_FTS5",) in db.execute("PRAGMA compile_options").fetchall()
    finally:
        db.close()


def create(path: Path, ddl: str) -> None:
    """Make the file, private from its first moment and durable as a directory entry; do nothing if it is there."""
    if path.exists():
        return
    beside = path.with_name(f"{path.name}.creating")
    beside.unlink(missing_ok=True)
    os.close(os.open(beside, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    db = sqlite3.connect(beside, isolation_level=None)
    try:
        # A file that is not whole is never given its name, so it needs neither a journal nor a sync for each table.
        db.executescript(f"PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN; {ddl} COMMIT;")
    finally:
        db.close()
    sync(beside)
    beside.rename(path)
    sync(path.parent)


def open_writer(path: Path, synchronous: str) -> sqlite3.Connection:
    """The only read-write connection of a file. It may move between threads, but only one uses it at a time."""
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    db.executescript(f"PRAGMA journal_mode=WAL; PRAGMA synchronous={synchronous}; {_COMMON}")
    return db


def open_reader(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(read_only_uri(path), uri=True, isolation_level=None, check_same_thread=False)


def read_only_uri(path: Path) -> str:
    return f"file:{quote(str(path))}?mode=ro"


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """All of it or none. What went wrong is for the caller to judge."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:  # SQLite has rolled back by itself after some errors
            db.execute("ROLLBACK")
        raise


def checkpoint(db: sqlite3.Connection, mode: str) -> bool:
    """Move the write-ahead log into the file; False when a reader was in the way too long, or the disk is full."""
    try:
        busy, _, _ = db.execute(f"PRAGMA wal_checkpoint({mode})").fetchone()
    except sqlite3.OperationalError as error:
        if error_name(error) != "SQLITE_FULL":
            raise
        return False
    return bool(busy == 0)


class Checkpoints:
    """Keeps one file's write-ahead log small without ever waiting for a reader, unless it has grown out of bounds."""

    def __init__(self, db: sqlite3.Connection, path: Path) -> None:
        self._db = db
        self._path = path
        self._tried_at = 0

    def keep_small(self, pages: int, limit: int) -> None:
        waiting = wal_size(self._path)
        if waiting > limit:
            checkpoint(self._db, "TRUNCATE")
            self._tried_at = 0
        elif waiting > self._tried_at + pages * PAGE_SIZE:
            # With a reader in the way the file keeps its size; the next try comes only after it has grown again.
            self._db.execute("PRAGMA busy_timeout=0")
            done = checkpoint(self._db, "TRUNCATE")
            self._db.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT}")
            self._tried_at = 0 if done else waiting


def wal_size(path: Path) -> int:
    return size(path.with_name(f"{path.name}-wal"))


def size(path: Path) -> int:
    """By stat alone: opening and closing a live database file would drop SQLite's locks on it."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


# SQLite's complaint about a file quotes what stands there, and Python cannot always read the quotation.
Unreadable = (sqlite3.DatabaseError, UnicodeDecodeError)
# What a file, or the disk below it, may raise at anybody who reads.
FileTrouble = (*Unreadable, OSError)


def is_passing(error: sqlite3.DatabaseError | UnicodeDecodeError) -> bool:
    """Whether something else is to blame, the disk or what was to be written; otherwise the file itself is wrong."""
    return error_name(error).startswith(_BLAMELESS)


def is_readable(path: Path) -> bool:
    """Whether the disk gives back every byte: SQLite calls a file malformed also when it does not. Not for a file that
    is in use, for closing it would drop SQLite's locks."""
    try:
        descriptor, at = os.open(path, os.O_RDONLY | os.O_CLOEXEC), 0
        try:
            while read := os.pread(descriptor, READ_AT_ONCE, at):
                at += len(read)
        finally:
            os.close(descriptor)
    except OSError:
        return False
    return True


def error_name(error: sqlite3.DatabaseError | UnicodeDecodeError) -> str:
    """SQLite's name for it; empty where Python itself could not make sense of what the file holds."""
    return getattr(error, "sqlite_errorname", "")


def is_full(error: sqlite3.DatabaseError | UnicodeDecodeError | OSError) -> bool:
    return error.errno == ENOSPC if isinstance(error, OSError) else error_name(error) == "SQLITE_FULL"


def remove(path: Path) -> None:
    """With the write-ahead log, which may hold words that are in nothing else."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(f"{path.name}{suffix}").unlink(missing_ok=True)


def free_space(path: Path) -> int:
    return shutil.disk_usage(path).free


def sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
