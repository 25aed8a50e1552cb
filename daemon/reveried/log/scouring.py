"""Leaving nothing of an erased text in a file: not in its write-ahead log, nor where a page holds no row."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

from reveried.log import database, traces

# None when nobody knows any more what was erased.
Texts = Collection[str] | None
# Characters; each is the beginning of several pieces, all of which are held in memory.
MOST = 200_000


def scour(db: sqlite3.Connection, path: Path, erased: Texts) -> bool:
    """False while a reader holds on to an old page, or the disk has no room for the file to be packed anew."""
    if not database.checkpoint(db, "TRUNCATE"):
        return False
    if erased is not None and not _left_in(path, erased):
        return True
    return _packed(db) and database.checkpoint(db, "TRUNCATE")


def _left_in(path: Path, texts: Collection[str]) -> bool:
    """When it cannot be told, or would cost more than packing the file, traces are as good as found."""
    if sum(map(len, texts)) > MOST:
        return True
    command = [sys.executable, "-I", "-S", traces.__file__, str(path)]
    given = json.dumps(sorted(texts)).encode()
    return bool(texts) and subprocess.run(command, input=given, check=False).returncode != traces.NONE


def _packed(db: sqlite3.Connection) -> bool:
    try:
        db.execute("VACUUM")
    except sqlite3.OperationalError as error:
        if not database.is_full(error):
            raise
        return False
    return True
