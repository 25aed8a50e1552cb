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
    if directory.rebuild_wanted.exists() or not is_usable(directory.live, directory.archive, log.head):
        _renew(directory, log, report)
    store = StateStore(directory.live, directory.archive)
    try:
        store.catch_up(log, report)
    except LogDamaged as error:
        # Everything before the damage can still be read; nothing after it can be trusted.
        store.flush()
        return store, error.message
    return store, directory.known_damage()


def _renew(directory: DataDirectory, log: SqliteLog, report: Callable[[int], None]) -> None:
    """All at once is many times faster than event by event, which is left for a log that breaks off somewhere."""
    directory.remove_state()
    _log.info("making the state anew from %d events", log.head)
    reader = database.open_reader(log.path)
    try:
        replay(reader, directory.new_live, directory.new_archive, report=report, prove=False)
    except LogDamaged as error:
        _log.error("the log cannot be read to its end: %s", error.message)
        directory.remove_leftovers()
    else:
        os.rename(directory.new_archive, directory.archive)
        os.rename(directory.new_live, directory.live)
        database.sync(directory.path)
    finally:
        reader.close()
    directory.rebuild_wanted.unlink(missing_ok=True)
