"""A file as it is and as it is to be: read whole, written at once or not at all, with the old one kept beside it."""

import difflib
import os
import stat
from typing import NamedTuple

from reverie.cli.clients.refusal import Unusable

LARGEST = 64 * 1024 * 1024
_MARK = "\ufeff"


class Change(NamedTuple):
    path: str
    before: str | None
    after: str

    @property
    def made(self) -> bool:
        return (self.before or "") != self.after

    def diff(self) -> str:
        before, after = (self.before or "").splitlines(keepends=True), self.after.splitlines(keepends=True)
        named = "/dev/null" if self.before is None else self.path
        lines = difflib.unified_diff(before, after, named, self.path)
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def read(path: str) -> str | None:
    try:
        if os.path.getsize(path) > LARGEST:
            raise Unusable("it is too large to be a configuration")
        with open(path, "rb") as file:
            return file.read().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise Unusable("it is not UTF-8 text") from error
    except OSError as error:
        raise Unusable(f"it cannot be read: {error.strerror}") from error


class Style(NamedTuple):
    """How a file ends its lines and whether it begins with a mark; edits are made without either."""

    mark: bool
    returns: bool

    @classmethod
    def of(cls, text: str) -> "Style":
        return cls(text.startswith(_MARK), "\r\n" in text and text.count("\r\n") == text.count("\n"))

    def bare(self, text: str) -> str:
        text = text.removeprefix(_MARK) if self.mark else text
        return text.replace("\r\n", "\n") if self.returns else text

    def dressed(self, text: str) -> str:
        text = text.replace("\n", "\r\n") if self.returns else text
        return _MARK + text if self.mark else text


def write(change: Change) -> str | None:
    """Put it in place; returns where the old one is kept. A link is followed: what it points to is changed."""
    path = os.path.realpath(change.path)
    if read(path) != change.before:
        raise Unusable("it was changed by somebody else just now; try again")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    mode = 0o600 if change.before is None else stat.S_IMODE(os.stat(path).st_mode)
    backup = None if change.before is None else _written_anew(f"{path}.bak", change.before, mode)
    scratch = _written_anew(f"{path}.reverie-new", change.after, mode)
    os.replace(scratch, path)
    return backup


def _written_anew(path: str, text: str, mode: int) -> str:
    """Written under this name or, where it is taken, the next one that is free."""
    free, number = path, 1
    while os.path.lexists(free):
        number += 1
        free = f"{path}{number}"
    descriptor = os.open(free, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "wb") as file:
        file.write(text.encode("utf-8"))
        file.flush()
        os.fsync(file.fileno())
    os.chmod(free, mode)
    return free
