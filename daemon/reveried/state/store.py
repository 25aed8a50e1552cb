"""The two projection files and how a batch lands in both.

SQLite cannot commit two write-ahead-logged files as one, so the order is chosen such that a kill between the commits
loses nothing: first the archive takes what arrives, then the live file commits, and only then does the archive let
go of what was restored. The archive is therefore never behind, and a batch delivered twice changes nothing.
"""

import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from reveried.domain.events import MemoryErased, Recorded
from reveried.errors import StateDamaged, StorageFull
from reveried.log import database
from reveried.log.scouring import File, Texts, scour
from reveried.ports import EventLog
from reveried.state.catalog import ARCHIVED, LIVE, SCHEMA_VERSION, ddl_of
from reveried.state.fold import Fold
from reveried.state.memories import fetch
from reveried.state.projection import Change, Projection, project, put

CATCH_UP_BATCH = 5_000


class StateStore:
    """The writing side of the projections. One thread at a time."""

    def __init__(self, live_path: Path, archive_path: Path) -> None:
        self.live_path = live_path
        self.archive_path = archive_path
        database.create(live_path, ddl_of(LIVE))
        database.create(archive_path, ddl_of(ARCHIVED))
        self._live = database.open_writer(live_path, "NORMAL")
        self._archive = database.open_writer(archive_path, "NORMAL")
        self._checkpoints = (
            database.Checkpoints(self._live, live_path),
            database.Checkpoints(self._archive, archive_path),
        )
        self.scrubbed = True
        self._erased: Texts = None
        self.applied = _progress(self._live)
        self.fold = Fold(self._live, self._archive, _progress(self._archive))

    @property
    def files(self) -> tuple[sqlite3.Connection, sqlite3.Connection]:
        """For tidying on the writer's thread: the live file and the archive."""
        return self._live, self._archive

    @property
    def lag(self) -> int:
        return len(self.fold.events)

    def catch_up(self, log: EventLog, report: Callable[[int], None] = lambda _: None) -> None:
        """Apply what the log holds beyond the tables, and finish what a kill interrupted."""
        while self.applied < log.head:
            # A batch that the archive took and the live file did not is repeated as one: cut in two, its first half
            # would release what only its second half brings to the live file.
            upto = max(self.applied + CATCH_UP_BATCH, _progress(self._archive))
            for recorded in log.read(self.applied, upto):
                self.fold.apply(recorded)
            report(self.flush())
        self._release()
        if any(_scrub_due(db) for db in (self._live, self._archive)):
            self.scrub()

    def flush(self) -> int:
        """Write what the fold holds; returns the number of the last event now in the tables."""
        events = self.fold.events
        if not events:
            return self.applied
        try:
            self._write(events)
        except database.Unreadable as error:
            raise failure(error) from error
        return self.applied

    def _write(self, events: Sequence[Recorded]) -> None:
        arriving, leaving = _split(self.fold.archive_changes())
        _apply(self._archive, ARCHIVED, events, arriving, leaving)
        _apply(self._live, LIVE, events, self.fold.live_changes())
        self.applied = events[-1].seq
        self.fold.clear(self.applied)
        if leaving:
            self._release()
        if _erases(events):
            self.scrub()

    def _release(self) -> None:
        """Drop from the archive what the live file holds by now, or what was erased."""
        db = self._archive
        ids = [id_ for (id_,) in db.execute("SELECT memory_id FROM leaving")]
        if not ids:
            return
        changes = [Change(memory.id, memory, None) for id_ in ids if (memory := fetch(db, id_))]
        with database.transaction(db):
            project(ARCHIVED, db, (), changes, bulk=False)
            db.execute("DELETE FROM leaving")

    def forget(self, texts: Collection[str]) -> None:
        """What the next scrub has to look for; without that it cannot know, and packs the files anew."""
        if self.scrubbed:
            self._erased = texts
        elif self._erased is not None:
            self._erased = {*self._erased, *texts}

    def scrub(self) -> None:
        """Leave no freed word in either file; where a reader holds on to an old page, the next start does it again."""
        for db, projections in ((self._live, LIVE), (self._archive, ARCHIVED)):
            for projection in projections:
                projection.scrub(db)
        files = ((self.live_path, self._live), (self.archive_path, self._archive))
        self.scrubbed = scour(*(File(path, db, self._erased) for path, db in files))
        if self.scrubbed:
            for _, db in files:
                db.execute("UPDATE progress SET scrub_due = 0")
            self._erased = None

    def reload(self, log: EventLog) -> None:
        """Fold again only what the log holds: what was never durable is forgotten, a half-done flush begins anew."""
        self.fold.clear(_progress(self._archive))
        for recorded in log.read(self.applied):
            self.fold.apply(recorded)

    def checkpoint_if_large(self, pages: int, truncate_over: int) -> None:
        for checkpoints in self._checkpoints:
            checkpoints.keep_small(pages, truncate_over)

    def abandon(self) -> None:
        """Close files that nobody will read again."""
        for db in (self._live, self._archive):
            db.close()

    def close(self) -> None:
        for db in (self._live, self._archive):
            database.checkpoint(db, "TRUNCATE")
            db.close()


