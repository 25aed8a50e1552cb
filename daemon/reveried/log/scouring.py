"""Leaving nothing of an erased text in files: not in their write-ahead logs, nor where a page holds no row.

One search does for many files, for starting it takes longer than searching.
"""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

from reveried.log import database, traces

# None when nobody knows any more what was erased.
Texts = Collection[str] | None
# Characters; each is the beginning of several pieces, all of which are held in memory.
MOST = 200_000


class File(NamedTuple):
    path: Path
    db: sqlite3.Connection
    erased: Texts

    def emptied(self) -> bool:
        """False while a reader holds on to an old page."""
        return database.checkpoint(self.db, "TRUNCATE")

    def packed(self) -> bool:
        """False also when the disk has no room for the file once more."""
        try:
            self.db.execute("VACUUM")
        except sqlite3.OperationalError as error:
            if not database.is_full(error):
                raise
            return False
        return self.emptied()


def scour(*files: File) -> bool:
    if not all(file.emptied() for file in files):
        return False
    left = left_in({file.path: file.erased for file in files})
    return all(file.packed() for file in files if file.path in left)


def left_in(files: Mapping[Path, Texts]) -> set[Path]:
    """Those that must be packed. When it cannot be told, or would cost more, traces are as good as found."""
    unsearched = {path for path, texts in files.items() if texts is None or sum(map(len, texts)) > MOST}
    searched = {str(path): sorted(texts) for path, texts in files.items() if texts and path not in unsearched}
    if not searched:
        return unsearched
    command = [sys.executable, "-I", "-S", traces.__file__]
    done = subprocess.run(command, input=json.dumps(searched).encode(), stdout=subprocess.PIPE, check=False)
    return unsearched | {Path(path) for path in (searched if done.returncode else json.loads(done.stdout))}
