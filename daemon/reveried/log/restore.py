"""A log made from its own export, line by line: digests and links are checked, and only a whole one gets its name."""

import os
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from reveried.errors import LogDamaged
from reveried.log import database
from reveried.log.sqlite import DDL
from reveried.log.verify import verify_rows
from reveried.ports import ChainReport


class Heading(msgspec.Struct, frozen=True, kw_only=True):
    """The first line: a file that was cut off ends before the event and the chain value it names."""

    format: str
    version: int
    events: int
    chain: str


class Line(msgspec.Struct, frozen=True, kw_only=True):
    seq: int
    at: int
    type: str
    namespace: str
    subject: int | None
    actor: str
    key: str | None
    payload: str | None
    digest: str
    chain: str


FORMAT, VERSION = "reverie.events", 1
_heading = msgspec.json.Decoder(Heading).decode
_line = msgspec.json.Decoder(Line).decode
Row = tuple[object, ...]


def restore(lines: Iterable[bytes], path: Path) -> ChainReport:
    """Make `path`, which must not exist, hold exactly these events; nothing is left behind when they do not fit."""
    beside = path.with_name(f"{path.name}.restoring")
    beside.unlink(missing_ok=True)
    database.create(beside, DDL)
    try:
        report = _filled(iter(lines), beside)
    except BaseException:
        _remove(beside)
        raise
    database.sync(beside)
    os.rename(beside, path)
    database.sync(path.parent)
    return report


def _filled(lines: Iterator[bytes], path: Path) -> ChainReport:
    heading = _read_heading(next(lines, b""))
    # One transaction, and no write-ahead log that could stay behind: nobody else knows this file yet.
    db = sqlite3.connect(path, isolation_level=None)
    try:
        with database.transaction(db):
            db.executemany("INSERT INTO events VALUES (?,?,?,?,?,?,?,?,?,?)", _rows(lines))
        report = verify_rows(db)
    except sqlite3.IntegrityError as error:
        raise LogDamaged(f"two lines cannot both be true: {error}") from error
    except OverflowError as error:
        raise LogDamaged(f"a line holds a number that no log has: {error}") from error
    finally:
        db.close()
    if report.head != heading.events:
        said = f"the file should end with event {heading.events}, but ends with {report.head}"
        raise LogDamaged(said, hint="it was cut off; export it again")
    if report.problems or report.chain != heading.chain:
        said = report.problems[0] if report.problems else "the chain ends otherwise than the heading says"
        raise LogDamaged(f"the events do not fit together: {said}", hint="export them again")
    return report


def _read_heading(line: bytes) -> Heading:
    try:
        heading = _heading(line)
    except (ValueError, RecursionError) as error:  # msgspec.MsgspecError is a ValueError
        raise LogDamaged(f"line 1 is not the heading of exported events: {error}") from error
    if (heading.format, heading.version) != (FORMAT, VERSION):
        raise LogDamaged(f"line 1 names {heading.format} {heading.version}; this version reads {FORMAT} {VERSION}")
    return heading


def _rows(lines: Iterator[bytes]) -> Iterator[Row]:
    for number, text in enumerate(lines, 2):
        try:
            line = _line(text)
            payload = None if line.payload is None else line.payload.encode()
            digests = bytes.fromhex(line.digest), bytes.fromhex(line.chain)
        except (ValueError, RecursionError) as error:
            raise LogDamaged(f"line {number} is not an event: {error}") from error
        yield line.seq, line.at, line.type, line.namespace, line.subject, line.actor, line.key, payload, *digests


def _remove(path: Path) -> None:
    for suffix in ("", "-journal", "-wal", "-shm"):
        path.with_name(f"{path.name}{suffix}").unlink(missing_ok=True)
