"""Work that would hold up the daemon, in a process of its own: replaying and verifying. Prints one JSON object.

It opens every live file read-only, so the daemon stays the only one that writes.
"""

import argparse
import os
import sqlite3
import sys
import tempfile
import time
from pathlib import Path

import msgspec

from reveried.domain.events import MemoryErased
from reveried.errors import Busy, LogDamaged, ReverieError
from reveried.log import database
from reveried.log.sqlite import seq_at
from reveried.log.verify import unlike, verify_rows
from reveried.ports import ChainReport
from reveried.state.digest import state_digest
from reveried.state.orphans import dies_with
from reveried.state.rebuild import Replayed, replay
from reveried.state.soundness import is_sound

SNAPSHOT_TRIES = 200
LOOKS = 5
UNREADABLE = "unreadable"


class Verified(msgspec.Struct, kw_only=True):
    chain: ChainReport
    live_digest: str
    replayed_digest: str
    unexpected: str = ""
    vectors_sound: bool = True


def main() -> int:
    parser = argparse.ArgumentParser(prog="reveried.state.child")
    parser.add_argument("work", choices=("verify", "check", "replay", "snapshot"))
    for name in ("log", "live", "archive", "vectors"):
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--expect", default="")
    parser.add_argument("--parent", type=int, default=os.getppid())
    parser.add_argument("--to", type=int)
    parser.add_argument("--to-time", type=int)
    args = parser.parse_args()
    if not dies_with(args.parent):
        return 1
    os.nice(10)
    try:
        result = _work(args)
    except (ReverieError, *database.FileTrouble) as error:
        full = not isinstance(error, ReverieError) and database.is_full(error)
        said = {"error": str(error), "full": full, "busy": isinstance(error, Busy)}
        sys.stdout.write(msgspec.json.encode(said).decode())
        return 1
    sys.stdout.write(msgspec.json.encode(result).decode())
    return 0


def _work(args: argparse.Namespace) -> Verified | ChainReport | Replayed:
    log = database.open_reader(args.log)
    try:
        if args.work == "verify":
            done = verify(log, args.live, args.archive)
            done.unexpected = unlike(log, args.expect) if args.expect else ""
            done.vectors_sound = is_sound(args.vectors)
            return done
        if args.work == "check":
            return verify_rows(log)
        upto = args.to if args.to_time is None else seq_at(log, args.to_time)
        if args.work == "replay":
            return replay(log, args.live, args.archive, upto)
        return snapshot(log, args.live, upto)
    finally:
        log.close()


def verify(log: sqlite3.Connection, live_path: Path, archive_path: Path) -> Verified:
    """The chain, and the proof that the live tables are what the log folds to."""
    chain = verify_rows(log)
    for _ in range(LOOKS):
        seq, live_digest = _live_digest(live_path, archive_path)
        replayed = "" if chain.problems else _replayed_digest(log, live_path.parent, seq, chain)
        if live_digest == replayed or chain.problems or seq is None or not _erased_since(log, seq):
            return Verified(chain=chain, live_digest=live_digest, replayed_digest=replayed)
    raise Busy("words were erased during each look at the state", hint="try again when less is erased")


def _live_digest(live_path: Path, archive_path: Path) -> tuple[int | None, str]:
    """Also the event that it holds for; none for files that cannot be read."""
    live, archive = database.open_reader(live_path), database.open_reader(archive_path)
    seq = None
    try:
        seq = _same_moment(live, archive)
        return seq, state_digest(live, archive)
    except database.Unreadable as error:
        if database.is_passing(error):
            raise
        return seq, UNREADABLE
    finally:
        live.close()
        archive.close()


def _replayed_digest(log: sqlite3.Connection, beside: Path, seq: int | None, chain: ChainReport) -> str:
    with tempfile.TemporaryDirectory(prefix="verify-", dir=beside) as scratch:
        try:
            return replay(log, Path(scratch, "state.db"), Path(scratch, "archive.db"), seq).digest
        except LogDamaged as damage:
            chain.problems.append(damage.message)
            return ""


def _erased_since(log: sqlite3.Connection, seq: int) -> bool:
    """An erasure takes words out of earlier events, so a replay up to here is no longer what the state was then. The
    log is not held still meanwhile: its write-ahead log could not be emptied of the words."""
    query = "SELECT 1 FROM events WHERE seq > ? AND type = ? LIMIT 1"
    return log.execute(query, (seq, MemoryErased.type)).fetchone() is not None


def _same_moment(live: sqlite3.Connection, archive: sqlite3.Connection) -> int:
    """Hold a snapshot of both files after the same event; the writer commits one shortly before the other."""
    for _ in range(SNAPSHOT_TRIES):
        seqs = []
        for db in (archive, live):
            db.execute("BEGIN")
            seqs.append(db.execute("SELECT seq FROM progress").fetchone()[0])
        leaving = archive.execute("SELECT count(*) FROM leaving").fetchone()[0]
        if seqs[0] == seqs[1] and not leaving:
            return int(seqs[0])
        for db in (archive, live):
            db.execute("ROLLBACK")
        time.sleep(0.005)
    raise Busy("the two state files never stood at the same event", hint="try again when less is written")


def snapshot(log: sqlite3.Connection, out: Path, upto: int | None) -> Replayed:
    """The state after an event, all in one read-only file: table `memories`, and `archived` beside it."""
    beside = out.with_name(f"{out.name}.archive")
    done = replay(log, out, beside, upto)
    db = sqlite3.connect(out, isolation_level=None)
    try:
        db.execute("ATTACH ? AS archive", (str(beside),))
        db.execute("CREATE TABLE archived AS SELECT * FROM archive.memories")
    finally:
        db.close()
    beside.unlink()
    out.chmod(0o400)
    return done


if __name__ == "__main__":
    sys.exit(main())
