"""Every command against every state: what it leads to, or why it is refused."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from reveried.domain import decide
from reveried.domain.decide import OUTCOMES, Decision
from reveried.domain.events import (
    AboutMemory,
    ConflictResolved,
    DocumentContinued,
    MemoryAccessed,
    MemoryErased,
    MemoryPinned,
    MemoryRecalled,
    MemoryRepeated,
    MemoryRetagged,
    MemorySummarised,
    MemoryTagged,
    MemoryTransitioned,
    MemoryUpdated,
)
from reveried.domain.memory import Memory
from reveried.domain.policies import ContentLimits, FeedbackPolicy
from reveried.errors import InvalidField, NotFound, WrongState
from unit.domain.histories import FEEDBACK, LIMITS, reworded, stored
from unit.domain.records import LEADING_TO, after, in_state

STATES = tuple(LEADING_TO)
COMMANDS: dict[str, Callable[[Memory], Decision]] = {
    "update": lambda memory: decide.update(memory, reworded("new words"), None),
    "reinforce": lambda memory: decide.reinforce(memory, FEEDBACK, "r"),
    "demote": lambda memory: decide.demote(memory, FEEDBACK, "r"),
    "pin": lambda memory: decide.pin(memory, "r"),
    "unpin": lambda memory: decide.unpin(memory, "r"),
    "tag": lambda memory: decide.tag(memory, ("new",), LIMITS, "r"),
    "untag": lambda memory: decide.untag(memory, ("absent",), "r"),
    "supersede": lambda memory: decide.supersede(memory, in_state("active", id_=90), "newer", "r"),
    "succeed": lambda memory: decide.supersede(in_state("active", id_=90), memory, "newer", "r"),
    "archive": lambda memory: decide.archive(memory, "", "r"),
    "restore": lambda memory: decide.restore(memory, None, "r"),
    "delete": lambda memory: decide.delete(memory, "", "r"),
    "erase": lambda memory: decide.erase(memory, "r"),
    "read": decide.read,
}
# Rows: commands. Columns: active, stale, archived, deleted, superseded, pinned.
TABLE = """
update     updated     updated     updated     wrong_state updated     updated
reinforce  reinforced  reinforced  reinforced  wrong_state reinforced  reinforced
demote     demoted     demoted     demoted     wrong_state demoted     demoted
pin        pinned      pinned      pinned      wrong_state pinned      unchanged
unpin      unchanged   unchanged   unchanged   wrong_state unchanged   unpinned
tag        tagged      tagged      tagged      wrong_state tagged      tagged
untag      unchanged   unchanged   unchanged   wrong_state unchanged   unchanged
supersede  superseded  superseded  superseded  wrong_state wrong_state superseded
succeed    superseded  superseded  superseded  wrong_state wrong_state superseded
archive    archived    archived    unchanged   wrong_state archived    wrong_state
restore    unchanged   restored    restored    restored    restored    unchanged
delete     deleted     deleted     deleted     unchanged   deleted     deleted
erase      erased      erased      erased      erased      erased      erased
read       accessed    accessed    accessed    accessed    accessed    accessed
"""
CELLS = [
    (row.split()[0], state, cell)
    for row in TABLE.strip().splitlines()
    for state, cell in zip(STATES, row.split()[1:], strict=True)
]


@pytest.mark.parametrize(("command", "state", "expected"), CELLS)
def test_a_command_meets_a_state(command: str, state: str, expected: str) -> None:
    if expected == "wrong_state":
        with pytest.raises(WrongState) as refusal:
            COMMANDS[command](in_state(state))
        assert refusal.value.hint
        return
    decision = COMMANDS[command](in_state(state))
    assert decision.outcome == expected
    assert bool(decision.events) is (expected != "unchanged")
    assert decision.subject == (90 if command == "succeed" else 1)


def test_the_table_is_complete() -> None:
    assert {command for command, _, _ in CELLS} == set(COMMANDS)


@pytest.mark.parametrize("memory", [None, in_state("active")], ids=["unknown", "wrong namespace"])
def test_an_absent_memory_and_one_of_another_namespace_look_the_same(memory: Memory | None) -> None:
    with pytest.raises(NotFound, match=r"there is no memory \[id:1\] in namespace 'other'") as refusal:
        decide.required(memory, 1, "other")
    assert (refusal.value.code, refusal.value.field) == ("not_found", "memory")


def test_a_memory_of_the_namespace_is_given_back() -> None:
    memory = in_state("active")
    assert decide.required(memory, 1, "default") is memory


def test_new_words_are_stored_and_known_words_only_repeated() -> None:
    new = stored("words", request="r", notes=("n",))
    assert decide.store(new, None) == Decision(outcome="stored", events=(new,), notes=("n",))
    again = decide.store(new, in_state("active"))
    assert again == Decision(outcome="duplicate", subject=1, events=(MemoryRepeated(request="r"),))


def test_two_live_memories_never_come_to_hold_the_same_words() -> None:
    twin = in_state("active", id_=90)
    with pytest.raises(WrongState, match=r"\[id:90\] already holds exactly these words"):
        decide.update(in_state("active"), reworded("words"), twin)
    with pytest.raises(WrongState, match=r"\[id:90\] holds the same words by now"):
        decide.restore(in_state("archived"), twin, "r")


def test_being_ones_own_twin_is_no_obstacle() -> None:
    stale = in_state("stale")
    assert decide.restore(stale, stale, "r").outcome == "restored"
    assert decide.update(stale, reworded("words", tags_manual=("x",)), stale).outcome == "updated"


@pytest.mark.parametrize("change", [MemoryUpdated(), MemoryUpdated(title="words"), reworded("words")])
def test_an_update_that_changes_nothing_is_no_event(change: MemoryUpdated) -> None:
    assert decide.update(in_state("active"), change, None) == Decision(outcome="unchanged", subject=1)


@pytest.mark.parametrize(
    "change", [MemoryUpdated(title="t"), MemoryUpdated(tags_manual=()), MemoryUpdated(metadata={"a": 1})]
)
def test_any_changed_field_is_an_update(change: MemoryUpdated) -> None:
    memory = after(MemoryTagged(tags=("x",)))
    assert decide.update(memory, change, None).events == (change,)


def test_feedback_carries_the_configured_amounts() -> None:
    policy = FeedbackPolicy(reinforce=7, demote=-2)
    assert [event.amount for event in decide.reinforce(in_state("active"), policy, "").events] == [7]  # type: ignore[attr-defined]
    assert [event.amount for event in decide.demote(in_state("active"), policy, "").events] == [-2]  # type: ignore[attr-defined]


@pytest.mark.parametrize(("command", "reason"), [("tag", "manual_tag"), ("read", "access")])
def test_care_for_an_archived_memory_brings_it_back(command: str, reason: str) -> None:
    back = MemoryTransitioned(ids=(1,), what="state", before="archived", after="active", reason=reason)
    assert COMMANDS[command](in_state("archived")).events[1:] == (back,)
    assert COMMANDS[command](in_state("stale")).events[1:] == ()


def test_reading_counts_as_access() -> None:
    assert decide.read(in_state("active")).events == (MemoryAccessed(ids=(1,), how="get"),)


def test_only_new_tags_are_recorded_and_only_present_ones_removed() -> None:
    memory = after(MemoryTagged(tags=("a",)))
    assert decide.tag(memory, ("a", "b"), LIMITS, "r").events == (MemoryTagged(tags=("b",), request="r"),)
    assert decide.tag(memory, ("a",), LIMITS, "r").outcome == "unchanged"
    assert decide.untag(memory, ("a", "z"), "r").events[0].tags == ("a",)  # type: ignore[attr-defined]


def test_a_memory_carries_no_more_tags_than_allowed() -> None:
    with pytest.raises(InvalidField, match="would carry over 2 tags") as refusal:
        decide.tag(after(MemoryTagged(tags=("a", "b"))), ("c",), ContentLimits(max_tags=2), "r")
    assert refusal.value.field == "tags"


def test_a_memory_cannot_supersede_itself() -> None:
    with pytest.raises(InvalidField, match="cannot supersede itself"):
        decide.supersede(in_state("active"), in_state("active"), "", "")


def test_superseding_by_the_same_one_again_changes_nothing() -> None:
    decision = decide.supersede(in_state("superseded"), in_state("active", id_=50), "", "")
    assert decision == Decision(outcome="unchanged", subject=1)


def test_every_outcome_a_key_can_repeat_is_the_one_that_was_told() -> None:
    for command, state, cell in CELLS:
        if cell in ("unchanged", "wrong_state", "accessed"):
            continue
        assert OUTCOMES[COMMANDS[command](in_state(state)).events[0].type] == cell


def test_the_fingerprint_of_a_request_is_read_from_its_event() -> None:
    assert decide.carries_request(MemoryPinned(request="r")) == "r"
    assert decide.carries_request(MemoryErased(request="r")) == "r"
    assert decide.carries_request(MemoryRecalled(query="", ids=(), profile="")) == ""
    assert decide.carries_request(None) == ""
    # A further part of a text is recorded together with the first, which carries the request; nobody asks for
    # the others.
    carriers = set(AboutMemory.__subclasses__()) - {DocumentContinued, MemorySummarised, MemoryRetagged}
    assert all("request" in event.__struct_fields__ for event in carriers)


def test_an_archived_memory_stays_there_while_another_holds_its_words() -> None:
    archived, twin = in_state("archived"), in_state("active")
    assert [event.type for event in decide.read(archived, twin).events] == ["memory.accessed"]
    assert [event.type for event in decide.tag(archived, ("new",), LIMITS, "r", twin).events] == ["memory.tagged"]
    assert "memory.transitioned" in [event.type for event in decide.read(archived).events]


def test_whoever_is_gone_ends_every_conflict_but_the_one_that_is_being_resolved() -> None:
    gone = replace(after(id_=1), conflicts=((7, 2), (9, 3)))
    ended = list(decide.ended_conflicts(gone))
    resolved = ConflictResolved(conflict=7, new=1, known=2, mode="gone", winner=2)
    assert ended == [(1, resolved), (1, replace(resolved, conflict=9, known=3, winner=3))]
    assert decide.ended_conflicts(gone, but=7) == (ended[1],)
