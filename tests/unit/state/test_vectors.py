"""The file of vectors: one row for each text of a memory, replaced as one, and gone for good when erased."""

import sqlite3
from pathlib import Path

import pytest

from reveried.state.vectors import Embedded, VectorStore

MODEL, OTHER = "tiny-1", "tiny-2"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "vectors.db"


@pytest.fixture
def store(path: Path):
    store = VectorStore(path)
    yield store
    store.close()


def row(
    memory: int, text: bytes = b"t", vector: bytes = b"v" * 8, role: int = 0, namespace: str = "default"
) -> Embedded:
    return Embedded(memory, namespace, role, text, vector)


def test_what_is_written_is_loaded_by_namespace_in_the_order_of_memories(store: VectorStore) -> None:
    rows = [row(3, b"c"), row(1, b"a", b"one"), row(1, b"b", b"two", role=1), row(2, namespace="other")]
    assert store.write(MODEL, 9, [1, 2, 3], rows) == rows
    assert store.load(MODEL, "default") == [(1, 0, b"one"), (1, 1, b"two"), (3, 0, b"v" * 8)]
    assert [memory for memory, _, _ in store.load(MODEL, "other")] == [2]
    assert (store.count(MODEL), store.progress(MODEL), store.progress(OTHER)) == (3, 9, 0)


def test_a_changed_memory_is_replaced_whole(store: VectorStore) -> None:
    store.write(MODEL, 1, [1], [row(1, b"a"), row(1, b"b"), row(1, b"c")])
    store.write(MODEL, 2, [1], [row(1, b"d", b"new")])
    assert store.load(MODEL, "default") == [(1, 0, b"new")]
    store.write(MODEL, 3, [1], [])
    assert store.load(MODEL, "default") == []


def test_the_same_batch_twice_leaves_the_same_rows(store: VectorStore) -> None:
    for _ in range(2):
        store.write(MODEL, 5, [1], [row(1, b"a"), row(1, b"b", role=1)])
    assert len(store.load(MODEL, "default")) == 2


def test_a_text_that_was_embedded_before_is_known(store: VectorStore) -> None:
    store.write(MODEL, 1, [1], [row(1, b"a", b"vector")])
    assert store.known(MODEL, [b"a", b"b"]) == {b"a": b"vector"}
    assert store.known(OTHER, [b"a"]) == {}


def test_an_erased_memory_leaves_every_model_and_does_not_come_back(store: VectorStore, path: Path) -> None:
    canary = b"canary-of-the-vector"
    for model in (MODEL, OTHER):
        store.write(model, 1, [1, 2], [row(1, b"text-canary", canary), row(2)])
    assert store.erase(1)
    assert store.write(MODEL, 2, [1], [row(1, b"text-canary", canary)]) == []
    assert [memory for memory, _, _ in store.load(MODEL, "default")] == [2]
    held = b"".join(file.read_bytes() for file in path.parent.glob("vectors.db*"))
    assert canary not in held
    assert b"text-canary" not in held


def test_the_vectors_of_other_models_can_be_let_go(store: VectorStore) -> None:
    store.write(MODEL, 1, [1], [row(1)])
    store.write(OTHER, 1, [1, 2], [row(1), row(2)])
    assert store.drop_others(MODEL) == 2
    assert store.drop_others(MODEL) == 0
    assert (store.count(MODEL), store.count(OTHER), store.progress(OTHER)) == (1, 0, 0)


def test_everything_is_there_after_a_restart(path: Path) -> None:
    first = VectorStore(path)
    first.write(MODEL, 7, [1], [row(1)])
    first.close()
    again = VectorStore(path)
    assert (again.count(MODEL), again.progress(MODEL)) == (1, 7)
    again.close()


@pytest.mark.parametrize("spoilt", ["not a database", "another version"])
def test_a_file_that_cannot_be_used_is_made_anew(path: Path, spoilt: str) -> None:
    if spoilt == "not a database":
        path.write_bytes(b"x" * 5000)
    else:
        db = sqlite3.connect(path)
        db.executescript("CREATE TABLE vectors (x); PRAGMA user_version=99;")
        db.close()
    store = VectorStore(path)
    store.write(MODEL, 1, [1], [row(1)])
    assert store.count(MODEL) == 1
    store.close()


def test_only_its_owner_may_read_it(store: VectorStore, path: Path) -> None:
    assert path.stat().st_mode & 0o077 == 0
