"""State made anew from the log, beside the live files: for a rebuild, for proof, and for any moment of the past."""

import gc
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from msgspec import Struct

from reveried.log import database
from reveried.log.sqlite import head_of, read_events
from reveried.state.beside import FOLLOWING, Helper, follow, helper
from reveried.state.bulk import BulkFile
from reveried.state.catalog import ARCHIVED, LIVE
from reveried.state.digest import digests_of, state_digest, united
from reveried.state.fold import Fold

BATCH = 20_000
# Records wait in memory and are written once, however often they changed; this many are held at most.
HELD_RECORDS = 100_000
OF_RECORDS = tuple(projection for projection in LIVE if projection not in FOLLOWING)


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
    head = head_of(log)
    head = head if upto is None else min(upto, head)
    with ExitStack() as stack:
        stack.enter_context(_no_collecting())
        live = stack.enter_context(closing(BulkFile(live_path, LIVE)))
        archive = stack.enter_context(closing(BulkFile(archive_path, ARCHIVED)))
        beside = stack.enter_context(helper(log, live_path, head))
        if not _filled(log, live, archive, head, report, beside):
            beside = None
        digest = _digest(live, archive, beside) if prove else ""
    database.sync(live_path)
    database.sync(archive_path)
    return Replayed(events=head, digest=digest)


@contextmanager
def _no_collecting() -> Iterator[None]:
    """A replay makes no cycles, and looking for them among all those records costs a third of the time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _filled(
    log: sqlite3.Connection,
    live: BulkFile,
    archive: BulkFile,
    head: int,
    report: Callable[[int], None],
    beside: Helper | None,
) -> bool:
    """Whether the helper did its half."""
    _fold(log, live, archive, head, report, alone=beside is None)
    archive.finish(ARCHIVED)
    live.finish(OF_RECORDS)
    filled = beside is not None and beside.filled()
    if beside is not None and not filled:
        follow(log, live, head)
    live.finish(FOLLOWING)
    if beside is not None and filled:
        live.take_tables(beside.path)
    for file in (live, archive):
        file.seal(head)
    return filled


def _fold(
    log: sqlite3.Connection,
    live: BulkFile,
    archive: BulkFile,
    head: int,
    report: Callable[[int], None],
    *,
    alone: bool,
) -> None:
    fold = Fold(live.db, archive.db, 0, deciding=False)
    seq = 0
    while batch := list(read_events(log, seq, head, BATCH)):
        seq = batch[-1].seq
        for recorded in batch:
            fold.apply(recorded)
        if alone:
            live.write(batch, ())
        fold.events.clear()
        if fold.held > HELD_RECORDS:
            _write_records(live, archive, fold, seq)
        report(seq)
    _write_records(live, archive, fold, seq)


def _write_records(live: BulkFile, archive: BulkFile, fold: Fold, seq: int) -> None:
    live.write((), fold.live_changes())
    archive.write((), fold.archive_changes())
    fold.clear(seq)


def _digest(live: BulkFile, archive: BulkFile, beside: Helper | None) -> str:
    if beside is None:
        return state_digest(live.db, archive.db)
    live.let_read()
    beside.ask_digests(live.path)
    of_live = digests_of(live.db, OF_RECORDS)
    of_live |= beside.digests() or digests_of(live.db, FOLLOWING)
    return united(of_live, digests_of(archive.db, ARCHIVED))
