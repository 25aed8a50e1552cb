"""The table of links, and those of its rows that events are about to change, held in memory until they are written.

A recall touches a dozen of them. Each is read once, when one of its ends is first asked for, and written once.
"""

import sqlite3
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import astuple

from reveried.domain.linking.kinds import CO_RECALLED, Ends


class LinkRow(Struct, frozen=True):
    """`verified_at` is also when the two were last recalled together; `marks` say who of them proved useful since."""

    a: int
    b: int
    kind: str
    namespace: str
    weight: float
    confidence: float
    tags: int
    entities: int
    cosine: float | None
    how: str
    created_at: int
    verified_at: int
    together: int
    affirmed: int
    marks: int
    seq: int

    @property
    def ends(self) -> Ends:
        return Ends(self.a, self.b, self.kind)

    def other_than(self, memory: int) -> int:
        return self.b if self.a == memory else self.a


DDL = """
CREATE TABLE links (
  a INTEGER NOT NULL, b INTEGER NOT NULL, kind TEXT NOT NULL, namespace TEXT NOT NULL, weight REAL NOT NULL,
  confidence REAL NOT NULL, tags INTEGER NOT NULL, entities INTEGER NOT NULL, cosine REAL, how TEXT NOT NULL,
  created_at INTEGER NOT NULL, verified_at INTEGER NOT NULL, together INTEGER NOT NULL, affirmed INTEGER NOT NULL,
  marks INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (a, b, kind)
) STRICT, WITHOUT ROWID;
"""
BY_OTHER_END = "CREATE INDEX IF NOT EXISTS links_b ON links(b, how, created_at, together, affirmed)"
BY_VERIFICATION = "CREATE INDEX links_verified ON links(verified_at)"
COLUMNS = ", ".join(LinkRow.__struct_fields__)
_REPLACE = f"REPLACE INTO links ({COLUMNS}) VALUES ({', '.join('?' * len(LinkRow.__struct_fields__))})"
_DELETE = "DELETE FROM links WHERE a = ? AND b = ? AND kind = ?"
_TOUCHING = f"SELECT {COLUMNS} FROM links WHERE a = ?1 UNION SELECT {COLUMNS} FROM links WHERE b = ?1"
Pair = tuple[int, int]


class HeldLinks:
    """The links of every memory asked for so far. `fresh` says that the table is empty, so that nothing is read."""

    def __init__(self, db: sqlite3.Connection, *, fresh: bool = False) -> None:
        self._db = db
        self._fresh = fresh
        # Of both its ends, each with the same list: what holds between two memories is one thing.
        self._of: dict[int, dict[int, list[LinkRow]]] = {}
        self._changed: set[Pair] = set()
        self._gone: set[tuple[int, int, str]] = set()

    @property
    def waiting(self) -> int:
        """Pairs of memories whose links changed since they were last written."""
        return len(self._changed)

    def between(self, one: int, other: int) -> list[LinkRow]:
        """What is known of the two, in both directions. Whoever changes a row of it says so by `mark`."""
        near = self._load(one)
        rows = near.get(other)
        if rows is None:
            rows = near[other] = self._load(other)[one] = []
        return rows

    def mark(self, pair: Pair) -> None:
        """The older of the two comes first."""
        self._changed.add(pair)

    def get(self, ends: Ends) -> LinkRow | None:
        rows = self.between(ends.a, ends.b)
        return next((row for row in rows if (row.a, row.kind) == (ends.a, ends.kind)), None)

    def put(self, row: LinkRow) -> None:
        rows = self.between(row.a, row.b)
        place = _place_of(row, rows)
        if place is None:
            rows.append(row)
        else:
            rows[place] = row
        self.mark((row.a, row.b) if row.a < row.b else (row.b, row.a))

    def drop(self, row: LinkRow) -> None:
        rows = self.between(row.a, row.b)
        place = _place_of(row, rows)
        if place is not None:
            del rows[place]
        if not self._fresh:
            self._gone.add((row.a, row.b, row.kind))

    def touching(self, memory: int) -> list[LinkRow]:
        found = (row for rows in self._load(memory).values() for row in rows)
        return sorted(found, key=lambda row: (row.a, row.b, row.kind))

    def companions(self, memory: int) -> list[LinkRow]:
        return [row for rows in self._load(memory).values() for row in rows if row.kind == CO_RECALLED]

    def write(self) -> None:
        """In the order of the table, where the next row is often on the same page. What is held stays held."""
        self._db.executemany(_DELETE, self._gone)
        self._db.executemany(_REPLACE, self._rows())
        self._gone.clear()
        self._changed.clear()

    def spill(self) -> None:
        """Make room: what was held is in the table, and read again when it is asked for."""
        self.write()
        self._of.clear()
        if self._fresh:
            self._db.execute(BY_OTHER_END)
            self._fresh = False

    def _rows(self) -> Iterator[tuple[object, ...]]:
        for older, newer in sorted(self._changed):
            # One of the two may never have been asked for by itself.
            rows = self._of.get(older, {}).get(newer)
            yield from map(astuple, self._of[newer][older] if rows is None else rows)

    def _load(self, memory: int) -> dict[int, list[LinkRow]]:
        near = self._of.get(memory)
        if near is None:
            near = self._of[memory] = {}
            if not self._fresh:
                for row in self._db.execute(_TOUCHING, (memory,)).fetchall():
                    self._place(memory, near, LinkRow(*row))
        return near

    def _place(self, memory: int, near: dict[int, list[LinkRow]], row: LinkRow) -> None:
        """What the other end knows already may be newer than the table."""
        other = row.other_than(memory)
        known = self._of.get(other)
        if known is None or other == memory:
            near.setdefault(other, []).append(row)
        elif memory in known:
            near[other] = known[memory]


def _place_of(row: LinkRow, rows: list[LinkRow]) -> int | None:
    """Both rows are of the same two memories, so one end tells the direction."""
    return next((place for place, one in enumerate(rows) if one.kind == row.kind and one.a == row.a), None)
