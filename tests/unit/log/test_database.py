"""Files are private from their first moment, transactions whole, and checkpoints wait for nobody unless they must."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from reveried.log import database
from reveried.log.database import Checkpoints

DDL = "CREATE TABLE words (word TEXT);"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a b?.db"
    database.create(path, DDL)
    return path


def test_a_new_file_is_private_complete_and_alone(path: Path) -> None:
    assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_an_existing_file_is_left_alone_and_a_half_made_one_is_begun_again(path: Path) -> None:
    before = path.read_bytes()
    database.create(path, "nonsense")
    assert path.read_bytes() == before
    other = path.with_name("other.db")
    other.with_name("other.db.creating").write_text("left by a kill")
    database.create(other, DDL)
    assert sorted(file.name for file in path.parent.iterdir()) == [path.name, "other.db"]


def test_a_writer_keeps_its_promises(path: Path) -> None:
    db = database.open_writer(path, "FULL")
    settings = ("journal_mode", "synchronous", "secure_delete", "trusted_schema", "wal_autocheckpoint")
    assert [db.execute(f"PRAGMA {name}").fetchone()[0] for name in settings] == ["wal", 2, 1, 0, 0]
    db.close()


def test_a_reader_cannot_write(path: Path) -> None:
    db = database.open_reader(path)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        db.execute("INSERT INTO words VALUES ('x')")
    db.close()


def fail_after(db: sqlite3.Connection, sql: str) -> None:
    with database.transaction(db):
        db.execute(sql)
        db.execute("INSERT INTO nowhere VALUES (1)")


def test_a_transaction_is_all_or_nothing(path: Path) -> None:
    db = database.open_writer(path, "NORMAL")
    with database.transaction(db):
        db.execute("INSERT INTO words VALUES ('kept')")
    for script in ("INSERT INTO words VALUES ('gone')", "ROLLBACK"):  # some errors make SQLite roll back by itself
        with pytest.raises(sqlite3.OperationalError, match="nowhere"):
            fail_after(db, script)
    assert db.execute("SELECT word FROM words").fetchall() == [("kept",)]
    db.close()


def test_a_reader_in_the_way_delays_a_checkpoint_until_the_log_has_grown_again(path: Path) -> None:
    db, reader = database.open_writer(path, "NORMAL"), database.open_reader(path)
    checkpoints = Checkpoints(db, path)
    db.execute("INSERT INTO words VALUES ('one')")
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM words").fetchall()
    db.execute("INSERT INTO words VALUES ('two')")
    checkpoints.keep_small(0, 1 << 30)
    size = database.wal_size(path)
    assert size > 0
    reader.close()
    checkpoints.keep_small(0, 1 << 30)
    assert database.wal_size(path) == size
    db.execute("INSERT INTO words VALUES (?)", ("three" * 3_000,))
    checkpoints.keep_small(0, 1 << 30)
    assert database.wal_size(path) == 0
    db.execute("INSERT INTO words VALUES ('four')")
    checkpoints.keep_small(1_000, 1)
    assert database.wal_size(path) == 0
    db.close()


def test_sizes_come_from_the_directory(path: Path, tmp_path: Path) -> None:
    assert database.size(path) == len(path.read_bytes())
    assert database.size(tmp_path / "absent") == 0
    assert database.free_space(tmp_path) > 0


def test_a_file_is_readable_when_the_disk_gives_back_all_of_it(path: Path) -> None:
    assert database.is_readable(path)
    assert not database.is_readable(path.parent)


def test_a_checkpoint_that_cannot_be_is_no_reader_in_the_way(path: Path) -> None:
    with closing(database.open_writer(path, "NORMAL")) as db:
        db.execute("BEGIN IMMEDIATE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            database.checkpoint(db, "TRUNCATE")
