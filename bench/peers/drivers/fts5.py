"""Plain SQLite: one table with a full-text index, stemmed, ranked by the index; a commit for each store."""

import os
import re
import sqlite3
from typing import Any

from driving import drive, resident_mb


class Fts5:
    batch = 1_000

    def __init__(self, home: str) -> None:
        self._db = sqlite3.connect(f"{home}/memory.db", isolation_level=None)
        self._db.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;")
        self._db.execute(
            "CREATE VIRTUAL TABLE texts USING fts5(space UNINDEXED, place UNINDEXED, content, tokenize=porter)"
        )

    def store(self, space: dict[str, Any], first: int, texts: list[str]) -> None:
        rows = [(space["name"], first + at, text) for at, text in enumerate(texts)]
        self._db.execute("BEGIN")
        self._db.executemany("INSERT INTO texts VALUES (?, ?, ?)", rows)
        self._db.execute("COMMIT")

    def ask(self, space: dict[str, Any], question: int, limit: int) -> list[int]:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", space["questions"][question]))
        rows = self._db.execute(
            "SELECT place FROM texts WHERE texts MATCH ? AND space = ? ORDER BY rank LIMIT ?",
            (words or '""', space["name"], limit),
        )
        return [place for (place,) in rows]

    def resident_mb(self) -> float:
        return resident_mb(os.getpid())


drive(Fts5)
