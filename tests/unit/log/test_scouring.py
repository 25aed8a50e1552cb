"""What was erased is nowhere in the file, not even where rows once stood before their page was filled anew."""

import random
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reveried.log import database, scouring, traces
from reveried.log.scouring import File, scour


def words(text: str) -> list[str]:
    return text.split()[1::2]


class Said:
    """A file whose rows have changed their size in no order, as memories do: pages were filled again and again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        database.create(path, "CREATE TABLE said (id INTEGER PRIMARY KEY, text TEXT) STRICT;")
        self.db = database.open_writer(path, "NORMAL")
        self._dice = random.Random(3)
        self.texts = {id_: self._text(5) for id_ in range(300)}
        self.db.executemany("INSERT INTO said VALUES (?, ?)", self.texts.items())
        for _ in range(600):
            id_ = self._dice.randrange(300)
            self.texts[id_] = self._text(self._dice.randrange(5, 120))
            self.db.execute("UPDATE said SET text = ? WHERE id = ?", (self.texts[id_], id_))
        assert database.checkpoint(self.db, "TRUNCATE")

    def _text(self, count: int) -> str:
        return " ".join(f"the {self._dice.randrange(16**11):011x}" for _ in range(count))

    def left_of(self, id_: int) -> list[str]:
        data = self.path.read_bytes()
        return [word for word in words(self.texts[id_]) if word.encode() in data]

    def erase(self, id_: int) -> None:
        self.db.execute("DELETE FROM said WHERE id = ?", (id_,))

    def erased_with_a_trace(self) -> int:
        """The first of the rows that SQLite alone does not remove for good."""
        for id_ in self.texts:
            self.erase(id_)
            assert database.checkpoint(self.db, "TRUNCATE")
            if self.left_of(id_):
                return id_
        raise AssertionError("every row was removed for good: this proves nothing")


@pytest.fixture
def said(tmp_path: Path) -> Iterator[Said]:
    file = Said(tmp_path / "some.db")
    with closing(file.db):
        yield file


def test_sqlite_alone_leaves_copies_and_scouring_does_not(said: Said) -> None:
    id_ = said.erased_with_a_trace()
    assert scour(File(said.path, said.db, [said.texts[id_]]))
    assert said.left_of(id_) == []
    assert said.db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_row_by_row_nothing_is_left_of_any(said: Said) -> None:
    for id_ in list(said.texts)[::20]:
        said.erase(id_)
        assert scour(File(said.path, said.db, [said.texts[id_]]))
        assert said.left_of(id_) == []


def test_a_file_without_a_trace_is_not_packed(said: Said) -> None:
    before = said.path.read_bytes()
    assert scour(File(said.path, said.db, ["nothing of the kind was ever said here", "nor this"]))
    assert scour(File(said.path, said.db, ()))
    assert said.path.read_bytes() == before


def test_what_still_stands_in_a_row_is_no_trace(said: Said) -> None:
    data = said.path.read_bytes()
    twice = [
        id_ for id_, text in said.texts.items() if any(data.count(word.encode()) > 1 for word in text.split()[1::2])
    ]
    assert twice, "no text stands in a row and in a gap as well: this proves nothing"
    assert list(traces.traces(data, traces.pieces_of([said.texts[id_] for id_ in twice]))) == []


@pytest.mark.parametrize("why", ["unknown", "many", "nobody to look"])
def test_a_file_that_is_not_searched_is_packed(said: Said, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    id_ = said.erased_with_a_trace()
    if why == "many":
        monkeypatch.setattr(scouring, "MOST", 10)
    elif why == "nobody to look":
        monkeypatch.setattr(traces, "__file__", str(said.path.with_name("not there")))
    assert scour(File(said.path, said.db, None if why == "unknown" else ["something else that was said"]))
    assert said.left_of(id_) == []


def test_a_reader_of_an_old_page_puts_it_off(said: Said) -> None:
    said.db.execute("PRAGMA busy_timeout=1")
    with closing(database.open_reader(said.path)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM said").fetchone()
        said.erase(7)
        assert not scour(File(said.path, said.db, [said.texts[7]]))
        reader.execute("ROLLBACK")
    assert scour(File(said.path, said.db, [said.texts[7]]))
    assert said.left_of(7) == []


@pytest.mark.parametrize("text", ["Ada", "", "été", "\ud800 is no text"])
def test_any_text_can_be_looked_for(text: str) -> None:
    assert all(len(piece) in (traces.WORD, traces.PHRASE) for piece in traces.pieces_of([text]))


def test_what_is_no_lack_of_room_is_not_taken_for_one(said: Said) -> None:
    said.db.execute("BEGIN")
    with pytest.raises(sqlite3.OperationalError, match="within a transaction"):
        File(said.path, said.db, None).packed()
