"""Mentions and relations follow the words of the memories."""

from typing import Any

import pytest

from reveried.domain.events import MemoryArchived, MemoryDeleted, MemoryErased, MemoryRestored
from reveried.state.store import StateStore
from unit.domain.histories import reworded, stored
from unit.state.workspace import Workspace, workspace


def named(space: Workspace) -> list[str]:
    rows = space.store.files[0].execute("SELECT name, type FROM mentions ORDER BY memory_id, key").fetchall()
    return [f"{name}/{type_}" for name, type_ in rows]


def related(space: Workspace) -> list[tuple[Any, ...]]:
    return space.store.files[0].execute("SELECT subject, relation, object, confidence FROM related").fetchall()


ADA = ["Ada/person", "Siemens/organization"]


def test_a_memory_is_read_when_it_comes_and_again_when_its_words_change() -> None:
    with workspace() as space:
        space.world.record(stored("Ada works at Siemens."))
        space.flush()
        assert (named(space), related(space)) == (ADA, [("Ada", "works_at", "Siemens", 0.64)])
        space.world.record(reworded("Bob lives in Lisbon."), 1)
        space.flush()
        assert named(space) == ["Bob/person", "Lisbon/location"]
        assert [row[1] for row in related(space)] == ["lives_in"]
        assert space.digest() == space.replayed()


@pytest.mark.parametrize("event", [MemoryErased(), MemoryDeleted(), MemoryArchived(reason="asked")])
def test_what_is_gone_names_nobody(event: Any) -> None:
    with workspace() as space:
        space.world.record(stored("Ada works at Siemens."))
        space.flush()
        space.world.record(event, 1)
        space.flush()
        assert (named(space), related(space)) == ([], [])
        assert space.digest() == space.replayed()
        if not isinstance(event, MemoryErased):
            space.world.record(MemoryRestored(), 1)
            space.flush()
            assert named(space) == ADA


def test_a_caller_s_entities_and_speaker_count() -> None:
    with workspace() as space:
        space.world.record(stored("I work at Siemens.", speaker="Ada", entities=("the turbine",)))
        space.flush()
        assert named(space) == ["Siemens/organization", "the turbine/other"]
        assert related(space)[0][:3] == ("Ada", "works_at", "Siemens")


def test_a_batch_seen_twice_leaves_the_same_rows() -> None:
    with workspace() as space:
        for text in ("Ada works at Siemens.", "Bob manages Ada.", "nobody at all"):
            space.world.record(stored(text))
        space.flush()
        store = StateStore(space.path / "again.db", space.path / "again-archive.db")
        for _ in range(2):
            for recorded in space.log.read(0):
                store.fold.apply(recorded)
            store.flush()
        assert (
            store.files[0].execute("SELECT * FROM mentions").fetchall()
            == space.store.files[0].execute("SELECT * FROM mentions").fetchall()
        )
        store.close()


def test_what_the_caller_says_of_two_wins_over_the_rules_which_still_speak_of_others() -> None:
    with workspace() as space:
        told = (("Ada", "manages", "Siemens"), ("Quillfeather", "knows", "Ada"))
        space.world.record(stored("Ada works at Siemens. Bob lives in Lisbon.", relations=told, confidence=0.9))
        space.flush()
        assert sorted(related(space)) == [
            ("Ada", "manages", "Siemens", 0.9),
            ("Bob", "lives_in", "Lisbon", 0.72),
            ("Quillfeather", "knows", "Ada", 0.9),
        ]
        assert {"Quillfeather"} < {name.partition("/")[0] for name in named(space)}, "no word of the content"
        assert space.digest() == space.replayed()
        space.world.record(MemoryErased(), 1)
        space.flush()
        assert (named(space), related(space)) == ([], [])
        assert space.digest() == space.replayed()
