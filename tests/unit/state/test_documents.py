"""A document's row and its parts, however the events were cut into batches."""

from typing import Any

import pytest

from reveried.domain import decide
from reveried.domain.events import (
    ChunkDiscarded,
    DocumentChunked,
    DocumentContinued,
    DocumentReceived,
    MemoryArchived,
    MemoryErased,
    MemoryMerged,
)
from reveried.domain.memory import Memory
from reveried.state.memories import ids_by_parent
from reveried.state.store import StateStore
from unit.domain.histories import stored
from unit.state.workspace import Workspace, workspace


def document(**fields: Any) -> DocumentReceived:
    plain: dict[str, Any] = {"text": "One.", "text_hash": "document:00", "length": 9, "title": "T", "opening": "One."}
    plain |= {"importance": 0.6, "confidence": 0.8, "created_at": 1, "profile": "meaning", "most": 300, "parts": 2}
    return DocumentReceived(**(plain | fields))


def chunk(number: int, parent: int = 1, **fields: Any) -> Any:
    return stored(f"chunk {number}", parent_id=parent, chunk_index=number, **fields)


def take_in(space: Workspace) -> Memory:
    record = space.world.record
    record(document())
    record(DocumentContinued(part=1, text=" Two."), 1)
    record(chunk(0))
    record(chunk(1))
    measured = {"reason": "unimportant", "importance": 0.2, "novelty": 0.1, "salience": 0.0}
    record(ChunkDiscarded(chunk_index=2, position=9, length=4, **measured), 1)  # type: ignore[arg-type]
    record(DocumentChunked(chunks=3, stored=2, duplicates=0, discarded=1, notes=("novelty:measured",)), 1)
    found = space.store.fold.get(1)
    assert found is not None
    return found


def rows(space: Workspace) -> list[tuple[Any, ...]]:
    return space.store.files[0].execute("SELECT * FROM documents").fetchall()


def test_a_document_is_a_record_of_its_own_kind_with_its_opening() -> None:
    with workspace() as space:
        found = take_in(space)
        assert (found.id, found.kind, found.content, found.is_document) == (1, "document", "One.", True)


@pytest.mark.parametrize("flushed", [False, True])
def test_its_parts_are_its_chunks_wherever_they_are(flushed: bool) -> None:
    with workspace() as space:
        found = take_in(space)
        space.world.record(MemoryArchived(reason="asked"), 3)
        if flushed:
            space.flush()
        assert [part.id for part in space.store.fold.parts_of(found)] == [3, 4]


def test_erased_with_its_document_a_chunk_takes_its_words_back_from_the_memory_it_was_merged_into() -> None:
    with workspace() as space:
        known = space.world.record(stored("Tides.")).seq
        parent = space.world.record(document()).seq
        one = space.world.record(chunk(0, parent)).seq
        space.world.record(MemoryMerged(into=known, how="merged", added="High at 6."), one)
        fold = space.store.fold
        found, grown = fold.get(parent), fold.get(known)
        assert found is not None
        assert grown is not None
        assert "High at 6." in grown.content
        for subject, event in decide.erase(found, "r", fold.parts_of(found)).others:
            space.world.record(event, subject)
        left = fold.get(known)
        assert left is not None
        assert (left.content, left.absorbed, left.ties) == ("Tides.", (), ())
        assert fold.get(one) is None
        space.flush()
        assert space.digest() == space.replayed()


def test_memories_that_only_share_the_number_are_no_parts() -> None:
    with workspace() as space:
        space.world.record(chunk(7, parent=2))  # before there was such a document
        space.world.record(document())
        space.world.record(stored("mine", parent_id=2))  # no chunk
        space.world.record(chunk(8, parent=2), namespace="other")
        space.flush()
        found = space.store.fold.get(2)
        assert found is not None
        assert len(ids_by_parent(space.store.files[0], 2)) == 3
        assert space.store.fold.parts_of(found) == ()


def test_a_memory_that_is_no_document_has_no_parts() -> None:
    with workspace() as space:
        space.world.record(stored("a memory", kind="document"))
        space.world.record(chunk(0))
        first = space.store.fold.get(1)
        assert first is not None
        assert space.store.fold.parts_of(first) == ()


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_any_split_into_batches_gives_the_same_rows_as_a_replay(size: int) -> None:
    with workspace() as space:
        take_in(space)
        space.world.record(document(text_hash="document:01"))
        space.flush()
        assert rows(space)[0] == (1, "default", 1, 3, 2, 0, 1, '["novelty:measured"]')
        assert rows(space)[1][:3] == (7, "default", 0)
        store = StateStore(space.path / "again.db", space.path / "again-archive.db")
        for start in [*range(0, 7, size), 0]:  # and the first batch once more
            for recorded in space.log.read(start, limit=size):
                store.fold.apply(recorded)
            store.flush()
        assert store.files[0].execute("SELECT * FROM documents").fetchall() == rows(space)
        store.close()
        assert space.digest() == space.replayed()


def test_an_erased_document_leaves_no_row() -> None:
    with workspace() as space:
        take_in(space)
        space.flush()
        space.world.record(MemoryErased(), 1)
        space.flush()
        assert rows(space) == []
        assert space.digest() == space.replayed()
