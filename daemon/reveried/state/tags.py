"""Which memories carry a tag."""

import sqlite3
from collections.abc import Sequence

from reveried.domain.events import Recorded
from reveried.domain.memory import Memory
from reveried.state.projection import Change, Projection, put


class Tags(Projection):
    name = "tags"
    ddl = """
    CREATE TABLE tags (
      tag TEXT NOT NULL, memory_id INTEGER NOT NULL, PRIMARY KEY (tag, memory_id)
    ) STRICT, WITHOUT ROWID;
    """
    digest_queries = ("SELECT tag, memory_id FROM tags ORDER BY tag, memory_id",)

    def apply(
        self, db: sqlite3.Connection, events: Sequence[Recorded], changes: Sequence[Change], *, bulk: bool
    ) -> None:
        gone: list[tuple[str, int]] = []
        come: list[tuple[str, int]] = []
        for change in changes:
            before, after = _tags(change.before), _tags(change.after)
            if before != after:
                gone += [(tag, change.id) for tag in before - after]
                come += [(tag, change.id) for tag in after - before]
        put(db, "DELETE FROM tags WHERE tag = ? AND memory_id = ?", gone)
        put(db, "INSERT OR IGNORE INTO tags VALUES (?, ?)", come)


def _tags(memory: Memory | None) -> frozenset[str]:
    return frozenset(memory.tags) if memory else frozenset()
