"""Copies of the log. An erasure reaches them too: each copy learns of it the way the log itself does."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from reveried.domain.events import MemoryErased
from reveried.errors import LogDamaged, StorageFailed, StorageFull
from reveried.log import database
from reveried.log.scouring import left_in
from reveried.log.sqlite import SqliteLog
from reveried.log.verify import verify_rows
from reveried.ports import NewEvent

_ERASING = "erasing"
_log = logging.getLogger(__name__)


class Backups:
    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._marker = directory / _ERASING
        # An earlier erasure was cut off, or could not be finished: what it left undone is not known.
        self._cut_off = self._marker.exists()

    def make(self, log: SqliteLog, now: int) -> Path:
        day = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now / 1_000_000))
        path = self._directory / f"log-{day}-{log.head}.db"
        self._remove_halves()
        log.copy_to(path)
        return path

    def _remove_halves(self) -> None:
        """What a kill left of copies that were being made."""
        for half in self._directory.glob("*.partial*"):
            half.unlink()
        for beside in self._directory.glob("log-*.db-*"):
            if not beside.with_name(beside.name.rpartition("-")[0]).exists():
                beside.unlink()

    def remove(self, path: Path) -> None:
        database.remove(path)

    def all(self) -> list[Path]:
        return sorted(self._directory.glob("log-*.db"))

    def newest_age(self, now_seconds: float) -> float | None:
        ages = [now_seconds - path.stat().st_mtime for path in self.all()]
        return min(ages, default=None)

    def begin_erasure(self) -> None:
        """From here on a kill cannot leave a copy behind that still holds the words: the next start goes on."""
        self._marker.touch(mode=0o600)
        database.sync(self._directory)

    @property
    def unfinished(self) -> bool:
        return self._marker.exists()

    def finish_erasures(self, log: SqliteLog, now: int) -> bool:
        """True when neither the log nor a copy holds erased words any more; else the next erasure, or the next start,
        goes on."""
        if not self.unfinished:
            return True
        if self._cut_off:
            log.suspect()
        done = log.scrub() and self._reached(log, now)
        self._remove_halves()
        self._cut_off = not done
        if done:
            self._marker.unlink()
        return done

    def _reached(self, log: SqliteLog, now: int) -> bool:
        copies: list[SqliteLog] = []
        reached = [_tried(path, partial(_told, copies, path, log, now, self._cut_off)) for path in self.all()]
        left = left_in({copy.path: copy.file.erased for copy in copies})
        reached += [_tried(copy.path, partial(_finished, copy, copy.path in left)) for copy in copies]
        return all(reached)


def _tried(path: Path, work: Callable[[], bool]) -> bool:
    try:
        return work()
    except (StorageFull, StorageFailed, LogDamaged, *database.Unreadable) as error:
        if not _is_ruined(path, error):
            _log.warning("an erasure could not reach %s: %s", path.name, error)
            return False
        # It is worthless as a copy, and nobody could say whose words it still holds.
        _log.warning("a ruined backup was removed: %s", error)
        database.remove(path)
        return True


def _is_ruined(path: Path, error: Exception) -> bool:
    """A read that the disk failed is told as damage too, so only what a second look also finds wrong is given up."""
    passing = isinstance(error, database.Unreadable) and database.is_passing(error)
    if passing or isinstance(error, StorageFull | StorageFailed) or not database.is_readable(path):
        return False
    try:
        with closing(database.open_reader(path)) as copy:
            return bool(verify_rows(copy).problems)
    except database.Unreadable as again:
        return not database.is_passing(again)


def _told(copies: list[SqliteLog], path: Path, log: SqliteLog, now: int, suspected: bool) -> bool:
    """One more that may have to be packed; it stays open until it is `_finished`."""
    with ExitStack() as stack:
        copy = stack.enter_context(closing(SqliteLog(path)))
        if suspected:
            copy.suspect()
        if missing := list(_missing(log, copy)):
            copy.erase_all(missing, now)
        if not copy.file.emptied():
            return False
        copies.append(copy)
        stack.pop_all()
        return True


def _finished(copy: SqliteLog, packing: bool) -> bool:
    with closing(copy):
        return copy.file.packed() if packing else True


def _missing(log: SqliteLog, copy: SqliteLog) -> Iterator[NewEvent]:
    known = copy.head
    done = {recorded.subject for recorded in copy.of_type(MemoryErased.type)}
    for recorded in log.of_type(MemoryErased.type):
        if recorded.subject is not None and recorded.subject <= known and recorded.subject not in done:
            known_of = recorded.event if isinstance(recorded.event, MemoryErased) else MemoryErased()
            event = replace(known_of, reason="erased after this copy was made", request="")
            yield NewEvent(recorded.namespace, recorded.actor, event, recorded.subject)
