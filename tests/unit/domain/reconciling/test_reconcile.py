"""One finding at most, the mode decides, and some things are never decided without asking."""

from typing import Any

import pytest
from msgspec.structs import replace

from reveried.domain.memory import Memory
from reveried.domain.reconciling.conflicts import Contradiction
from reveried.domain.reconciling.policy import MODES, Mode, ReconcilingPolicy
from reveried.domain.reconciling.reconcile import Conflict, Known, Same, by_mode, is_turn, reconciled, settled
from unit.domain.records import after

POLICY = ReconcilingPolicy()
SURE, UNSURE = Contradiction("negation", 0.8), Contradiction("numbers", 0.6)


def memory(id_: int, content: str = "words", **fields: Any) -> Memory:
    return replace(after(id_=id_, content=content), **fields)


def judged(new: Memory, *known: tuple[Memory, float | None], **options: Any) -> Same | Conflict | None:
    return reconciled(new, [Known(*one) for one in known], POLICY, **options)


def test_the_same_again_comes_before_a_contradiction() -> None:
    found = judged(
        memory(9, "The cache is enabled here"),
        (memory(1, "The cache is disabled here"), 0.97),
        (memory(2, "Here the cache is enabled"), 0.96),
    )
    assert isinstance(found, Same)
    assert found.into.id == 2


def test_with_dedup_off_both_stay() -> None:
    assert judged(memory(9, "The door is red"), (memory(1, "Red is the door"), 0.99), dedup=False) is None


@pytest.mark.parametrize(
    "fields",
    [
        {"state": "archived"},
        {"state": "deleted"},
        {"superseded_by": 5},
        {"compressed_into": 5},
        {"namespace": "other"},
        {"speaker": "Bob"},
        {"kind": "document"},
    ],
)
def test_who_is_gone_elsewhere_or_somebody_else_is_not_compared(fields: dict[str, Any]) -> None:
    known = memory(1, "The door is red", **fields)
    assert judged(memory(9, "Red is the door"), (known, 0.99)) is None


@pytest.mark.parametrize(
    ("fields", "turn"),
    [
        ({"session_id": "monday", "speaker": "Ada"}, True),
        ({"session_id": "monday"}, False),
        ({"speaker": "Ada"}, False),
        ({}, False),
    ],
)
def test_a_turn_of_a_conversation_has_a_speaker_and_a_session(fields: dict[str, Any], turn: bool) -> None:
    assert is_turn(memory(1, **fields)) == turn


@pytest.mark.parametrize(("known", "new"), [("monday", "tuesday"), ("monday", None), (None, "tuesday")])
@pytest.mark.parametrize("text", ["Red is the door", "The door is not red"], ids=["the same", "its contrary"])
def test_a_turn_of_a_conversation_is_held_against_nobody_and_nobody_against_it(
    known: str | None, new: str | None, text: str
) -> None:
    there = memory(1, "The door is red", speaker="Ada")
    told = memory(9, text, speaker="Ada")
    assert judged(told, (there, 0.99)) is not None
    assert judged(replace(told, session_id=new), (replace(there, session_id=known), 0.99)) is None


def test_a_memory_that_stands_for_others_is_not_absorbed_itself() -> None:
    new = memory(9, "Red is the door", absorbed=((4, 3),))
    assert judged(new, (memory(1, "The door is red"), 0.99)) is None


def test_without_vectors_common_words_are_enough_to_contradict() -> None:
    found = judged(memory(9, "Guests may not park in the yard"), (memory(1, "Guests may park in the yard"), None))
    assert isinstance(found, Conflict)
    assert (found.found.rule, found.outcome, found.similarity) == ("negation", "new_used", None)


def test_far_apart_nothing_contradicts() -> None:
    assert (
        judged(memory(9, "Guests may not park in the yard"), (memory(1, "Guests may park in the yard"), 0.59)) is None
    )


def test_just_near_enough_contradicts_and_just_sure_enough_decides() -> None:
    known = memory(1, "Guests may park in the yard")
    found = judged(memory(9, "Guests may not park in the yard"), (known, POLICY.related))
    assert isinstance(found, Conflict)
    sure = Contradiction("negation", POLICY.certain)
    assert settled(memory(9), memory(1), sure, "use_new", POLICY) == "new_used"


def test_a_long_row_of_numbers_is_a_list_and_no_quarrel() -> None:
    known = [(memory(id_, f"The tank holds {id_} litres"), 0.9) for id_ in (1, 2, 3)]
    assert isinstance(judged(memory(9, "The tank holds 9 litres"), *known[:2]), Conflict)
    assert judged(memory(9, "The tank holds 9 litres"), *known) is None


@pytest.mark.parametrize(
    ("mode", "outcome"),
    [
        ("keep_existing", "existing_kept"),
        ("use_new", "new_used"),
        ("merge", "merged"),
        ("ask", "flagged"),
        ("temporal", "new_used"),
    ],
)
def test_each_mode_has_its_outcome(mode: Mode, outcome: str) -> None:
    assert settled(memory(9), memory(1), SURE, mode, POLICY) == outcome


@pytest.mark.parametrize("mode", MODES)
def test_what_is_not_sure_is_only_flagged(mode: Mode) -> None:
    assert settled(memory(9), memory(1), UNSURE, mode, POLICY) == "flagged"


def test_a_pinned_memory_is_not_set_aside_by_itself() -> None:
    assert settled(memory(9), memory(1, pinned=True), SURE, "use_new", POLICY) == "flagged"
    assert settled(memory(9, pinned=True), memory(1), SURE, "keep_existing", POLICY) == "flagged"
    assert settled(memory(9, pinned=True), memory(1), SURE, "merge", POLICY) == "flagged"
    assert settled(memory(9), memory(1, pinned=True), SURE, "merge", POLICY) == "merged"
    assert settled(memory(9, pinned=True), memory(1), SURE, "use_new", POLICY) == "new_used"


def test_words_nobody_vouches_for_set_nothing_aside() -> None:
    assert settled(memory(9, trust="low"), memory(1), SURE, "use_new", POLICY) == "flagged"


@pytest.mark.parametrize(
    ("new", "known", "outcome"),
    [(5, 9, "existing_kept"), (9, 5, "new_used"), (5, 5, "new_used"), (None, 9, "new_used"), (5, None, "new_used")],
)
def test_what_holds_since_later_holds_now(new: int | None, known: int | None, outcome: str) -> None:
    assert by_mode(memory(9, valid_from=new), memory(1, valid_from=known), "temporal") == outcome
