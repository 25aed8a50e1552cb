"""What speaks for a link between two memories, how much, and which links are worth proposing."""

from collections.abc import Iterable

from msgspec import Struct

from reveried.domain.events import Link
from reveried.domain.linking.kinds import RELATED_TO, SIMILAR_TO
from reveried.domain.linking.policy import LinksPolicy
from reveried.domain.memory import LIVE_STATES, Memory
from reveried.domain.reconciling.reconcile import is_turn

PLACES = 4


class Evidence(Struct, frozen=True, kw_only=True):
    """How many tags and entities two memories share, and their cosine where both have vectors."""

    tags: int = 0
    entities: int = 0
    cosine: float | None = None


def weight(evidence: Evidence, policy: LinksPolicy) -> float:
    told = (
        policy.tags * min(evidence.tags, policy.enough) / policy.enough
        + policy.entities * min(evidence.entities, policy.enough) / policy.enough
        + policy.meaning * max(evidence.cosine or 0.0, 0.0)
    )
    return min(1.0, told)


def confidence(evidence: Evidence, policy: LinksPolicy) -> float:
    """The weight, of the most that could be known: where there is no cosine, the rest speaks for itself."""
    knowable = 1.0 if evidence.cosine is not None else policy.tags + policy.entities
    return min(1.0, weight(evidence, policy) / knowable)


def link_to(other: int, evidence: Evidence, policy: LinksPolicy) -> Link:
    cosine = evidence.cosine
    return Link(
        to=other,
        kind=SIMILAR_TO if (cosine or 0.0) >= policy.similar else RELATED_TO,
        weight=round(weight(evidence, policy), PLACES),
        confidence=round(confidence(evidence, policy), PLACES),
        tags=evidence.tags,
        entities=evidence.entities,
        cosine=None if cosine is None else round(cosine, PLACES),
    )


def proposals(found: Iterable[tuple[int, Evidence]], policy: LinksPolicy) -> tuple[Link, ...]:
    """The best of what was found for one memory; equals go by the newer."""
    links = [link_to(other, evidence, policy) for other, evidence in found]
    worth = [link for link in links if link.confidence >= policy.least and link.confidence > 0.0]
    return tuple(sorted(worth, key=lambda link: (-link.weight, -link.to))[: policy.most])


def linkable(memory: Memory) -> bool:
    """A belief that stands. What was said in a conversation has its neighbours there already, a document its chunks."""
    stands = memory.state in LIVE_STATES and not memory.replaced
    return stands and not memory.is_document and not is_turn(memory)


def comparable(one: Memory, other: Memory) -> bool:
    """Chunks of one document share its tags, and belong together anyway."""
    chunks = one.chunk_index is not None and other.chunk_index is not None
    siblings = chunks and one.parent_id is not None and one.parent_id == other.parent_id
    return one.id != other.id and one.namespace == other.namespace and linkable(other) and not siblings
