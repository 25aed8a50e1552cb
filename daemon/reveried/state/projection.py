"""What a projection is: tables, and how a batch of changes lands in them."""

import sqlite3
from collections.abc import Sequence
from typing import Any, ClassVar

from msgspec import Struct

from reveried.domain.events import Recorded
from reveried.domain.memory import Memory


class Change(Struct, frozen=True):
    """A memory before and after a batch of events; None where it did not exist yet, or no longer does."""

    id: int
    before: Memory | None
    after: Memory | None


class Projection:
    """Pure but for its own tables: no clock, no config. The same batch twice leaves the same rows."""

    name: ClassVar[str]
    ddl: ClassVar[str]
    # What no bulk load needs; it makes them at its end, when all rows can be sorted at once.
    indexes: ClassVar[tuple[str, ...]] = ()
    # Queries whose rows, in order, are everything this projection knows; the state digest is made of them.
    digest_queries: ClassVar[tuple[str, ...]]
    # The types of events it is made of. One that follows none is made of the memories that changed.
    follows: ClassVar[frozenset[str]] = frozenset()

    def apply(
        self, db: sqlite3.Connection, events: Sequence[Recorded], changes: Sequence[Change], *, bulk: bool
    ) -> None:
        """Bring the tables up to date with the events it follows and the memories that changed.

        A bulk load may leave to `finish_bulk` what is cheaper to build at once, and keep it in memory until then.
        """
        raise AssertionError(f"{self.name} does not say how to apply a change")

    def finish_bulk(self, db: sqlite3.Connection) -> None:
        """Build what a bulk load left out."""
        for index in self.indexes:
            db.execute(index)

    def scrub(self, db: sqlite3.Connection) -> None:
        """Leave nothing of deleted rows in the tables' own structures; freed pages are zeroed anyway."""


def project(
    projections: Sequence[Projection],
    db: sqlite3.Connection,
    events: Sequence[Recorded],
    changes: Sequence[Change],
    *,
    bulk: bool,
) -> None:
    """Each is told what it is made of, and not called where that is nothing."""
    for projection, heard in zip(projections, _followed(projections, events), strict=True):
        if heard if projection.follows else changes:
            projection.apply(db, heard, changes, bulk=bulk)


def put(db: sqlite3.Connection, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Most batches have no rows for most statements, and to run one for nothing is not free."""
    if rows:
        db.executemany(statement, rows)


def _followed(projections: Sequence[Projection], events: Sequence[Recorded]) -> list[list[Recorded]]:
    """What each of them follows, in order. Sorted out once: otherwise each would look through all of them."""
    heard: list[list[Recorded]] = [[] for _ in projections]
    ears: dict[str, list[list[Recorded]]] = {}
    for recorded in events:
        listening = ears.get(recorded.type)
        if listening is None:
            listening = [
                one for one, projection in zip(heard, projections, strict=True) if recorded.type in projection.follows
            ]
            ears[recorded.type] = listening
        for one in listening:
            one.append(recorded)
    return heard
