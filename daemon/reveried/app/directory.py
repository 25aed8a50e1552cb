"""The data directory: its files, its lock, and who may look inside."""

import fcntl
import os
import shutil
import stat
from pathlib import Path

from reveried.errors import LogDamaged, ReverieError
from reveried.log import database


class CannotOpen(ReverieError):
    """The directory cannot be used; `exit_code` is what the process ends with."""

    code = "cannot_open"

    def __init__(self, message: str, *, exit_code: int, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.exit_code = exit_code


class DataDirectory:
    """Held by at most one daemon at a time, for as long as this object is open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.log = path / "log.db"
        self.live = path / "state.db"
        self.archive = path / "archive.db"
        self.vectors = path / "vectors.db"
        self.backups = path / "backups"
        self.damage = path / "log.damaged"
        self.rebuild_wanted = path / "state.rebuild"
        self.seal = path / "state.seal"
        _make_private(path)
        _make_private(self.backups)
        self._lock = _locked(path / "lock")

    @property
    def new_live(self) -> Path:
        return self.path / "state.db.new"

    @property
    def new_archive(self) -> Path:
        return self.path / "archive.db.new"

    def known_damage(self) -> str | None:
        """What an earlier look at the log found wrong with it."""
        if not self.damage.exists():
            return None
        return (self.damage.read_text().splitlines() or ["an earlier check found it damaged"])[0]

    def require_log(self) -> None:
        """An empty log beside a state that was made from a full one would forget everything without a word."""
        if not self.log.exists() and (self.live.exists() or self.archive.exists()):
            hint = "put it back, or a backup; to begin with nothing, remove the state too"
            raise LogDamaged(f"{self.log} cannot be read: it is gone, though its state is here", hint=hint)

    def remove_unfinished_state(self) -> None:
        for path in self.path.glob("*.new*"):
            path.unlink(missing_ok=True)

    def remove_leftovers(self) -> None:
        """What an interrupted rebuild or verification left behind."""
        self.remove_unfinished_state()
        for scratch in self.path.glob("verify-*"):
            # One who is ending may be tidying up there, too; what is left even so, the next start removes.
            shutil.rmtree(scratch, ignore_errors=True)

    def remove_state(self) -> None:
        database.remove(self.live)
        database.remove(self.archive)

    def close(self) -> None:
        os.close(self._lock)


def _make_private(path: Path) -> None:
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = path.lstat()
    if stat.S_ISLNK(found.st_mode) or found.st_uid != os.getuid():
        raise CannotOpen(f"{path} is not a directory of your own", exit_code=77, hint="choose another with --data")
    if stat.S_IMODE(found.st_mode) & 0o077:
        path.chmod(0o700)


def _locked(path: Path) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise CannotOpen(
            f"another daemon works in {path.parent}", exit_code=75, hint="`reverie status` asks that one"
        ) from None
    return descriptor
