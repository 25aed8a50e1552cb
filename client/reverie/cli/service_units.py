"""The unit files: where they come from, what an install fills in, and how they are laid down without loss."""

import errno
import os
import string
from dataclasses import dataclass
from typing import Final

SERVICE: Final = "reveried.service"
SOCKET: Final = "reveried.socket"
SANDBOX: Final = "reveried.service.d/sandbox.conf"

_PROGRAM_LINE: Final = "ExecStart=%h/.local/bin/reveried"
_WRITABLE_LINE: Final = "ReadWritePaths=%h/.local/share/reverie %h/.config/reverie"
_DATABASES: Final = ("log.db", "state.db", "archive.db", "vectors.db")
_BESIDE_THEM: Final = frozenset({"backups", "lock"})
_NEEDS_NO_QUOTES: Final = frozenset(string.ascii_letters + string.digits + "/._-+:@=,")


class UnitsMissing(Exception):
    pass


@dataclass(frozen=True)
class Places:
    """What differs from one machine to the next."""

    program: str
    data: str
    config: str

    @property
    def directories(self) -> tuple[str, str]:
        return self.data, os.path.dirname(self.config)


@dataclass(frozen=True)
class Change:
    path: str
    before: str | None
    after: str | None
    backup: str | None = None

    @property
    def made(self) -> bool:
        return self.before != self.after

    def diff(self) -> str:
        import difflib

        before = (self.before or "").splitlines(keepends=True)
        after = (self.after or "").splitlines(keepends=True)
        return "".join(difflib.unified_diff(before, after, self.path, f"{self.path} (new)"))


def source_dir() -> str:
    """Beside the package in an installed wheel, at the top of the tree in a source checkout."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    candidates = (
        os.path.join(package, "systemd"),
        os.path.join(os.path.dirname(os.path.dirname(package)), "systemd"),
    )
    for candidate in candidates:
        if os.path.isfile(os.path.join(candidate, SERVICE)):
            return candidate
    raise UnitsMissing(f"no unit files in {' or '.join(candidates)}: this installation is incomplete")


def target_dir() -> str:
    config = os.environ.get("XDG_CONFIG_HOME", "")
    if not config.startswith("/"):
        config = os.path.expanduser("~/.config")
    return os.path.join(config, "systemd", "user")


def rendered(name: str, places: Places) -> str:
    with open(os.path.join(source_dir(), name), encoding="utf-8") as source:
        text = source.read()
    if name == SERVICE:
        return text.replace(_PROGRAM_LINE, "\n".join(_program_lines(places)))
    if name == SANDBOX:
        return text.replace(_WRITABLE_LINE, f"ReadWritePaths={' '.join(map(quoted, places.directories))}")
    return text


def _program_lines(places: Places) -> list[str]:
    # The user manager does not see the variables of this shell, so what they decided is written down.
    return [
        f"ExecStart={quoted(places.program)}",
        f"Environment={quoted('REVERIE_DATA=' + places.data)}",
        f"Environment={quoted('REVERIE_CONFIG=' + places.config)}",
    ]


def quoted(value: str) -> str:
    value = value.replace("%", "%%")
    if set(value) <= _NEEDS_NO_QUOTES | {"%"}:
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def write(path: str, text: str) -> Change:
    """Puts `text` at `path` at once or not at all; what stood there and differed is kept under another name."""
    before = read(path)
    if before == text:
        return Change(path, before, text)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    scratch = f"{path}.{os.getpid()}.new"
    with open(scratch, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.chmod(scratch, 0o644)
    backup = None if before is None else _set_aside(path)
    os.replace(scratch, path)
    return Change(path, before, text, backup)


def remove(path: str, ours: str) -> Change:
    """Takes the file away; an edited one is set aside instead of deleted."""
    before = read(path)
    if before is None:
        return Change(path, None, None)
    backup = None
    if before == ours:
        os.unlink(path)
    else:
        backup = _set_aside(path)
    return Change(path, before, None, backup)


def read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _set_aside(path: str) -> str:
    backup, number = f"{path}.bak", 1
    while os.path.lexists(backup):
        number += 1
        backup = f"{path}.bak{number}"
    os.rename(path, backup)
    return backup


def drop_if_empty(directory: str) -> bool:
    try:
        os.rmdir(directory)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTEMPTY):
            return False
        raise
    return True


def purge(places: Places) -> list[str]:
    """Deletes what is Reverie's and nothing beside it: the data variable could name any directory."""
    import shutil

    removed: list[str] = []
    if os.path.exists(os.path.join(places.data, "log.db")):
        for name in _data_of(places.data):
            path = os.path.join(places.data, name)
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            else:
                os.unlink(path)
            removed.append(path)
    if os.path.lexists(places.config):
        os.unlink(places.config)
        removed.append(places.config)
    return removed + [directory for directory in places.directories if drop_if_empty(directory)]


def _data_of(directory: str) -> list[str]:
    names = sorted(os.listdir(directory))
    # By their beginnings, because SQLite keeps journals beside its databases.
    return [name for name in names if name.startswith(_DATABASES) or name in _BESIDE_THEM]
