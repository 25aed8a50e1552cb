"""The log as its file holds it: read beside the running daemon, or changed behind its back while it is stopped."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any


def rows(data: Path, query: str, *parameters: object, file: str = "log.db") -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"file:{data / file}?mode=ro", uri=True)) as db:
        return db.execute(query, parameters).fetchall()


@contextmanager
def behind_its_back(data: Path, file: str = "log.db") -> Iterator[sqlite3.Connection]:
    """Only while no daemon works there."""
    with closing(sqlite3.connect(data / file)) as db:
        yield db
        db.commit()


def count(data: Path, type_: str) -> int:
    ((found,),) = rows(data, "SELECT count(*) FROM events WHERE type = ?", type_)
    return int(found)
