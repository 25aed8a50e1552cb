"""State made anew from the log, beside the live files: for a rebuild, for proof, and for any moment of the past."""

import gc
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from reveried.domain.events import Recorded
from reveried.log import database
from reveried.log.sqlite import read_events
from reveried.state.catalog import ARCHIVED, LIVE, ddl_of
from reveried.state.digest import state_digest
from reveried.state.fold import Fold
from reveried.state.projection import Change, Projection

BATCH = 20_000
# Records wait in memory and are written once, however often they changed; this many are held at most.
HELD_RECORDS = 100_000


class Replayed(Struct, kw_only=True):
    events: int
    digest: str


def replay(
    log: sqlite3.Connection,
    live_path: Path,
    archive_path: Path,
    upto: int | None = None,
    report: Callable[[int], None] = lambda _: None,
    *,
    prove: bool = True,
) -> Replayed:
    """Fold the log up to an event into two new files, which must not exist yet. The digest is made if it is to `prove`
    something: it reads every row again."""
    live, archive = _empty(live_path, LIVE), _empty(archive_path, ARCHIVED)
    collecting = gc.isenabled()
    gc.disable()  # a replay makes no cycles, and looking for them among all those records costs a third of the time
    try:
        fold = Fold(live, archive, 0)
        seq = 0
        while batch := list(read_events(log, seq, upto, BATCH)):
            seq = batch[-1].seq
            for recorded in batch:
                fold.apply(recorded)
            _write(live, LIVE, batch, ())
            fold.events.clear()
            if fold.held > HELD_RECORDS:
                _write_records(live, archive, fold, seq)
            report(seq)
        _write_records(live, archive, fold, seq)
        _finish(live, LIVE, seq)
        _finish(archive, ARCHIVED, seq)
        digest = state_digest(live, archive) if prove else ""
    finally:
        if collecting:
            gc.enable()
        live.close()
        archive.close()
    database.sync(live_path)
    database.sync(archive_path)
    return Replayed(events=seq, digest=digest)


def _empty(path: Path, projections: tuple[Projection, ...]) -> sqlite3.Connection:
    database.create(path, ddl_of(projections, indexes=False))
    db = sqlite3.connect(path, isolation_level=None)
    # Nothing here is worth keeping until it is complete: a crash leaves a file that nobody will look at.
    db.executescript(
        "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA secure_delete=ON; PRAGMA locking_mode=EXCLUSIVE;"
    )
    db.execute("PRAGMA cache_size=-65536")
    return db


def _write_records(live: sqlite3.Connection, archive: sqlite3.Connection, fold: Fold, seq: int) -> None:
    _write(live, LIVE, (), fold.live_changes())
    _write(archive, ARCHIVED, (), fold.archive_changes())
    fold.clear(seq)


def _write(
    db: sqlite3.Connection, projections: tuple[Projection, ...], events: Sequence[Recorded], changes: Sequence[Change]
) -> None:
    db.execute("BEGIN")
    for projection in projections:
        projection.apply(db, events, changes, bulk=True)
    db.execute("COMMIT")


def _finish(db: sqlite3.Connection, projections: tuple[Projection, ...], seq: int) -> None:
    db.execute("BEGIN")
    for projection in projections:
        projection.finish_bulk(db)
    db.execute("UPDATE progress SET seq = ?", (seq,))
    db.execute("COMMIT")