def reached(live_path: Path, archive_path: Path) -> int | None:
    """The last event that either file has seen. None when they are missing, damaged, of another version, or out of
    step: then they are rebuilt. The archive may be ahead after a kill; only a power loss can leave it behind, and then
    its rows are gone.
    """
    if not (live_path.exists() and archive_path.exists()):
        return None
    try:
        live, archive = (_version_and_progress(path) for path in (live_path, archive_path))
    except database.Unreadable as error:
        if database.is_passing(error):
            raise
        return None
    return archive[1] if live[0] == archive[0] == SCHEMA_VERSION and live[1] <= archive[1] else None


def _version_and_progress(path: Path) -> tuple[int, int]:
    db = database.open_writer(path, "NORMAL")
    try:
        (version,) = db.execute("PRAGMA user_version").fetchone()
        return version, (_progress(db) if version == SCHEMA_VERSION else 0)
    finally:
        db.close()


def failure(error: sqlite3.DatabaseError | UnicodeDecodeError) -> StorageFull | StateDamaged:
    if database.error_name(error) == "SQLITE_FULL":
        return StorageFull("the disk is full; the state trails the log", hint="free some space")
    return StateDamaged(f"writing the state failed: {error}", hint="it is rebuilt from the log at the next start")


@contextmanager
def as_state_damage() -> Iterator[None]:
    """What SQLite says against the file itself; what a second try may mend passes through."""
    try:
        yield
    except database.Unreadable as error:
        if database.is_passing(error):
            raise
        raise StateDamaged(f"the state cannot be used: {error}", hint="it is made anew from the log") from error


def _split(changes: Sequence[Change]) -> tuple[list[Change], list[Change]]:
    arriving = [change for change in changes if change.after is not None]
    return arriving, [change for change in changes if change.after is None]


def _apply(
    db: sqlite3.Connection,
    projections: tuple[Projection, ...],
    events: Sequence[Recorded],
    changes: Sequence[Change],
    leaving: Sequence[Change] = (),
) -> None:
    with database.transaction(db):
        if projections is ARCHIVED:
            # What comes back before it was let go stays.
            put(db, "DELETE FROM leaving WHERE memory_id = ?", [(change.id,) for change in changes])
            put(db, "INSERT OR IGNORE INTO leaving VALUES (?)", [(change.id,) for change in leaving])
        project(projections, db, events, changes, bulk=False)
        db.execute(
            "UPDATE progress SET seq = max(seq, ?), scrub_due = max(scrub_due, ?)", (events[-1].seq, _erases(events))
        )


def _erases(events: Sequence[Recorded]) -> bool:
    return any(isinstance(recorded.event, MemoryErased) for recorded in events)


def _progress(db: sqlite3.Connection) -> int:
    match db.execute("SELECT seq FROM progress").fetchall():
        case [(int(seq),)] if seq >= 0:
            return seq
    raise sqlite3.DatabaseError("the file does not say how far it is")


def _scrub_due(db: sqlite3.Connection) -> bool:
    (due,) = db.execute("SELECT scrub_due FROM progress").fetchone()
    return bool(due)
