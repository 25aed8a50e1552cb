"""Opens a harmed store as a start would, without a process for each: so there can be thousands of harms.

What is then believed is held against what the log folds to. Only what a start leaves unproved may be wrong, and then
the proof behind the start must find it.
"""

import random
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from corruption import HARMS, LOG, events_in
from reveried.app.directory import DataDirectory
from reveried.app.opening import Opened, open_state
from reveried.errors import LogDamaged
from reveried.log import database
from reveried.log.sqlite import SqliteLog
from reveried.log.verify import verify_rows
from reveried.state.child import Verified, verify
from reveried.state.soundness import is_sound


class Openings:
    """One store, and one harm after the other to copies of it."""

    def __init__(self, store: Path, scratch: Path) -> None:
        self._store, self._data = store, scratch / "data"
        self._copied()
        with closing(database.open_reader(self._data / "log.db")) as log:
            self._expected = verify(log, self._data / "state.db", self._data / "archive.db")
        assert self._expected.live_digest == self._expected.replayed_digest
        self._vectors = _vectors_in(self._data)
        self._events = events_in(self._data)

    def _copied(self) -> None:
        shutil.rmtree(self._data, ignore_errors=True)
        shutil.copytree(self._store, self._data)

    def trial(self, name: str, harm: str, seed: int) -> str:
        """How it came out; raises when something wrong would have been served in silence."""
        self._copied()
        HARMS[harm](self._data / name, random.Random(seed))
        try:
            lost = name in LOG and events_in(self._data) != self._events
            return self._log_damage() if lost else self._state_damage()
        except Exception as error:
            raise AssertionError(f"{harm} of {name}, seed {seed}: {error}") from error

    def _log_damage(self) -> str:
        try:
            with _opened(self._data) as opened, closing(database.open_reader(self._data / "log.db")) as log:
                found = opened.mismatch or "".join(verify_rows(log).problems[:1])
        except LogDamaged:
            return "refused to start"
        assert "event " in found, f"found nothing: {found!r}"
        return "located"

    def _state_damage(self) -> str:
        before = (self._data / "state.db").stat().st_ino if (self._data / "state.db").exists() else 0
        proved, verified = self._started()
        wrong = not self._is_right(verified)
        assert not (proved and wrong), "it passed for proved"
        if wrong:
            (self._data / "state.rebuild").touch()
            assert self._is_right(self._started()[1]), "it was not mended"
            return "found behind the start"
        made_anew = (self._data / "state.db").stat().st_ino != before or _vectors_in(self._data) != self._vectors
        return "made anew at the start" if made_anew else "no harm"

    def _started(self) -> tuple[bool, Verified]:
        """Whether the start calls its state proved, and what the proof behind it finds."""
        with _opened(self._data) as opened, closing(database.open_reader(self._data / "log.db")) as log:
            found = verify(log, self._data / "state.db", self._data / "archive.db")
            found.vectors_sound = is_sound(self._data / "vectors.db")
            return opened.proved, found

    def _is_right(self, found: Verified) -> bool:
        assert found.chain.problems == []
        assert found.replayed_digest == self._expected.replayed_digest
        vectors = _vectors_in(self._data) if found.vectors_sound else None
        return found.live_digest == found.replayed_digest and vectors in (self._vectors, [])


@contextmanager
def _opened(data: Path) -> Iterator[Opened]:
    with ExitStack() as stack:
        directory = DataDirectory(data)
        stack.callback(directory.close)
        directory.require_log()
        log = stack.enter_context(closing(SqliteLog(directory.log)))
        opened = open_state(directory, log, lambda _: None)
        stack.callback(opened.store.abandon)
        stack.callback(opened.vectors._db.close)
        yield opened


def _vectors_in(data: Path) -> list[tuple[object, ...]]:
    with closing(database.open_reader(data / "vectors.db")) as db:
        return db.execute("SELECT * FROM vectors ORDER BY rowid").fetchall()
