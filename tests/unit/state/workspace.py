"""A log and the two state files in a directory that is gone when the test is, and their digests."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reveried.log import database
from reveried.log.sqlite import SqliteLog
from reveried.state.digest import state_digest
from reveried.state.rebuild import replay
from reveried.state.store import StateStore
from unit.domain.histories import Act, World


class Workspace:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.log = SqliteLog(path / "log.db")
        self.store = self.open_store()
        self.world = World(self.log, lambda recorded: self.store.fold.apply(recorded))

    def open_store(self) -> StateStore:
        return StateStore(self.path / "state.db", self.path / "archive.db")

    def reopen(self) -> None:
        """As after a kill: what was folded but not written is forgotten, then the log tells it again."""
        self.store.close()
        self.store = self.open_store()

    def live_through(self, acts: list[Act]) -> None:
        """Each act is decided and folded at once, and projected whenever the history says so."""
        for act in acts:
            if act.what == "flush":
                self.flush()
            else:
                self.world.act(act)
        self.flush()

    def flush(self) -> None:
        self.log.commit()
        self.store.flush()

    def digest(self) -> str:
        live, archive = database.open_reader(self.store.live_path), database.open_reader(self.store.archive_path)
        try:
            return state_digest(live, archive)
        finally:
            live.close()
            archive.close()

    def replayed(self, upto: int | None = None) -> str:
        reader = database.open_reader(self.log.path)
        try:
            with tempfile.TemporaryDirectory(dir=self.path) as scratch:
                return replay(reader, Path(scratch, "s.db"), Path(scratch, "a.db"), upto).digest
        finally:
            reader.close()

    def close(self) -> None:
        self.store.close()
        self.log.close()


# What is tested here is logic, not the disk: files that live in memory spare thousands of waits for it.
_FAST = "/dev/shm" if Path("/dev/shm").is_dir() else None


@contextmanager
def workspace() -> Iterator[Workspace]:
    with tempfile.TemporaryDirectory(dir=_FAST) as path:
        space = Workspace(Path(path))
        try:
            yield space
        finally:
            space.close()
