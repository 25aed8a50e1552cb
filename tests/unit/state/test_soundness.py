"""The file of vectors is sound as it was written, and not after any change of what it says."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from reveried.domain.recalling.embedded import IN_CONTEXT, ITSELF
from reveried.state.soundness import ROWS_AT_ONCE, is_sound
from reveried.state.vectors import Embedded, VectorStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "vectors.db"
    store = VectorStore(path)
    many = range(2, ROWS_AT_ONCE + 10)
    store.write(
        "m", 1, [1], [Embedded(1, "a", ITSELF, b"one", bytes(8)), Embedded(1, "a", IN_CONTEXT, b"two", bytes(8))]
    )
    store.write("m", max(many), list(many), [Embedded(n, "b", ITSELF, b"%d" % n, bytes(8), beside=n - 1) for n in many])
    store.erase([5])
    store.close()
    return path


def test_what_was_written_and_partly_erased_is_sound(path: Path) -> None:
    assert is_sound(path)


def test_an_empty_file_of_vectors_is_sound(tmp_path: Path) -> None:
    VectorStore(tmp_path / "vectors.db").close()
    assert is_sound(tmp_path / "vectors.db")


@pytest.mark.parametrize(
    "change",
    [
        "model = 'n'", "memory = 9999", "part = 7", "namespace = 'c'", "role = 9", "beside = 3", "text = x'01'",
        "vector = x'0000000000000001'", "sum = sum + 1",
    ],
)  # fmt: skip
@pytest.mark.parametrize("row", [1, ROWS_AT_ONCE + 2])
def test_a_change_of_any_column_is_noticed(path: Path, change: str, row: int) -> None:
    with closing(sqlite3.connect(path)) as db:
        assert db.execute(f"UPDATE vectors SET {change} WHERE rowid = ?", (row,)).rowcount == 1
        db.commit()
    assert not is_sound(path)


def test_a_row_that_an_index_does_not_know_is_noticed(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA writable_schema=1")
        db.execute(
            "UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL', 'NOT NULL AND memory <> 9')"
            " WHERE name = 'vectors_beside'"
        )
        db.commit()
    assert not is_sound(path)


def test_what_is_no_database_is_not_sound(tmp_path: Path) -> None:
    path = tmp_path / "vectors.db"
    path.write_bytes(b"this is no database at all, but long enough to look like one" * 100)
    assert not is_sound(path)


def test_a_file_that_cannot_be_looked_at_is_not_called_damaged(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA locking_mode=EXCLUSIVE")
        db.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            is_sound(path)
