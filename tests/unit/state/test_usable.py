"""State files that cannot be trusted are rebuilt, never repaired."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from reveried.log import database
from reveried.state.catalog import ARCHIVED, LIVE, SCHEMA_VERSION, ddl_of
from reveried.state.store import reached


def _missing_live(live: Path, archive: Path) -> None:
    live.unlink()


def _missing_archive(live: Path, archive: Path) -> None:
    archive.unlink()


def _damaged(live: Path, archive: Path) -> None:
    live.write_bytes(b"nothing SQLite would know" * 400)


def _of_another_version(live: Path, archive: Path) -> None:
    _execute(archive, f"PRAGMA user_version={SCHEMA_VERSION + 1}")


def _archive_behind(live: Path, archive: Path) -> None:
    _execute(live, "UPDATE progress SET seq = 7")


def _progress_unsaid(live: Path, archive: Path) -> None:
    _execute(archive, "DELETE FROM progress")


def _progress_in_words(live: Path, archive: Path) -> None:
    # A flipped bit in a row's header makes text or bytes of a number, whatever the column was declared as.
    for change in ("DROP TABLE progress", "CREATE TABLE progress (seq)", "INSERT INTO progress VALUES ('one')"):
        _execute(live, change)


def _execute(path: Path, sql: str) -> None:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute(sql)
    db.close()


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    live, archive = tmp_path / "state.db", tmp_path / "archive.db"
    database.create(live, ddl_of(LIVE))
    database.create(archive, ddl_of(ARCHIVED))
    return live, archive


@pytest.mark.parametrize(
    "spoil",
    [
        _missing_live,
        _missing_archive,
        _damaged,
        _of_another_version,
        _archive_behind,
        _progress_unsaid,
        _progress_in_words,
    ],
    ids=lambda f: f.__name__,
)
def test_spoilt_files_are_not_usable(files: tuple[Path, Path], spoil: Callable[[Path, Path], None]) -> None:
    assert reached(*files) == 0
    spoil(*files)
    assert reached(*files) is None


def test_an_archive_that_is_ahead_is_usable(files: tuple[Path, Path]) -> None:
    _execute(files[1], "UPDATE progress SET seq = 7")
    assert reached(*files) == 7
