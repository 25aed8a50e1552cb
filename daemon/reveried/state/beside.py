"""The half of a replay that needs no records, on a core of its own: what follows events alone.

It fills a file of its own, whose tables the replay takes over as they are, and then makes its share of the digest. It
is a process and not a thread, for both halves are mostly Python; and a fresh one, for a daemon that has threads must
not fork. It dies with whoever started it, and what goes wrong with it is done again there.
"""

import gc
import logging
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import msgspec

from reveried.domain.events import MemoryStored
from reveried.errors import ReverieError
from reveried.log import database
from reveried.log.sqlite import read_events
from reveried.state.bulk import BulkFile
from reveried.state.catalog import LIVE
from reveried.state.digest import Digests, digests_of
from reveried.state.orphans import dies_with

_log = logging.getLogger(__name__)
FOLLOWING = tuple(projection for projection in LIVE if projection.follows)
BATCH = 20_000
# Starting a process and taking over its tables costs about as much as this many events.
WORTH_A_PROCESS = 20_000
FILLED = "filled"
# Of a stored memory nothing is followed but that it was.
_UNREAD = frozenset((MemoryStored.type,))


def follow(log: sqlite3.Connection, file: BulkFile, upto: int) -> None:
    seq = 0
    while batch := list(read_events(log, seq, upto, BATCH, unread=_UNREAD)):
        seq = batch[-1].seq
        file.write(batch, ())


class Helper:
    """The process, as the replay sees it: it is told a line, and answers with one. No answer means that it failed."""

    def __init__(self, told: IO[str], answers: IO[str], path: Path) -> None:
        self._told = told
        self._answers = answers
        self.path = path

    def filled(self) -> bool:
        """Wait until its file is complete."""
        filled = self._answer() == FILLED
        if not filled:
            _log.warning("the second half of a replay failed; it is done again")
        return filled

    def ask_digests(self, of: Path) -> None:
        try:
            self._told.write(f"{of}\n")
            self._told.flush()
        except BrokenPipeError:
            _log.warning("the second half of a replay ended early; its digests are made again")

    def digests(self) -> Digests | None:
        answer = self._answer()
        return msgspec.json.decode(answer, type=Digests) if answer else None

    def _answer(self) -> str:
        return self._answers.readline().strip()


@contextmanager
def helper(log: sqlite3.Connection, beside: Path, upto: int) -> Iterator[Helper | None]:
    """None where it would not pay, or no second process can be had."""
    path = beside.with_name(f"{beside.name}.beside")
    process = _started(log, path, upto) if _pays(upto) else None
    if process is None or process.stdin is None or process.stdout is None:
        yield None
        return
    try:
        yield Helper(process.stdin, process.stdout, path)
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with suppress(BrokenPipeError):  # it may have ended before it read what it was told
                pipe.close()
        for left in path.parent.glob(f"{path.name}*"):
            left.unlink()


def _pays(events: int) -> bool:
    return events >= WORTH_A_PROCESS and len(os.sched_getaffinity(0)) > 1


def _started(log: sqlite3.Connection, path: Path, upto: int) -> "subprocess.Popen[str] | None":
    ((_, _, source),) = log.execute("PRAGMA database_list").fetchall()
    path.unlink(missing_ok=True)
    command = [sys.executable, "-m", "reveried.state.beside", str(source), str(path), str(upto), str(os.getpid())]
    try:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    except OSError as error:
        _log.warning("a replay works alone: %s", error)
        return None


def main() -> int:
    source, path, upto, parent = sys.argv[1:]
    if not dies_with(int(parent)):
        return 1
    gc.disable()  # as in the replay itself
    try:
        _serve(Path(source), Path(path), int(upto))
    except (ReverieError, sqlite3.DatabaseError, OSError) as error:
        sys.stderr.write(f"half of a replay: {error}\n")
        return 1
    return 0


def _serve(source: Path, path: Path, upto: int) -> None:
    log = database.open_reader(source)
    file = BulkFile(path, FOLLOWING)
    follow(log, file, upto)
    file.finish(FOLLOWING)
    file.close()
    _say(FILLED)
    if wanted := sys.stdin.readline().strip():
        db = database.open_reader(Path(wanted))
        _say(msgspec.json.encode(digests_of(db, FOLLOWING)).decode())


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
