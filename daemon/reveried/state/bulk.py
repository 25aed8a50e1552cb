"""A new state file that is filled at once: without secondary indexes, without safety, and sound only when finished."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from reveried.domain.events import Recorded
from reveried.log import database
from reveried.state.catalog import ddl_of
from reveried.state.projection import Change, Projection, project


class BulkFile:
    """Its projections are its own: they may hold in memory what they write last."""

    def __init__(self, path: Path, projections: tuple[Projection, ...]) -> None:
        self.path = path
        database.create(path, ddl_of(projections, indexes=False))
        self.db = sqlite3.connect(path, isolation_level=None)
        # Nothing here is worth keeping until it is complete: a crash leaves a file that nobody will look at.
        self.db.executescript(
            "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA secure_delete=ON; PRAGMA locking_mode=EXCLUSIVE; "
            "PRAGMA cache_size=-65536;"
        )
        self._projections = [type(projection)() for projection in projections]

    def write(self, events: Sequence[Recorded], changes: Sequence[Change]) -> None:
        self.db.execute("BEGIN")
        project(self._projections, self.db, events, changes, bulk=True)
        self.db.execute("COMMIT")

    def finish(self, projections: Sequence[Projection]) -> None:
        names = [projection.name for projection in projections]
        self.db.execute("BEGIN")
        for projection in self._projections:
            if projection.name in names:
                projection.finish_bulk(self.db)
        self.db.execute("COMMIT")

    def seal(self, seq: int) -> None:
        """Everything up to this event is in it."""
        self.db.execute("UPDATE progress SET seq = ?", (seq,))

    def take_tables(self, other: Path) -> None:
        """The tables of another file into those of the same name here, which are empty. Where their indexes are the
        same too, SQLite copies pages of rows as they are."""
        self.db.execute("ATTACH ? AS other", (str(other),))
        self.db.execute("BEGIN")
        tables = self.db.execute("SELECT name FROM other.sqlite_schema WHERE type = 'table' AND name <> 'progress'")
        for (name,) in tables.fetchall():
            self.db.execute(f"INSERT INTO main.{name} SELECT * FROM other.{name}")
        self.db.execute("COMMIT")
        self.db.execute("DETACH other")

    def let_read(self) -> None:
        """From now on others may look at the file, too."""
        self.db.execute("PRAGMA locking_mode=NORMAL")
        self.db.execute("SELECT seq FROM progress").fetchall()

    def close(self) -> None:
        self.db.close()
