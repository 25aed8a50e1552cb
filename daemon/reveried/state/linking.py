"""How events change the links. Both ends of one may be archived: it stays here, and is there when they return.

That two were recalled together is counted straight from the recalls, in the order of the log; what the counts are worth
is reckoned when they are read. Every row knows the last event it saw, so a batch that comes twice changes nothing.
"""

import sqlite3
from collections.abc import Sequence

from msgspec.structs import replace

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
from reveried.state.links import BY_OTHER_END, BY_VERIFICATION, COLUMNS, DDL, HeldLinks, LinkRow, Pair
from reveried.state.projection import Change, Projection

ASKED, REFUSED = "asked", "refused"
# What somebody said of a link stands above what was found.
LASTING = (ASKED, REFUSED)
# Looking at all of a memory's companions costs more than one more of them, so it is done now and then; by the number of
# the event, for a replay must come to the same.
TRIMMED_EVERY = 8
# A bulk load holds about so many rows before it makes room.
MOST_HELD = 300_000
# Marks say which end proved useful; an end may come to stand on the other side.
_TURNED = {0: 0, 1: 2, 2: 1}
_REVIEWED = "INSERT OR REPLACE INTO reviewed VALUES (?, ?)"


class Links(Projection):
    name = "links"
    ddl = f"{DDL} CREATE TABLE reviewed (memory_id INTEGER PRIMARY KEY, at INTEGER NOT NULL) STRICT;"
    indexes = (BY_OTHER_END, BY_VERIFICATION)
    digest_queries = (
        f"SELECT {COLUMNS} FROM links ORDER BY a, b, kind",
        "SELECT memory_id, at FROM reviewed ORDER BY memory_id",
    )
    follows = frozenset(
        event.type
        for event in (
            MemoryRecalled, MemoryLinked, MemoryUnlinked, MemoryReinforced, MemoryMerged, MemorySuperseded,
            MemoryImported, MemoryRestored, MemoryReviewed, MemoryErased,
        )
    )  # fmt: skip

    def __init__(self) -> None:
        self._bulk: HeldLinks | None = None

    def apply(
        self, db: sqlite3.Connection, events: Sequence[Recorded], changes: Sequence[Change], *, bulk: bool
    ) -> None:
        if bulk and self._bulk is None:
            self._bulk = HeldLinks(db, fresh=True)
        held = HeldLinks(db) if self._bulk is None else self._bulk
        for recorded in events:
            _follow(db, held, recorded)
        if not bulk:
            held.write()
        elif held.waiting > MOST_HELD:
            held.spill()

    def finish_bulk(self, db: sqlite3.Connection) -> None:
        if self._bulk is not None:
            self._bulk.write()
            self._bulk = None
        super().finish_bulk(db)


def _follow(db: sqlite3.Connection, held: HeldLinks, recorded: Recorded) -> None:
    if recorded.type == MemoryReinforced.type:
        # Also when the memory was erased since: what it was worth to others may stand in links of another by now.
        _affirmed(held, recorded)
        return
    match recorded.event:
        case MemoryRecalled(ids=ids):
            _recalled(held, recorded, ids)
        case MemoryLinked() as event:
            _linked(held, recorded, event)
            if event.how not in LASTING:
                db.execute(_REVIEWED, (recorded.subject, recorded.at))
        case MemoryUnlinked() as event:
            _unlinked(held, recorded, event)
        case MemoryMerged(into=into):
            _moved(held, recorded, into)
        case MemorySuperseded(by=by):
            _superseded(held, recorded, by)
        case MemoryImported(superseded_by=int() as by) if by:
            _superseded(held, recorded, by)
        case MemoryRestored():
            _returned(held, recorded)
        case MemoryReviewed(ids=ids, what="links"):
            db.executemany(_REVIEWED, [(id_, recorded.at) for id_ in ids])
        case MemoryErased():
            _gone(held, recorded)
            db.execute("DELETE FROM reviewed WHERE memory_id = ?", (recorded.subject,))


def _linked(held: HeldLinks, recorded: Recorded, event: MemoryLinked) -> None:
    for link in event.links:
        ends = ends_of(recorded.subject or 0, link.to, link.kind)
        known = held.get(ends)
        if known is None:
            held.put(_first(recorded, ends, link, event.how))
        elif known.seq < recorded.seq and (event.how in LASTING or known.how not in LASTING):
            held.put(replace(_first(recorded, ends, link, event.how), created_at=_since(known, recorded, link)))


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


