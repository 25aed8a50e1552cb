"""The file of vectors: what is kept, by what it is found, and what vanishes with what."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reveried.config.schema import StoragePolicy
from reveried.domain.recalling.embedded import IN_CONTEXT, ITSELF
from reveried.errors import StateDamaged, StorageFull
from reveried.log import database
from reveried.state.vectors import Embedded, VectorStore

OLD, NEW = "old@1", "new@1"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[VectorStore]:
    opened = VectorStore(tmp_path / "vectors.db")
    yield opened
    opened.close()


def row(memory: int, words: str = "", role: int = ITSELF, beside: int | None = None, namespace: str = "a") -> Embedded:
    text = (words or f"text {memory} {role}").encode()
    return Embedded(memory, namespace, role, text, b"vector of " + text, beside)


def loaded(store: VectorStore, model: str = OLD, namespace: str = "a") -> list[tuple[int, int]]:
    return [(memory, role) for memory, role, _ in store.load(model, namespace)]


def test_a_text_is_found_again_by_its_hash_whoever_said_it(store: VectorStore) -> None:
    store.write(OLD, 1, [1], [row(1, "hello")])
    assert store.known(OLD, [b"hello", b"other"]) == {b"hello": b"vector of hello"}
    assert store.known(NEW, [b"hello"]) == {}, "another model's vectors are of no use"


def test_progress_and_vectors_are_written_as_one(store: VectorStore, tmp_path: Path) -> None:
    store.write(OLD, 1, [1], [row(1)])
    with pytest.raises(sqlite3.IntegrityError):
        store.write(OLD, 2, [2], [row(2), Embedded(2, None, ITSELF, b"", b"")])  # type: ignore[arg-type]
    assert (store.progress(OLD), loaded(store)) == (1, [(1, ITSELF)])


def test_a_changed_memory_leaves_nothing_of_what_it_was(store: VectorStore) -> None:
    store.write(OLD, 1, [1], [row(1, "one"), row(1, "two")])
    store.write(OLD, 2, [1], [row(1, "three")])
    assert store.known(OLD, [b"one", b"two", b"three"]).keys() == {b"three"}
    assert store.count(OLD) == 1


def test_an_erased_memory_vanishes_under_every_model_and_cannot_come_back(store: VectorStore) -> None:
    for model in (OLD, NEW):
        store.write(model, 1, [1, 2], [row(1), row(2)])
    assert store.erase([1])
    assert loaded(store, OLD) == loaded(store, NEW) == [(2, ITSELF)]
    assert store.write(OLD, 3, [1], [row(1)]) == [], "its words were on their way while it was erased"


def test_what_was_made_of_an_erased_memorys_words_vanishes_too(store: VectorStore, tmp_path: Path) -> None:
    store.write(OLD, 2, [1, 2], [row(1), row(2), row(2, "secret before", IN_CONTEXT, beside=1)])
    store.erase([1])
    assert loaded(store) == [(2, ITSELF)]
    assert store.bereft(OLD) == [2]
    assert b"secret before" not in (tmp_path / "vectors.db").read_bytes()
    store.write(OLD, 3, [2], [row(2)])
    assert store.bereft(OLD) == []


def test_a_vector_made_with_an_erased_memory_is_not_written_afterwards(store: VectorStore) -> None:
    store.erase([1])
    kept = store.write(OLD, 2, [2], [row(2), row(2, "with it", IN_CONTEXT, beside=1)])
    assert [one.role for one in kept] == [ITSELF]


def test_an_erasure_that_a_crash_cut_short_is_finished_when_its_event_is_read(store: VectorStore) -> None:
    store.write(OLD, 2, [1, 2], [row(1), row(2), row(2, "secret", IN_CONTEXT, beside=1)])
    store.write(OLD, 3, [1], [])
    assert loaded(store) == [(2, ITSELF)]
    assert store.bereft(OLD) == [2]


def test_the_vectors_of_other_models_go_and_the_file_shrinks(store: VectorStore, tmp_path: Path) -> None:
    many = [Embedded(number, "a", ITSELF, f"{number}".encode(), bytes(1536)) for number in range(1, 6_000)]
    store.write(OLD, 6_000, [one.memory for one in many], many)
    store.write(NEW, 6_000, [1], [row(1)])
    before = _pages(tmp_path / "vectors.db")
    assert store.drop_others(NEW) == len(many)
    assert store.progress(OLD) == 0
    assert loaded(store, NEW) == [(1, ITSELF)]
    assert _pages(tmp_path / "vectors.db") < before / 10
    assert store.drop_others(NEW) == 0


def test_a_file_of_another_version_or_no_database_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "vectors.db"
    path.write_bytes(b"this is no database at all, but long enough to look like one" * 100)
    store = VectorStore(path)
    assert store.progress(OLD) == 0
    store.close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version=1")
    db.close()
    again = VectorStore(path)
    assert again.count(OLD) == 0
    again.close()


def test_only_a_suspected_file_is_looked_at_closely(tmp_path: Path) -> None:
    path = tmp_path / "vectors.db"
    store = VectorStore(path)
    store.write(OLD, 1, [1], [row(1)])
    store.close()
    with sqlite3.connect(path) as db:
        db.execute("UPDATE vectors SET vector = x'00'")
    db.close()
    for suspected, count in ((False, 1), (True, 0)):
        again = VectorStore(path, suspected=suspected)
        assert again.count(OLD) == count
        again.close()


def test_a_full_disk_is_told_and_what_was_there_stays(store: VectorStore) -> None:
    store.write(OLD, 1, [1], [row(1)])
    (pages,) = store._db.execute("PRAGMA page_count").fetchone()
    store._db.execute(f"PRAGMA max_page_count={pages}")
    with pytest.raises(StorageFull, match="the disk is full"):
        store.write(OLD, 2, [2], [row(2, "long " * 10_000)])
    assert (store.progress(OLD), loaded(store), store.damaged) == (1, [(1, ITSELF)], False)
    store._db.execute("PRAGMA max_page_count=1000000")
    store.write(OLD, 2, [2], [row(2, "long " * 10_000)])
    assert store.count(OLD) == 2


def test_a_damaged_order_does_not_lead_round_and_round(store: VectorStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.write(OLD, 1, [1], [row(1)])
    plain = store._page
    monkeypatch.setattr(store, "_page", lambda model, namespace, after: plain(model, namespace, 0))
    with pytest.raises(StateDamaged, match="out of order"):
        loaded(store)
    assert store.damaged


def _pages(path: Path) -> int:
    db = sqlite3.connect(path)
    try:
        return int(db.execute("PRAGMA page_count").fetchone()[0])
    finally:
        db.close()


WRITES: list[Callable[[VectorStore, int], object]] = [
    lambda store, number: store.write(OLD, number, [number], [row(number, f"{number} " * 1_000)]),
    lambda store, number: store.note_read("somebody", number),
]


@pytest.mark.parametrize("write", WRITES, ids=["vectors", "progress"])
def test_the_write_ahead_log_stays_small_however_much_is_written(
    tmp_path: Path, write: Callable[[VectorStore, int], object]
) -> None:
    path, policy = tmp_path / "vectors.db", StoragePolicy(checkpoint_pages=100)
    store, most = VectorStore(path, lambda: policy), 0
    for number in range(1, 301):
        write(store, number)
        most = max(most, database.wal_size(path))
    store.close()
    # Each page of it has a header; and what one write adds may come on top.
    assert most < 2 * policy.checkpoint_pages * database.PAGE_SIZE
