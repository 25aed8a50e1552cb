"""What a projection is: tables, and how a batch of changes lands in them."""

import sqlite3
from collections.abc import Sequence
from typing import ClassVar

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
    # Queries whose rows, in order, are everything this projection knows; the state digest is made of them.
    digest_queries: ClassVar[tuple[str, ...]]

    def apply(
        self, db: sqlite3.Connection, events: Sequence[Recorded], changes: Sequence[Change], *, bulk: bool
    ) -> None:
        """Bring the tables up to date. A bulk load may leave to `finish_bulk` what is cheaper to build at once."""
        raise AssertionError(f"{self.name} does not say how to apply a change")

    def finish_bulk(self, db: sqlite3.Connection) -> None:
        """Build what a bulk load left out."""

    def scrub(self, db: sqlite3.Connection) -> None:
        """Leave nothing of deleted rows in the tables' own structures; freed pages are zeroed anyway."""
