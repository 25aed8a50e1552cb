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

from reveried.errors import LogDamaged, ReverieError
from reveried.log import database
from reveried.log.sqlite import seq_at
from reveried.log.verify import unlike, verify_rows
from reveried.ports import ChainReport
from reveried.state.digest import state_digest
from reveried.state.orphans import dies_with
from reveried.state.rebuild import Replayed, replay

SNAPSHOT_TRIES = 200
UNREADABLE = "unreadable"


class Verified(msgspec.Struct, kw_only=True):
    chain: ChainReport
    live_digest: str
    replayed_digest: str
    unexpected: str = ""


def main() -> int:
    parser = argparse.ArgumentParser(prog="reveried.state.child")
    parser.add_argument("work", choices=("verify", "check", "replay", "snapshot"))
    for name in ("log", "live", "archive"):
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
    except (ReverieError, sqlite3.DatabaseError, OSError) as error:
        full = not isinstance(error, ReverieError) and database.is_full(error)
        sys.stdout.write(msgspec.json.encode({"error": str(error), "full": full}).decode())
        return 1
    sys.stdout.write(msgspec.json.encode(result).decode())
    return 0


def _work(args: argparse.Namespace) -> Verified | ChainReport | Replayed:
    log = database.open_reader(args.log)
    try:
        if args.work == "verify":
            done = verify(log, args.live, args.archive)
            done.unexpected = unlike(log, args.expect) if args.expect else ""
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
    live, archive = database.open_reader(live_path), database.open_reader(archive_path)
    seq, live_digest = None, UNREADABLE
    try:
        seq = _same_moment(live, archive)
        live_digest = state_digest(live, archive)
    except sqlite3.DatabaseError as error:
        if database.is_passing(error):
            raise
    finally:
        live.close()
        archive.close()
    if chain.problems:
        return Verified(chain=chain, live_digest=live_digest, replayed_digest="")
    with tempfile.TemporaryDirectory(prefix="verify-", dir=live_path.parent) as scratch:
        try:
            replayed = replay(log, Path(scratch, "state.db"), Path(scratch, "archive.db"), seq).digest
        except LogDamaged as damage:
            chain.problems.append(damage.message)
            replayed = ""
    return Verified(chain=chain, live_digest=live_digest, replayed_digest=replayed)


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
    raise ReverieError("the two state files never stood at the same event", hint="try again when less is written")


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
