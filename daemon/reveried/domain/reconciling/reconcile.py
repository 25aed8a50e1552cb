"""A new memory against known ones: at most one finding, the same facts in always the same one."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from reveried.domain.memory import FLAGGED, LIVE_STATES, Memory
from reveried.domain.reconciling.conflicts import Contradiction, contradiction, speaks_of_the_same
from reveried.domain.reconciling.duplicates import How, sameness
from reveried.domain.reconciling.policy import Mode, ReconcilingPolicy

Outcome = Literal["existing_kept", "new_used", "merged", "flagged"]


class Known(Struct, frozen=True):
    """A memory that may be concerned, and how near it is; None where nobody could tell."""

    memory: Memory
    cosine: float | None


class Same(Struct, frozen=True):
    into: Memory
    how: How
    added: str
    similarity: float | None


class Conflict(Struct, frozen=True):
    against: Memory
    found: Contradiction
    similarity: float | None
    outcome: Outcome


Finding = Same | Conflict


def is_turn(memory: Memory) -> bool:
    """What somebody said in a conversation was said then, whatever is said later: an event, not a belief.

    The account of a session tells what was said then, too.
    """
    return bool((memory.session_id and memory.speaker) or memory.drawn_from)


def reconciled(
    new: Memory, known: Sequence[Known], policy: ReconcilingPolicy, *, dedup: bool = True, mode: Mode | None = None
) -> Finding | None:
    """The same again comes first; only what is not known yet can contradict."""
    if is_turn(new):
        return None
    candidates = [one for one in known if comparable(new, one.memory)]
    if dedup and policy.dedup and not new.absorbed and not new.pinned:
        for one in sorted(candidates, key=lambda one: -(one.cosine or 0.0)):
            found = sameness(new.content, one.memory.content, one.cosine, policy)
            if found is not None:
                return Same(one.memory, found.how, found.added, one.cosine)
    return _conflict(new, candidates, policy, mode or policy.conflicts)


def comparable(new: Memory, known: Memory) -> bool:
    """Two live memories of one namespace. What two speakers say of themselves is not about the same person."""
    return (
        known.id != new.id
        and known.namespace == new.namespace
        and known.speaker == new.speaker
        and known.state in LIVE_STATES
        and not known.replaced
        and "document" not in (known.kind, new.kind)
        and not is_turn(known)
    )


def _conflict(new: Memory, candidates: Sequence[Known], policy: ReconcilingPolicy, mode: Mode) -> Conflict | None:
    near = [one for one in candidates if _may_contradict(new, one, policy)][: policy.candidates]
    found = [(one, hit) for one in near if (hit := contradiction(new.content, one.memory.content, policy))]
    unsure = [pair for pair in found if pair[1].confidence < policy.certain]
    if len(unsure) >= policy.series:
        # "Run 1 took 4 minutes, run 2 took 5": a list of its own, in which every line holds.
        found = [pair for pair in found if pair not in unsure]
    if not found:
        return None
    one, hit = max(found, key=lambda pair: (pair[1].confidence, pair[0].cosine or 0.0, pair[0].memory.id))
    return Conflict(one.memory, hit, one.cosine, settled(new, one.memory, hit, mode, policy))


def _may_contradict(new: Memory, one: Known, policy: ReconcilingPolicy) -> bool:
    if one.cosine is not None and one.cosine >= policy.related:
        return True
    return speaks_of_the_same(new.content, one.memory.content, policy, by_words=one.cosine is None)


def settled(new: Memory, known: Memory, hit: Contradiction, mode: Mode, policy: ReconcilingPolicy) -> Outcome:
    """What is done without asking. A pinned memory is never set aside, and words nobody vouches for set none aside."""
    if hit.confidence < policy.certain or new.trust == "low":
        return FLAGGED
    outcome = by_mode(new, known, mode)
    loser = {"existing_kept": new, "merged": new, "new_used": known}.get(outcome)
    return FLAGGED if loser is not None and loser.pinned else outcome


def by_mode(new: Memory, known: Memory, mode: Mode) -> Outcome:
    match mode:
        case "keep_existing":
            return "existing_kept"
        case "use_new":
            return "new_used"
        case "merge":
            return "merged"
        case "ask":
            return "flagged"
        case "temporal":
            # What holds since later holds now; where one of them does not say since when, the order of arrival does.
            earlier = new.valid_from is not None and known.valid_from is not None and new.valid_from < known.valid_from
            return "existing_kept" if earlier else "new_used"
