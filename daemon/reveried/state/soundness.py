"""Whether the file of vectors holds what was written to it. No log tells what a vector was, so each row carries a sum
of itself."""

import sqlite3
from pathlib import Path
from zlib import crc32

import msgspec

from reveried.log import database

ROWS_AT_ONCE = 1_000
_COLUMNS = "model, memory, part, namespace, role, beside, text, vector"
_encode = msgspec.msgpack.Encoder().encode
_SOUND = [("ok",)]


def with_sum(*columns: object) -> tuple[object, ...]:
    """A row of the table, in the order of its columns."""
    return (*columns, crc32(_encode(columns)))


def is_sound(path: Path) -> bool:
    db = database.open_reader(path)
    try:
        return _rows_are_sound(db) and db.execute("PRAGMA integrity_check(1)").fetchall() == _SOUND
    except database.Unreadable as error:
        if database.is_passing(error):
            raise
        return False
    finally:
        db.close()


def _rows_are_sound(db: sqlite3.Connection) -> bool:
    """A few at a time: while somebody reads, the write-ahead log cannot be emptied of words that were erased."""
    after = 0
    query = f"SELECT {_COLUMNS}, sum, rowid FROM vectors WHERE rowid > ? ORDER BY rowid LIMIT {ROWS_AT_ONCE}"
    while rows := db.execute(query, (after,)).fetchall():
        for *columns, sum_, rowid in rows:
            # In a damaged tree what follows may come before: that would go on for ever.
            if rowid <= after or with_sum(*columns)[-1] != sum_:
                return False
            after = rowid
    return True
