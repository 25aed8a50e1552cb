"""Bringing the state up to the log before anything is served: catch up, or make it anew."""

import logging
import os
from collections.abc import Callable

from reveried.app.directory import DataDirectory
from reveried.errors import LogDamaged
from reveried.log import database
from reveried.log.sqlite import SqliteLog
from reveried.state.rebuild import replay
from reveried.state.store import StateStore, is_usable

_log = logging.getLogger(__name__)


def open_state(
    directory: DataDirectory, log: SqliteLog, report: Callable[[int], None]
) -> tuple[StateStore, str | None]:
    """The state as far as the log can be read, and what is wrong with the log, if anything is."""
    directory.remove_leftovers()
    damage = directory.damage.read_text().splitlines()[0] if directory.damage.exists() else None
    try:
        if directory.rebuild_wanted.exists() or not is_usable(directory.live, directory.archive):
            _renew(directory, log, report)
        store = StateStore(directory.live, directory.archive)
        store.catch_up(log, report)
    except LogDamaged as error:
        _log.error("the log is damaged: %s", error.message)
        directory.damage.write_text(error.message)
        return _as_far_as_possible(directory, log), damage or error.message
    return store, damage


def _renew(directory: DataDirectory, log: SqliteLog, report: Callable[[int], None]) -> None:
    directory.remove_state()
    if log.head:
        _log.info("making the state anew from %d events", log.head)
        reader = database.open_reader(log.path)
        try:
            replay(reader, directory.new_live, directory.new_archive, report=report)
        finally:
            reader.close()
        os.rename(directory.new_archive, directory.archive)
        os.rename(directory.new_live, directory.live)
        database.sync(directory.path)
    directory.rebuild_wanted.unlink(missing_ok=True)


def _as_far_as_possible(directory: DataDirectory, log: SqliteLog) -> StateStore:
    """Everything before the damage can still be read; nothing after it can be trusted."""
    directory.remove_leftovers()
    if not is_usable(directory.live, directory.archive):
        directory.remove_state()
    store = StateStore(directory.live, directory.archive)
    try:
        store.catch_up(log)
    except LogDamaged:
        store.flush()
    return store
