"""What decisions see: the tables, and every event that is not in them yet."""

import pytest
from hypothesis import given, settings

from unit.domain.histories import TEXTS, Act, hashed, histories
from unit.state.workspace import workspace

STORE = Act("store")


def test_a_memory_is_seen_before_any_table_holds_it() -> None:
    with workspace() as space:
        space.world.run(STORE)
        assert space.store.fold.get(1) == space.world.memories[1]
        assert space.store.fold.get(2) is None
        assert (space.store.applied, space.store.lag, space.store.fold.held) == (0, 1, 1)


@pytest.mark.parametrize("projected", [False, True])
@pytest.mark.parametrize(
    "acts",
    [
        pytest.param([Act("delete")], id="deleted"),
        pytest.param([Act("archive")], id="archived"),
        pytest.param([Act("erase")], id="erased"),
        pytest.param([Act("update", text="other words")], id="reworded"),
        pytest.param([Act("store", text="newer"), Act("supersede", 0, 1)], id="superseded"),
    ],
)
def test_a_memory_releases_its_hash(acts: list[Act], projected: bool) -> None:
    with workspace() as space:
        space.live_through([STORE])
        assert space.store.fold.by_hash("default", hashed(TEXTS[0])) == space.world.memories[1]
        space.world.run(*acts)
        if projected:
            space.store.flush()
        assert space.store.fold.by_hash("default", hashed(TEXTS[0])) is None


@pytest.mark.parametrize("projected", [False, True])
@pytest.mark.parametrize("what", ["archive", "delete"])
def test_a_merged_memory_that_was_let_go_of_releases_its_hash(what: str, projected: bool) -> None:
    with workspace() as space:
        space.live_through([STORE, Act("store", text="newer"), Act("merge", 0, 1, text="words")])
        known = space.store.fold.absorbing("default", hashed(TEXTS[0]))
        assert known is not None
        assert known.id == 2
        space.world.run(Act(what))
        if projected:
            space.store.flush()
        assert space.store.fold.absorbing("default", hashed(TEXTS[0])) is None


@pytest.mark.parametrize("projected", [False, True])
def test_a_restored_memory_holds_its_hash_again(projected: bool) -> None:
    with workspace() as space:
        space.live_through([STORE, Act("archive")])
        space.world.run(Act("restore"))
        if projected:
            space.store.flush()
        assert space.store.fold.by_hash("default", hashed(TEXTS[0])) == space.world.memories[1]


def test_the_same_words_in_another_namespace_are_no_twin() -> None:
    with workspace() as space:
        space.world.run(STORE)
        assert space.store.fold.by_hash("other", hashed(TEXTS[0])) is None


def test_new_words_are_found_by_their_hash_before_and_after_a_flush() -> None:
    with workspace() as space:
        space.live_through([STORE])
        space.world.run(Act("update", text="other words"))
        for _ in range(2):
            assert space.store.fold.by_hash("default", hashed("other words")) == space.world.memories[1]
            space.store.flush()


@pytest.mark.parametrize("projected", [False, True])
def test_all_that_hold_the_same_words_are_found_in_any_state_and_the_live_one_first(projected: bool) -> None:
    with workspace() as space:
        space.live_through([STORE, Act("archive"), STORE, Act("delete", 1), STORE, Act("store", namespace="other")])
        if projected:
            space.store.flush()
        found = space.store.fold.all_by_hash("default", hashed(TEXTS[0]))
        assert [memory.state for memory in found] == ["active", "archived", "deleted"]


@settings(max_examples=60, deadline=None)
@given(histories)
def test_what_is_counted_first_and_written_later_comes_to_the_record_of_each_event(history: list[Act]) -> None:
    with workspace() as space:
        for act in history:
            if act.what != "flush":
                space.world.act(act)
        fold = space.store.fold
        assert {id_: fold.get(id_) for id_ in space.world.memories} == space.world.memories
        written = {change.id: change.after for change in (*fold.live_changes(), *fold.archive_changes())}
        assert {id_: written[id_] for id_ in space.world.memories} == space.world.memories
