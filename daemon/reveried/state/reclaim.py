"""Giving room back: the word index merged, free pages returned to the file system, all in steps that hold nobody up."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from reveried.log.database import Unreadable
from reveried.state.store import failure

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


def rewrite(db: sqlite3.Connection) -> None:
    """Pack every page anew, in one go: rows that left from everywhere leave gaps, but no free pages."""
    with _told():
        db.execute("VACUUM")


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except Unreadable as error:
        raise failure(error) from error


class Reclaiming:
    """One file's way to its smallest size, a step at a time on the writer's thread."""

    def __init__(self) -> None:
        self._merging = [(index, True) for index in _INDEXES]

    def step(self, db: sqlite3.Connection) -> bool:
        """False when it is done. The connection is asked for anew each time: a rebuild may have replaced the file."""
        with _told():
            if not self._merging:
                return free_step(db)
            index, first = self._merging.pop()
            if merge_step(db, index, first=first):
                self._merging.append((index, False))
        return True
