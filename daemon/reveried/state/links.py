"""Which memories belong together. Both ends of a link may be archived: it stays here, and is there when they return.

That two were recalled together is counted straight from the recalls, in the order of the log; what the counts are worth
is reckoned when they are read. Every row knows the last event it saw, so a batch that comes twice changes nothing.
"""

import sqlite3
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import astuple, replace

from reveried.domain.events import (
    Link,
    MemoryErased,
    MemoryImported,
    MemoryLinked,
    MemoryMerged,
    MemoryRecalled,
    MemoryReinforced,
    MemoryRestored,
    MemoryReviewed,
    MemorySuperseded,
    MemoryUnlinked,
    Recorded,
)
from reveried.domain.linking.kinds import CO_RECALLED, SUPERSEDES, Ends, ends_of
from reveried.domain.linking.strength import AFFIRMED_WITHIN, AMONG, COMPANIONS, pairs
from reveried.state.projection import Change, Projection

ASKED, REFUSED = "asked", "refused"
# What somebody said of a link stands above what was found.
LASTING = (ASKED, REFUSED)


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


COLUMNS = ", ".join(LinkRow.__struct_fields__)
_REPLACE = f"INSERT OR REPLACE INTO links ({COLUMNS}) VALUES ({', '.join('?' * len(LinkRow.__struct_fields__))})"
_TOUCHING = f"SELECT {COLUMNS} FROM links WHERE a = ?1 UNION SELECT {COLUMNS} FROM links WHERE b = ?1"
# What a later event made is none of an earlier one's business, should that be seen again.
_GONE = "DELETE FROM links WHERE (a = ?1 OR b = ?1) AND seq < ?2"
_COMPANIONS = (
    "SELECT a, b, verified_at, together FROM links WHERE a = ?1 AND kind = 'co_recalled' UNION ALL "
    "SELECT a, b, verified_at, together FROM links WHERE b = ?1 AND kind = 'co_recalled'"
)
# Looking at all of a memory's companions costs more than one more of them, so it is done now and then; by the number of
# the event, for a replay must come to the same.
TRIMMED_EVERY = 8
_TOGETHER = "(?, ?, 'co_recalled', ?, 0.0, 1.0, 0, 0, NULL, 'recalled', ?, ?, 1, 0, 0, ?)"
_AMONG = ", ".join("?" * AMONG)
_VERIFY = (
    f"UPDATE links SET verified_at = ?, seq = ? WHERE a IN ({_AMONG}) AND b IN ({_AMONG}) "
    "AND kind <> 'co_recalled' AND how <> 'refused' AND seq < ?"
)


class Links(Projection):
    name = "links"
    ddl = """
    CREATE TABLE links (
      a INTEGER NOT NULL, b INTEGER NOT NULL, kind TEXT NOT NULL, namespace TEXT NOT NULL, weight REAL NOT NULL,
      confidence REAL NOT NULL, tags INTEGER NOT NULL, entities INTEGER NOT NULL, cosine REAL, how TEXT NOT NULL,
      created_at INTEGER NOT NULL, verified_at INTEGER NOT NULL, together INTEGER NOT NULL, affirmed INTEGER NOT NULL,
      marks INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (a, b, kind)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX links_b ON links(b, how, created_at, together, affirmed);
    CREATE INDEX links_verified ON links(verified_at);
    CREATE TABLE reviewed (memory_id INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT;
    """
    digest_queries = (
        f"SELECT {COLUMNS} FROM links ORDER BY a, b, kind",
        "SELECT memory_id, at FROM reviewed ORDER BY memory_id",
    )

    def apply(
        self, db: sqlite3.Connection, events: Sequence[Recorded], changes: Sequence[Change], *, bulk: bool
    ) -> None:
        for recorded in events:
            match recorded.event:
                case MemoryRecalled(ids=ids):
                    _recalled(db, recorded, ids)
                case MemoryLinked() as event:
                    _linked(db, recorded, event)
                case MemoryUnlinked() as event:
                    _unlinked(db, recorded, event)
                case MemoryReinforced():
                    _affirmed(db, recorded)
                case MemoryMerged(into=into):
                    _moved(db, recorded, into)
                case MemorySuperseded(by=by):
                    _superseded(db, recorded, by)
                case MemoryImported(superseded_by=int() as by) if by:
                    _superseded(db, recorded, by)
                case MemoryRestored():
                    db.execute(
                        "DELETE FROM links WHERE b = ? AND how = 'superseded' AND seq < ?",
                        (recorded.subject, recorded.seq),
                    )
                case MemoryReviewed(ids=ids, what="links"):
                    db.executemany(_REVIEWED, [(id_, recorded.at) for id_ in ids])
                case MemoryErased():
                    db.execute(_GONE, (recorded.subject, recorded.seq))
                    db.execute("DELETE FROM reviewed WHERE memory_id = ?", (recorded.subject,))


_REVIEWED = "INSERT OR REPLACE INTO reviewed VALUES (?, ?)"


def _linked(db: sqlite3.Connection, recorded: Recorded, event: MemoryLinked) -> None:
    for link in event.links:
        ends = ends_of(recorded.subject or 0, link.to, link.kind)
        known = _row(db, ends)
        if known is None:
            _put(db, _first(recorded, ends, link, event.how))
        elif known.seq < recorded.seq and (event.how in LASTING or known.how not in LASTING):
            _put(db, replace(_first(recorded, ends, link, event.how), created_at=_since(known, recorded, link)))
    if event.how not in LASTING:
        db.execute(_REVIEWED, (recorded.subject, recorded.at))


