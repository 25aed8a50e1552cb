"""A finding leads to facts, and whoever yields can come back."""

import pytest
from msgspec.structs import replace

from reveried.domain.events import ConflictDetected, ConflictResolved, MemoryMerged, MemoryRestored, MemorySuperseded
from reveried.domain.reconciling.conflicts import Contradiction
from reveried.domain.reconciling.decisions import decision, gained, resolution
from reveried.domain.reconciling.policy import Mode, ReconcilingPolicy
from reveried.domain.reconciling.reconcile import Conflict, Outcome, Same
from reveried.errors import WrongState
from unit.domain.records import after

POLICY = ReconcilingPolicy()
KNOWN, NEW = after(id_=1, content="I live in Berlin"), after(id_=2, content="I moved to Lisbon")


def _conflict(outcome: Outcome) -> Conflict:
    return Conflict(KNOWN, Contradiction("transition", 0.75), 0.61234567, outcome)


def test_the_one_that_stays_takes_tags_and_the_higher_importance() -> None:
    new = replace(NEW, tags_manual=("a", "b"), tags_auto=("word",), importance=0.9)
    known = replace(KNOWN, tags_manual=("b",), importance=0.5)
    decided = decision(new, Same(known, "merged", "More.", 0.9), "temporal", POLICY)
    merged = MemoryMerged(into=1, how="merged", added="More.", similarity=0.9, tags=("a",), importance=0.9)
    assert (decided.outcome, decided.subject, decided.events) == ("merged", 2, (merged,))


@pytest.mark.parametrize(
    ("outcome", "loser", "by"), [("new_used", 1, 2), ("existing_kept", 2, 1), ("flagged", None, None)]
)
def test_the_loser_is_superseded(outcome: Outcome, loser: int | None, by: int | None) -> None:
    decided = decision(NEW, _conflict(outcome), "temporal", POLICY)
    (detected,) = decided.events
    assert isinstance(detected, ConflictDetected)
    assert (detected.against, detected.rule, detected.outcome, detected.similarity) == (
        1,
        "transition",
        outcome,
        0.6123,
    )
    superseded = [(id_, event.by) for id_, event in decided.others if isinstance(event, MemorySuperseded)]
    assert superseded == ([] if loser is None else [(loser, by)])


def test_merging_a_contradiction_keeps_both_sentences_in_one() -> None:
    ((id_, merged),) = decision(NEW, _conflict("merged"), "merge", POLICY).others
    assert isinstance(merged, MemoryMerged)
    assert (id_, merged.into, merged.added) == (2, 1, "I moved to Lisbon")


def _resolved(mode: Mode, *, superseded: bool = True) -> list[tuple[int, type]]:
    known = replace(KNOWN, superseded_by=2) if superseded else replace(KNOWN, conflicts=((7, 2),))
    new = NEW if superseded else replace(NEW, conflicts=((7, 1),))
    decided = resolution(7, new, known, mode, "r", POLICY)
    return [(id_ or 0, type(event)) for id_, event in [*((2, e) for e in decided.events), *decided.others]]


def test_an_earlier_decision_can_be_turned_round() -> None:
    assert _resolved("keep_existing") == [(2, ConflictResolved), (1, MemoryRestored), (2, MemorySuperseded)]


def test_deciding_the_same_again_changes_nothing() -> None:
    assert _resolved("use_new") == []
    assert _resolved("ask", superseded=False) == []


def test_to_ask_brings_both_back() -> None:
    assert _resolved("ask") == [(2, ConflictResolved), (1, MemoryRestored)]


def test_an_open_conflict_is_closed_by_any_mode() -> None:
    assert _resolved("use_new", superseded=False) == [(2, ConflictResolved), (1, MemorySuperseded)]
    assert _resolved("keep_existing", superseded=False) == [(2, ConflictResolved), (2, MemorySuperseded)]
    assert _resolved("merge", superseded=False) == [(2, ConflictResolved), (2, MemoryMerged)]


def test_who_was_replaced_by_a_third_is_not_brought_back_in_passing() -> None:
    with pytest.raises(WrongState, match=r"replaced by \[id:40\] since"):
        resolution(7, NEW, replace(KNOWN, superseded_by=40), "keep_existing", "", POLICY)


def test_who_is_deleted_takes_no_part() -> None:
    with pytest.raises(WrongState, match="deleted"):
        resolution(7, replace(NEW, state="deleted"), KNOWN, "use_new", "", POLICY)


@pytest.mark.parametrize("replaced", [(True, False), (False, True)])
def test_to_ask_again_brings_back_whichever_was_replaced(replaced: tuple[bool, bool]) -> None:
    new = replace(NEW, superseded_by=1, conflicts=((7, 1),)) if replaced[0] else NEW
    known = replace(KNOWN, superseded_by=2, conflicts=((7, 2),)) if replaced[1] else KNOWN
    decided = resolution(7, new, known, "ask", "r", POLICY)
    assert [id_ for id_, event in decided.others if isinstance(event, MemoryRestored)] == [2 if replaced[0] else 1]


@pytest.mark.parametrize(("cosine", "kept"), [(1.0000001, 1.0), (0.99996, 1.0), (0.12344, 0.1234), (None, None)])
def test_a_similarity_is_no_more_than_one(cosine: float | None, kept: float | None) -> None:
    assert gained(NEW, KNOWN, cosine)["similarity"] == kept
