"""Giving room back: the word index merged, free pages returned to the file system, all in steps that hold nobody up."""

import sqlite3

from reveried.log import database

PAGES_AT_ONCE = 500
_INDEXES = ("fulltext", "fulltext_pairs")


def merge_step(db: sqlite3.Connection, index: str, *, first: bool) -> bool:
    """Merge a part of one index; False when nothing is left to merge. A negative number begins a full merge."""
    before = db.total_changes
    db.execute(f"INSERT INTO {index}({index}, rank) VALUES ('merge', ?)", (-PAGES_AT_ONCE if first else PAGES_AT_ONCE,))
    return db.total_changes - before >= 2


def free_step(db: sqlite3.Connection) -> bool:
    """Give some free pages back; False when there are none left."""
    db.execute(f"PRAGMA incremental_vacuum({PAGES_AT_ONCE})").fetchall()
    return bool(db.execute("PRAGMA freelist_count").fetchone()[0])


class Reclaiming:
    """One file's way to its smallest size, a step at a time on the writer's thread."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._merging = [(index, True) for index in _INDEXES]

    def step(self) -> bool:
        """False when it is done."""
        if not self._merging:
            return free_step(self._db)
        index, first = self._merging.pop()
        if merge_step(self._db, index, first=first):
            self._merging.append((index, False))
        return True

    def finish(self) -> bool:
        """The file shrinks when the write-ahead log is folded into it; False when a reader was in the way."""
        return database.checkpoint(self._db, "TRUNCATE")
