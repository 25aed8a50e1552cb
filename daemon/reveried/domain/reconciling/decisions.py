"""What a finding, or an answer to one, leads to: the facts to record. Nobody is lost: who yields can be restored."""

from typing import Any

from reveried.domain.decide import UNCHANGED, Decision, ended_conflicts, present
from reveried.domain.events import (
    ConflictDetected,
    ConflictResolved,
    Event,
    MemoryMerged,
    MemoryRestored,
    MemorySuperseded,
)
from reveried.domain.memory import FLAGGED, Memory
from reveried.domain.reconciling.duplicates import unique_sentences
from reveried.domain.reconciling.policy import Mode, ReconcilingPolicy
from reveried.domain.reconciling.reconcile import Conflict, Finding, Outcome, Same, by_mode
from reveried.errors import WrongState

Others = tuple[tuple[int, Event], ...]


def decision(new: Memory, finding: Finding, mode: Mode, policy: ReconcilingPolicy) -> Decision:
    match finding:
        case Same(into=into, how=how, added=added, similarity=similarity):
            merged = _merged(new, into, how, added, similarity)
            return Decision(outcome=how, subject=new.id, events=(merged,), others=ended_conflicts(new))
        case Conflict(against=against, found=found, similarity=similarity, outcome=outcome):
            detected = ConflictDetected(
                against=against.id,
                rule=found.rule,
                confidence=found.confidence,
                mode=mode,
                outcome=outcome,
                similarity=_rounded(similarity),
            )
            others = _carried_out(new, against, outcome, f"conflict: {found.rule}", policy)
            return Decision(outcome="conflict", subject=new.id, events=(detected,), others=others)


def resolution(
    number: int, new: Memory, known: Memory, mode: Mode, request: str, policy: ReconcilingPolicy
) -> Decision:
    """Close a conflict, whatever became of it so far; with mode `ask` both hold again and are flagged."""
    present(new)
    present(known)
    outcome = by_mode(new, known, mode)
    winner = {"existing_kept": known, "new_used": new, "merged": known}.get(outcome)
    loser = {"existing_kept": new, "new_used": known, "merged": new}.get(outcome)
    flagged = any(one == number for one, _ in new.conflicts)
    if flagged == (outcome == FLAGGED) and _holds(winner, new, known) and _yields(loser, winner):
        return Decision(outcome=UNCHANGED, subject=new.id)
    resolved = ConflictResolved(
        conflict=number,
        new=new.id,
        known=known.id,
        mode=mode,
        winner=winner.id if winner else None,
        request=request,
    )
    back = tuple(
        _back(memory, {new.id, known.id}) for memory in (new, known) if memory.replaced and memory is not loser
    )
    yielding = () if _yields(loser, winner) else _carried_out(new, known, outcome, f"conflict {number}", policy, number)
    return Decision(outcome="resolved", subject=new.id, events=(resolved,), others=(*back, *yielding))


def _holds(winner: Memory | None, new: Memory, known: Memory) -> bool:
    return not winner.replaced if winner else not (new.replaced or known.replaced)


def _yields(loser: Memory | None, winner: Memory | None) -> bool:
    """Whether it does so already."""
    return loser is None or winner is None or winner.id in (loser.superseded_by, loser.compressed_into)


def _back(memory: Memory, pair: set[int]) -> tuple[int, Event]:
    successor = memory.superseded_by or memory.compressed_into
    if successor not in pair:
        raise WrongState(
            f"memory [id:{memory.id}] has been replaced by [id:{successor}] since",
            field="conflict",
            hint=f"`reverie restore {memory.id}` first, if it holds again",
        )
    return memory.id, MemoryRestored(reason="conflict resolved")


def _carried_out(
    new: Memory, known: Memory, outcome: Outcome, reason: str, policy: ReconcilingPolicy, number: int = 0
) -> Others:
    match outcome:
        case "new_used":
            return ((known.id, MemorySuperseded(by=new.id, reason=reason)), *ended_conflicts(known, but=number))
        case "existing_kept":
            return ((new.id, MemorySuperseded(by=known.id, reason=reason)), *ended_conflicts(new, but=number))
        case "merged":
            added = unique_sentences(new.content, known.content, policy)
            return ((new.id, _merged(new, known, "merged", added, None)), *ended_conflicts(new, but=number))
        case "flagged":
            return ()


def _merged(new: Memory, into: Memory, how: str, added: str, similarity: float | None) -> MemoryMerged:
    return MemoryMerged(into=into.id, how=how, added=added, **gained(new, into, similarity))


def gained(new: Memory, into: Memory, similarity: float | None) -> dict[str, Any]:
    """What a memory gains, besides words, by standing for another."""
    return {
        "similarity": _rounded(similarity),
        # Tags that the daemon found are words of the text, and would outlive its erasure.
        "tags": tuple(tag for tag in new.tags_manual if tag not in into.tags_manual),
        "importance": new.importance if new.importance > into.importance else None,
    }


def _rounded(similarity: float | None) -> float | None:
    return None if similarity is None else round(min(1.0, similarity), 4)
