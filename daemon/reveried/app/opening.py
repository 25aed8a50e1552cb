"""Bringing the state up to the log before anything is served: catch up, or make it anew.

State that was closed in peace carries a seal, and one that does not fit is made anew. After a kill there is none; what
such a state says is proved behind the start, see `app.upkeep`. A log that is shorter than what was seen of it once has
lost events: it is never written to, and the state, which may know more, is left as it is.
"""

import logging
import os
from collections.abc import Callable

from msgspec import Struct

from reveried.app import seal
from reveried.app.directory import DataDirectory
from reveried.app.seal import Seal
from reveried.config.schema import StoragePolicy
from reveried.errors import LogDamaged, StateDamaged
from reveried.log import database
from reveried.log.sqlite import SqliteLog
from reveried.state.rebuild import replay
from reveried.state.store import StateStore, as_state_damage, reached
from reveried.state.vectors import VectorStore

_log = logging.getLogger(__name__)
Report = Callable[[int], None]


class Opened(Struct, frozen=True, kw_only=True):
    store: StateStore
    vectors: VectorStore
    # What is wrong with the log, if anything is.
    damage: str | None = None
    # The log is not the one that this state was made from.
    mismatch: str | None = None
    # The state is known to be what the log folds to.
    proved: bool


def open_state(
    directory: DataDirectory, log: SqliteLog, report: Report, policy: Callable[[], StoragePolicy] = StoragePolicy
) -> Opened:
    """The state as far as the log can be read."""
    directory.remove_leftovers()
    closed = seal.found(directory.seal)
    suspected = directory.rebuild_wanted.exists()
    spoilt = closed is not None and not closed.fits(directory.vectors)
    if spoilt:
        _log.error("vectors.db is not what it was when it was closed; the vectors are made anew")
        database.remove(directory.vectors)
    vectors = VectorStore(directory.vectors, policy, suspected=suspected)
    intact = closed is not None and all(map(closed.fits, (directory.live, directory.archive)))
    seen = reached(directory.live, directory.archive)
    mismatch = _mismatch(directory, log, closed, seen or 0)
    if mismatch is None:
        directory.seal.unlink(missing_ok=True)
    renewed = seen is None or (mismatch is None and (suspected or (closed is not None and not intact)))
    if renewed:
        _renew(directory, log, report)
    store, damage = _caught_up(directory, log, report)
    proved = renewed or intact
    known = mismatch or damage or directory.known_damage()
    return Opened(store=store, vectors=vectors, damage=known, mismatch=mismatch, proved=proved)


def _mismatch(directory: DataDirectory, log: SqliteLog, closed: Seal | None, seen: int) -> str | None:
    if not (directory.live.exists() or directory.archive.exists()):
        return None  # whoever puts back an older log removes the state with it, and says by that that it is meant
    known = max(seen, closed.head if closed else 0)
    if known > log.head:
        return f"event {log.head + 1}: missing; the log ends before it, but event {known} was recorded once"
    if closed is not None and log.chain_at(closed.head).hex() != closed.chain:
        return f"event {closed.head}: another one than when the daemon stopped; this is not the log of this state"
    return None


def _caught_up(directory: DataDirectory, log: SqliteLog, report: Report) -> tuple[StateStore, str | None]:
    try:
        return _follow(directory, log, report)
    except StateDamaged as error:
        _log.error("the state is damaged: %s", error.message)
        _renew(directory, log, report)
        return _follow(directory, log, report)


def _follow(directory: DataDirectory, log: SqliteLog, report: Report) -> tuple[StateStore, str | None]:
    with as_state_damage():
        store = StateStore(directory.live, directory.archive)
        try:
            store.catch_up(log, report)
        except LogDamaged as error:
            # Everything before the damage can still be read; nothing after it can be trusted.
            store.flush()
            return store, error.message
        except BaseException:
            store.abandon()
            raise
        return store, None


def _renew(directory: DataDirectory, log: SqliteLog, report: Report) -> None:
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
