"""Which of two near-duplicates goes into the other, and what of it is kept there. Words decide, as on arrival."""

from msgspec.structs import replace

from reveried.domain.consolidating.policy import ConsolidationPolicy
from reveried.domain.decide import Decision
from reveried.domain.events import MemoryArchived, MemoryMerged
from reveried.domain.memory import COMPRESSED, SEAM, Memory
from reveried.domain.reconciling.decisions import gained
from reveried.domain.reconciling.duplicates import sameness, unique_sentences
from reveried.domain.reconciling.policy import ReconcilingPolicy
from reveried.domain.reconciling.reconcile import comparable, is_turn

REASON = "near_duplicate"


def compression(
    one: Memory,
    other: Memory,
    cosine: float,
    policy: ConsolidationPolicy,
    reconciling: ReconcilingPolicy,
    longest: int,
) -> Decision | None:
    """The facts that make one memory of two; None where they must stay two."""
    if cosine <= policy.similarity or not _may_meet(one, other):
        return None
    keeper, goes = sorted((one, other), key=_standing, reverse=True)
    if goes.pinned or goes.absorbed:
        return None
    known = replace(reconciling, merge=policy.similarity, same_words=min(reconciling.same_words, policy.similarity))
    if sameness(goes.content, keeper.content, cosine, known) is None:
        return None
    added = unique_sentences(goes.content, keeper.content, known)
    if len(keeper.content) + len(SEAM) + len(added) > longest:
        return None
    merged = MemoryMerged(into=keeper.id, how=COMPRESSED, added=added, **gained(goes, keeper, cosine))
    return Decision(outcome=COMPRESSED, subject=goes.id, events=(merged, MemoryArchived(reason=COMPRESSED)))


def into(decision: Decision) -> int:
    """Who stands for both."""
    (merged,) = (event for event in decision.events if isinstance(event, MemoryMerged))
    return merged.into


def _may_meet(one: Memory, other: Memory) -> bool:
    """Two that were held against each other before were judged then, or told apart by somebody since."""
    return (
        comparable(one, other)
        and not is_turn(one)
        and not one.conflicted
        and not other.conflicted
        and other.id not in one.ties
        and _circumstances(one) == _circumstances(other)
    )


def _circumstances(memory: Memory) -> tuple[object, ...]:
    """What the words of one would lose, or gain, by becoming words of the other."""
    return memory.trust, memory.valid_from, memory.valid_to, memory.expires_at


def _standing(memory: Memory) -> tuple[object, ...]:
    """Who stays: the more important; before that, whoever cannot go, since it is pinned or stands for others."""
    return (
        memory.pinned,
        bool(memory.absorbed),
        memory.importance,
        memory.score,
        memory.access_count,
        -memory.id,
    )