def _since(known: LinkRow, recorded: Recorded, link: Link) -> int:
    """What was refused and is wanted now begins now."""
    if link.created_at is not None:
        return link.created_at
    return recorded.at if known.how == REFUSED else known.created_at


def _first(recorded: Recorded, ends: Ends, link: Link, how: str) -> LinkRow:
    return LinkRow(
        a=ends.a,
        b=ends.b,
        kind=ends.kind,
        namespace=recorded.namespace,
        weight=link.weight,
        confidence=link.confidence,
        tags=link.tags,
        entities=link.entities,
        cosine=link.cosine,
        how=how,
        created_at=recorded.at if link.created_at is None else link.created_at,
        verified_at=recorded.at if link.verified_at is None else link.verified_at,
        together=link.together,
        affirmed=link.affirmed,
        marks=0,
        seq=recorded.seq,
    )


def _unlinked(db: sqlite3.Connection, recorded: Recorded, event: MemoryUnlinked) -> None:
    for one in event.links:
        known = _row(db, ends_of(*one))
        if known is None or known.seq >= recorded.seq:
            continue
        if event.reason == ASKED and known.kind != CO_RECALLED:
            _put(db, replace(known, how=REFUSED, seq=recorded.seq))
        else:
            db.execute("DELETE FROM links WHERE a = ? AND b = ? AND kind = ?", astuple(known.ends))


def _recalled(db: sqlite3.Connection, recorded: Recorded, ids: tuple[int, ...]) -> None:
    """Whoever is returned together belongs together a little more; and a link between them has proved itself."""
    found = pairs(ids)
    if not found:
        return
    fresh = (recorded.namespace, recorded.at, recorded.at, recorded.seq)
    db.execute(
        f"INSERT INTO links ({COLUMNS}) VALUES {', '.join([_TOGETHER] * len(found))} ON CONFLICT (a, b, kind) "
        "DO UPDATE SET together = together + 1, marks = 0, verified_at = excluded.verified_at, seq = excluded.seq "
        "WHERE links.seq < excluded.seq",
        [value for pair in found for value in (*pair, *fresh)],
    )
    among = [*ids[:AMONG], *[0] * (AMONG - len(ids))]
    db.execute(_VERIFY, (recorded.at, recorded.seq, *among, *among, recorded.seq))
    if recorded.seq % TRIMMED_EVERY == 0:
        for memory in among:
            _trim(db, memory)


def _trim(db: sqlite3.Connection, memory: int) -> None:
    """Of many companions, who was not recalled with it for longest has to go."""
    companions = db.execute(f"{_COMPANIONS} ORDER BY verified_at DESC, together DESC, a, b", (memory,)).fetchall()
    db.executemany(
        "DELETE FROM links WHERE a = ? AND b = ? AND kind = 'co_recalled'", [row[:2] for row in companions[COMPANIONS:]]
    )


def _affirmed(db: sqlite3.Connection, recorded: Recorded) -> None:
    """Of two that were recalled together one proved useful; when the other does too, that counts for both."""
    for end, mine, other in (("a", 1, 2), ("b", 2, 1)):
        db.execute(
            f"UPDATE links SET affirmed = affirmed + (marks = {other}), marks = iif(marks = {other}, 0, {mine}), "
            f"seq = ? WHERE {end} = ? AND kind = 'co_recalled' AND verified_at >= ? AND seq < ?",
            (recorded.seq, recorded.subject, recorded.at - AFFIRMED_WITHIN, recorded.seq),
        )


def _superseded(db: sqlite3.Connection, recorded: Recorded, by: int) -> None:
    ends = Ends(by, recorded.subject or 0, SUPERSEDES)
    known = _row(db, ends)
    if known is None or (known.seq < recorded.seq and known.how == REFUSED):
        _put(db, _first(recorded, ends, Link(to=ends.b, kind=SUPERSEDES), "superseded"))


def _moved(db: sqlite3.Connection, recorded: Recorded, into: int) -> None:
    """Who stands for both takes over the links of the other, but for one between the two."""
    gone = recorded.subject or 0
    for row in _rows(db, gone, recorded.seq):
        other = row.b if row.a == gone else row.a
        if other != into:
            ends = ends_of(*((into, other) if row.a == gone else (other, into)), row.kind)
            _take_over(db, recorded.seq, replace(row, a=ends.a, b=ends.b))
    db.execute(_GONE, (gone, recorded.seq))


def _take_over(db: sqlite3.Connection, seq: int, row: LinkRow) -> None:
    known = _row(db, row.ends)
    if known is None:
        _put(db, replace(row, seq=seq))
    elif known.seq < seq:
        best = max(known, row, key=lambda one: (one.how == ASKED, one.how != REFUSED, one.weight, one.confidence))
        joined = replace(
            best,
            created_at=min(known.created_at, row.created_at),
            verified_at=max(known.verified_at, row.verified_at),
            together=known.together + row.together,
            affirmed=known.affirmed + row.affirmed,
            marks=0,
            seq=seq,
        )
        _put(db, joined)


def _row(db: sqlite3.Connection, ends: Ends) -> LinkRow | None:
    row = db.execute(f"SELECT {COLUMNS} FROM links WHERE a = ? AND b = ? AND kind = ?", astuple(ends)).fetchone()
    return LinkRow(*row) if row else None


def _rows(db: sqlite3.Connection, memory: int, before: int) -> Iterator[LinkRow]:
    found = (LinkRow(*row) for row in db.execute(_TOUCHING, (memory,)).fetchall())
    return (row for row in found if row.seq < before)


def _put(db: sqlite3.Connection, row: LinkRow) -> None:
    db.execute(_REPLACE, astuple(row))
