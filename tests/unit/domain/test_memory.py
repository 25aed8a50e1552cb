"""How each event changes the record, and what it must leave alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict, replace

from reveried.domain.events import (
    EVENTS,
    ConfigChanged,
    Event,
    MemoryAccessed,
    MemoryArchived,
    MemoryCompressed,
    MemoryDeleted,
    MemoryDemoted,
    MemoryErased,
    MemoryPinned,
    MemoryRecalled,
    MemoryReinforced,
    MemoryRepeated,
    MemoryRestored,
    MemoryRetagged,
    MemoryReviewed,
    MemorySummarised,
    MemorySuperseded,
    MemoryTagged,
    MemoryTransitioned,
    MemoryUnpinned,
    MemoryUntagged,
    MemoryUpdated,
)
from reveried.domain.evolving import concerns, evolve, is_read, read_often
from reveried.domain.memory import SYSTEM_OF_KIND, SYSTEMS, Memory, united
from unit.domain.histories import BORN, SECOND, reworded, stored
from unit.domain.records import LEADING_TO, STALE, after, in_state, placed
from unit.log.golden import GOLDEN

AT = BORN + 9 * SECOND


def changed(memory: Memory, event: Event) -> dict[str, object]:
    """The fields an event changes, but for the number of the event itself."""
    now = evolve(memory, placed(event, 9))
    assert now is not None
    assert now.seq == 9
    before = asdict(memory)
    return {name: value for name, value in asdict(now).items() if value != before[name] and name != "seq"}


ACCESSED = {"access_count": 1, "last_accessed_at": AT}


@pytest.mark.parametrize(
    ("state", "event", "expected"),
    [
        ("active", MemoryReinforced(amount=3), {"score": 3, "reinforced_at": AT}),
        ("active", MemoryDemoted(amount=-1), {"score": -1}),
        ("active", MemoryRecalled(query="q", ids=(1,), profile="p"), ACCESSED),
        ("active", MemoryAccessed(ids=(1,), how="get"), ACCESSED),
        ("active", MemoryRepeated(), ACCESSED),
        ("stale", MemoryAccessed(ids=(1,), how="get"), {**ACCESSED, "state": "active", "stale_since": None}),
        ("archived", MemoryAccessed(ids=(1,), how="get"), ACCESSED),
        ("deleted", MemoryAccessed(ids=(1,), how="get"), ACCESSED),
        ("active", MemoryUpdated(title="t"), {"title": "t", "updated_at": AT, "reinforced_at": AT}),
        ("active", MemoryUpdated(importance=1.0), {"importance": 1.0, "updated_at": AT, "reinforced_at": AT}),
        ("active", MemoryPinned(), {"pinned": True}),
        ("pinned", MemoryUnpinned(), {"pinned": False}),
        ("active", MemoryTagged(tags=("a", "b")), {"tags_manual": ("a", "b"), "updated_at": AT}),
        ("active", MemoryUntagged(tags=("a",)), {"untagged": ("a",), "updated_at": AT}),
        ("active", MemorySuperseded(by=7), {"superseded_by": 7, "replaced_at": AT}),
        ("active", MemoryArchived(reason="r"), {"state": "archived", "tier": "archive", "archived_at": AT}),
        ("active", MemoryDeleted(), {"state": "deleted", "deleted_at": AT}),
        ("archived", MemoryRestored(), {"state": "active", "tier": "warm", "archived_at": None, "reinforced_at": AT}),
        ("deleted", MemoryRestored(), {"state": "active", "tier": "warm", "deleted_at": None, "reinforced_at": AT}),
        (
            "superseded",
            MemoryRestored(),
            {"tier": "warm", "superseded_by": None, "replaced_at": None, "reinforced_at": AT},
        ),
        ("active", STALE, {"state": "stale", "stale_since": AT}),
        ("active", MemoryTransitioned(ids=(1,), what="tier", before="hot", after="warm", reason="r"), {"tier": "warm"}),
        (
            "stale",
            MemoryTransitioned(ids=(1,), what="state", before="stale", after="archived", reason="r"),
            {"state": "archived", "tier": "archive", "archived_at": AT, "stale_since": None},
        ),
        (
            "archived",
            MemoryTransitioned(ids=(1,), what="state", before="archived", after="deleted", reason="r"),
            {"state": "deleted", "deleted_at": AT},
        ),
        (
            "archived",
            MemoryTransitioned(ids=(1,), what="state", before="archived", after="active", reason="r"),
            {"state": "active", "tier": "warm", "archived_at": None, "reinforced_at": AT},
        ),
        ("active", MemorySummarised(summary="s"), {"summary": "s"}),
        ("active", MemoryRetagged(tags_auto=("t",)), {"tags_auto": ("t",), "tags_at": AT}),
        ("active", MemoryReviewed(ids=(1,), what="tags"), {"tags_at": AT}),
        ("active", ConfigChanged(changed={}), {}),
    ],
)
def test_an_event_changes_exactly_these_fields(state: str, event: Event, expected: dict[str, object]) -> None:
    assert changed(in_state(state), event) == expected


def test_an_update_keeps_the_score_and_refreshes_the_clock() -> None:
    before = after(MemoryReinforced(amount=3), MemoryAccessed(ids=(1,), how="get"))
    now = evolve(before, placed(reworded("new", tags_auto=("auto",), trust="low", metadata={"a": 1}), 9))
    assert now == replace(
        before,
        seq=9,
        content="new",
        content_hash=reworded("new").content_hash,
        title="new",
        tags_auto=("auto",),
        tags_at=AT,
        trust="low",
        metadata={"a": 1},
        updated_at=AT,
        reinforced_at=AT,
    )


def test_removing_a_tag_removes_it_from_both_lists() -> None:
    memory = evolve(None, placed(stored(tags_auto=("a", "b"), tags_manual=("b", "c")), 1))
    assert memory is not None
    assert memory.tags == ("b", "c", "a")
    now = evolve(memory, placed(MemoryUntagged(tags=("b",)), 2))
    assert now is not None
    assert (now.tags_auto, now.tags_manual) == (("a",), ("c",))


def test_a_memory_is_born_with_the_number_of_its_event() -> None:
    event = stored("words", pinned=True, kind="preference", speaker="Ada", created_at=5)
    memory = evolve(None, placed(event, 4, 4))
    assert memory is not None
    assert (memory.id, memory.seq, memory.state, memory.tier, memory.score) == (4, 4, "active", "hot", 0)
    assert (memory.created_at, memory.updated_at, memory.system) == (5, 5, "procedural")
    for field in set(event.__struct_fields__) & set(Memory.__struct_fields__):
        assert getattr(memory, field) == getattr(event, field)


def test_an_erased_memory_is_gone_and_stays_gone() -> None:
    assert evolve(after(), placed(MemoryErased(), 2)) is None
    assert evolve(None, placed(None, 1)) is None
    assert evolve(None, placed(MemoryPinned(), 3)) is None


@given(st.sampled_from(sorted(LEADING_TO)), st.sampled_from(sorted(GOLDEN)), st.integers(1, 2))
def test_an_event_already_seen_changes_nothing(state: str, name: str, seq: int) -> None:
    memory = replace(in_state(state), seq=2)
    expected = None if isinstance(GOLDEN[name], MemoryErased) else memory
    assert evolve(memory, placed(GOLDEN[name], seq)) == expected


@given(st.sampled_from(sorted(LEADING_TO)), st.sampled_from(sorted(GOLDEN)))
def test_the_same_event_twice_is_the_event_once(state: str, name: str) -> None:
    event = placed(GOLDEN[name], 9)
    once = evolve(in_state(state), event)
    assert evolve(once, event) == once


@given(st.sampled_from(sorted(LEADING_TO)), st.sampled_from(sorted(GOLDEN)))
def test_no_event_changes_where_a_memory_came_from(state: str, name: str) -> None:
    memory = in_state(state)
    now = evolve(memory, placed(GOLDEN[name], 9))
    kept = ("id", "namespace", "created_at", "source", "speaker", "session_id", "parent_id", "kind", "confidence")
    assert now is None or all(getattr(now, field) == getattr(memory, field) for field in kept)


@pytest.mark.parametrize(
    ("state", "holds", "findable"),
    [
        ("active", True, True),
        ("stale", True, True),
        ("pinned", True, True),
        ("archived", False, True),
        ("deleted", False, False),
        ("superseded", False, False),
    ],
)
def test_a_memory_that_is_out_of_sight_releases_its_hash(state: str, holds: bool, findable: bool) -> None:
    assert (in_state(state).holds_its_hash, in_state(state).findable) == (holds, findable)


def test_a_compressed_memory_is_replaced_too() -> None:
    memory = replace(in_state("active"), compressed_into=9)
    assert (memory.replaced, memory.holds_its_hash, memory.findable) == (True, False, False)


def test_when_another_came_to_stand_for_it_is_known_for_as_long_as_one_does() -> None:
    told = evolve(in_state("active"), placed(MemoryCompressed(ids=(1,), session_id="s"), 9, 7))
    assert told is not None
    assert (told.compressed_into, told.replaced_at) == (7, AT)
    for other, since in ((None, None), (50, AT)):
        freed = evolve(replace(told, superseded_by=other), placed(MemoryErased(released=(1,)), 10, 7))
        assert freed is not None
        assert (freed.compressed_into, freed.replaced_at) == (None, since)


@pytest.mark.parametrize(
    ("event", "subject", "ids"),
    [
        (MemoryPinned(), 4, (4,)),
        (MemoryRecalled(query="q", ids=(1, 2), profile="p"), None, (1, 2)),
        (MemoryAccessed(ids=(3,), how="get"), None, (3,)),
        (MemoryAccessed(ids=(3,), how="get"), 3, (3,)),
        (STALE, None, (1,)),
        (MemoryCompressed(ids=(2, 3), session_id="s"), 1, (1, 2, 3)),
        (MemoryCompressed(ids=(2, 3), session_id="s"), None, ()),
        (ConfigChanged(changed={}), None, ()),
        (None, 4, (4,)),
    ],
)
def test_an_event_concerns_these_memories(event: Event | None, subject: int | None, ids: tuple[int, ...]) -> None:
    assert concerns(placed(event, 9, subject)) == ids


def test_tags_are_united_in_order_without_repeats() -> None:
    assert united(("b", "a"), ("a", "c")) == ("b", "a", "c")
    assert united(("b",), ()) == ("b",)


def test_every_kind_belongs_to_a_system_and_an_unknown_one_to_facts() -> None:
    assert set(SYSTEM_OF_KIND.values()) == set(SYSTEMS)
    assert replace(in_state("active"), kind="hunch").system == "semantic"


def test_every_event_of_the_catalogue_can_meet_a_memory() -> None:
    for event in GOLDEN.values():
        assert event.type in EVENTS
        evolve(in_state("active"), placed(event, 9))


@pytest.mark.parametrize("memory", [after(), in_state("stale")], ids=["active", "stale"])
@given(st.lists(st.sampled_from(("recalled", "accessed", "repeated")), min_size=1, max_size=6))
def test_many_reads_in_a_row_come_to_what_one_after_the_other_does(memory: Memory, reads: list[str]) -> None:
    events = {
        "recalled": MemoryRecalled(query="q", ids=(memory.id,), profile="p"),
        "accessed": MemoryAccessed(ids=(memory.id,), how="get"),
        "repeated": MemoryRepeated(),
    }
    recorded = [placed(events[read], seq, memory.id) for seq, read in enumerate(reads, memory.seq + 1)]
    one_by_one: Memory | None = memory
    for one in recorded:
        assert is_read(one)
        one_by_one = evolve(one_by_one, one)
    assert read_often(memory, len(recorded), recorded[-1].at, recorded[-1].seq) == one_by_one


def test_a_record_begins_with_what_its_event_says_under_the_same_names() -> None:
    said = {
        "title": "T", "kind": "plan", "importance": 0.1, "confidence": 0.2, "created_at": 3, "summary": "S",
        "priority": 0.4, "pinned": True, "source": "src", "source_ref": "ref", "speaker": "Ada", "session_id": "s5",
        "narrative_id": 6, "task_id": "t7", "parent_id": 8, "chunk_index": 9, "tags_auto": ("a",),
        "tags_manual": ("m",), "entities": ("e",), "trust": "low", "valid_from": 10, "valid_to": 11, "expires_at": 12,
        "metadata": {"k": 13}, "content_hash": "h14", "relations": (("x", "knows", "y"),),
    }  # fmt: skip
    event = stored("C", **said)
    born = evolve(None, placed(event, 15, 15))
    assert born is not None
    record = asdict(born)
    assert {name: record[name] for name in said} == said
    assert (born.id, born.seq, born.content, born.updated_at) == (15, 15, "C", 3)
    assert born.stored_at == born.tags_at == placed(event, 15, 15).at
    assert set(event.__struct_fields__) - set(record) == {"notes", "request", "dedup", "on_conflict"}
