"""What the files were like when they were last closed: a change made since then is found before anything is served."""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

import msgspec
from msgspec import Struct

from reveried.log import database


class Seal(Struct, kw_only=True, forbid_unknown_fields=True):
    """The log's end, and the digest of every file that is made from the log."""

    head: int
    chain: str
    files: dict[str, str]

    def fits(self, path: Path) -> bool:
        """Whether a file is byte for byte what it was. A write-ahead log beside it would change what it says."""
        return not database.wal_size(path) and self.files.get(path.name) == _digest(path)


def put(place: Path, head: int, chain: bytes, files: Iterable[Path]) -> None:
    """Only when every file is closed: opening a live one would drop SQLite's locks on it."""
    seal = Seal(head=head, chain=chain.hex(), files={path.name: _digest(path) or "" for path in files})
    beside = place.with_name(f"{place.name}.partial")
    beside.write_bytes(msgspec.json.encode(seal))
    database.sync(beside)
    os.rename(beside, place)


def found(place: Path) -> Seal | None:
    """None after a kill, and for a seal that cannot be read: then the files have to prove themselves otherwise."""
    try:
        return msgspec.json.decode(place.read_bytes(), type=Seal)
    except (FileNotFoundError, ValueError):  # msgspec.DecodeError is a ValueError
        return None


def _digest(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return None