def _unlinked(held: HeldLinks, recorded: Recorded, event: MemoryUnlinked) -> None:
    for one in event.links:
        known = held.get(ends_of(*one))
        if known is None or known.seq >= recorded.seq:
            continue
        if event.reason == ASKED and known.kind != CO_RECALLED:
            held.put(replace(known, how=REFUSED, seq=recorded.seq))
        else:
            held.drop(known)


def _recalled(held: HeldLinks, recorded: Recorded, ids: tuple[int, ...]) -> None:
    """Whoever is returned together belongs together a little more; and a link between them has proved itself."""
    for pair in pairs(ids):
        _together(held, recorded, pair)
    if recorded.seq % TRIMMED_EVERY == 0 and len(ids) > 1:
        for memory in ids[:AMONG]:
            _trim(held, memory)


def _together(held: HeldLinks, recorded: Recorded, pair: Pair) -> None:
    rows = held.between(*pair)
    counted = False
    for place, row in enumerate(rows):
        if row.kind == CO_RECALLED:
            counted = True
            if row.seq < recorded.seq:
                rows[place] = replace(
                    row, together=row.together + 1, marks=0, verified_at=recorded.at, seq=recorded.seq
                )
        elif row.how != REFUSED and row.seq < recorded.seq:
            rows[place] = replace(row, verified_at=recorded.at, seq=recorded.seq)
    if not counted:
        rows.append(_first_together(recorded, pair))
    held.mark(pair)


def _first_together(recorded: Recorded, pair: Pair) -> LinkRow:
    (a, b), at = pair, recorded.at
    return LinkRow(
        a, b, CO_RECALLED, recorded.namespace, 0.0, 1.0, 0, 0, None, "recalled", at, at, 1, 0, 0, recorded.seq
    )


def _trim(held: HeldLinks, memory: int) -> None:
    """Of many companions, who was not recalled with it for longest has to go."""
    companions = held.companions(memory)
    if len(companions) > COMPANIONS:
        companions.sort(key=lambda row: (-row.verified_at, -row.together, row.a, row.b))
        for row in companions[COMPANIONS:]:
            held.drop(row)


def _affirmed(held: HeldLinks, recorded: Recorded) -> None:
    """Of two that were recalled together one proved useful; when the other does too, that counts for both."""
    subject = recorded.subject or 0
    since = recorded.at - AFFIRMED_WITHIN
    for row in held.companions(subject):
        if row.verified_at >= since and row.seq < recorded.seq:
            mine, others = (1, 2) if row.a == subject else (2, 1)
            both = row.marks == others
            held.put(replace(row, affirmed=row.affirmed + both, marks=0 if both else mine, seq=recorded.seq))


def _returned(held: HeldLinks, recorded: Recorded) -> None:
    for row in held.touching(recorded.subject or 0):
        if row.b == recorded.subject and row.how == "superseded" and row.seq < recorded.seq:
            held.drop(row)


def _gone(held: HeldLinks, recorded: Recorded) -> None:
    """What a later event made is none of an earlier one's business, should that be seen again."""
    for row in held.touching(recorded.subject or 0):
        if row.seq < recorded.seq:
            held.drop(row)


def _superseded(held: HeldLinks, recorded: Recorded, by: int) -> None:
    ends = Ends(by, recorded.subject or 0, SUPERSEDES)
    known = held.get(ends)
    if known is None or (known.seq < recorded.seq and known.how == REFUSED):
        held.put(_first(recorded, ends, Link(to=ends.b, kind=SUPERSEDES), "superseded"))


def _moved(held: HeldLinks, recorded: Recorded, into: int) -> None:
    """Who stands for both takes over the links of the other, but for one between the two, and its own history."""
    gone = recorded.subject or 0
    for row in held.touching(gone):
        # What took the place of one memory did not take that of the other; and what the event said of it will be gone
        # with the first, so that a replay would know nothing of a link that had moved.
        if row.seq >= recorded.seq or (row.kind == SUPERSEDES and row.b == gone):
            continue
        other = row.other_than(gone)
        if other != into:
            ends = ends_of(*((into, other) if row.a == gone else (other, into)), row.kind)
            turned = (row.a == gone) != (ends.a == into)
            marks = _TURNED[row.marks] if turned else row.marks
            _take_over(held, recorded.seq, replace(row, a=ends.a, b=ends.b, marks=marks))
        held.drop(row)


def _take_over(held: HeldLinks, seq: int, row: LinkRow) -> None:
    known = held.get(row.ends)
    if known is None:
        held.put(replace(row, seq=seq))
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
        held.put(joined)
