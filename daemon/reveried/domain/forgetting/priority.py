"""How much a memory matters now: five terms, each brought to 0..1 in one function, weighted and summed."""

from math import log
from typing import Annotated

from msgspec import Meta, Struct

from reveried.domain.forgetting.units import Days, Share, days_since, last_used_at
from reveried.domain.memory import Memory


class SourceWeights(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How much the origin of a memory speaks for it."""

    correction: Annotated[Share, Meta(description="Someone set it right.")] = 1.0
    direct: Annotated[Share, Meta(description="Told to be remembered.")] = 0.95
    conversation: Annotated[Share, Meta(description="Said in a conversation.")] = 0.85
    chat: Annotated[Share, Meta(description="Said in a chat.")] = 0.85
    agent: Annotated[Share, Meta(description="Noted by an agent.")] = 0.8
    narrative: Annotated[Share, Meta(description="Part of a narrative.")] = 0.8
    consolidation: Annotated[Share, Meta(description="Made of other memories.")] = 0.7
    upload: Annotated[Share, Meta(description="Part of a document given.")] = 0.7
    extraction: Annotated[Share, Meta(description="Drawn out of other text.")] = 0.6
    migration: Annotated[Share, Meta(description="Brought over from elsewhere.")] = 0.6
    connector: Annotated[Share, Meta(description="Fetched by a connector.")] = 0.5
    other: Annotated[Share, Meta(description="Any source not listed.")] = 0.5
    custom: Annotated[dict[str, Share], Meta(description="Sources of your own, by name.")] = {}

    def of(self, source: str) -> float:
        if source in self.custom:
            return self.custom[source]
        listed = source in self.__struct_fields__ and source != "custom"
        return float(getattr(self, source)) if listed else self.other


class PriorityPolicy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    explicit: Annotated[Share, Meta(description="Weight of the priority given by hand.")] = 0.4
    access_frequency: Annotated[Share, Meta(description="Weight of how often it is read.")] = 0.2
    relationship_density: Annotated[Share, Meta(description="Weight of its connections.")] = 0.2
    recency: Annotated[Share, Meta(description="Weight of how lately it was used.")] = 0.1
    source: Annotated[Share, Meta(description="Weight of where it came from.")] = 0.1
    frequency_days: Annotated[Days, Meta(description="The period accesses are counted per.")] = 30.0
    frequent_accesses: Annotated[float, Meta(gt=0, le=1e6, description="Accesses per period that count as 1.")] = 20.0
    dense_relationships: Annotated[float, Meta(gt=0, le=1e6, description="Relationship score that counts as 1.")] = 6.0
    source_weights: Annotated[SourceWeights, Meta(description="What each source counts.")] = SourceWeights()

    def __post_init__(self) -> None:
        if abs(self.explicit + self.implicit - 1.0) > 1e-9:
            raise ValueError("the five weights of priority must sum to 1")
        if self.implicit <= 0.0:
            raise ValueError("explicit must be below 1, or a memory without one would have no priority at all")

    @property
    def implicit(self) -> float:
        return self.access_frequency + self.relationship_density + self.recency + self.source


class PriorityTerms(Struct, frozen=True, kw_only=True):
    """Each in 0..1, as shown when a priority is explained."""

    explicit: float | None
    access_frequency: float
    relationship_density: float
    recency: float
    source: float


def priority_at(memory: Memory, now: int, relationship_score: float, policy: PriorityPolicy) -> float:
    return weighted(priority_terms(memory, now, relationship_score, policy), policy)


def weighted(terms: PriorityTerms, policy: PriorityPolicy) -> float:
    """With no explicit priority the other weights share its part in their own proportions."""
    implicit = (
        policy.access_frequency * terms.access_frequency
        + policy.relationship_density * terms.relationship_density
        + policy.recency * terms.recency
        + policy.source * terms.source
    )
    if terms.explicit is None:
        return implicit / policy.implicit
    return policy.explicit * terms.explicit + implicit


def priority_terms(memory: Memory, now: int, relationship_score: float, policy: PriorityPolicy) -> PriorityTerms:
    return PriorityTerms(
        explicit=None if memory.priority is None else min(max(memory.priority, 0.0), 1.0),
        access_frequency=_access_frequency(memory, now, policy),
        relationship_density=min(relationship_score / policy.dense_relationships, 1.0),
        recency=1.0 / (1.0 + log(1.0 + days_since(last_used_at(memory), now))),
        source=policy.source_weights.of(memory.source),
    )


def _access_frequency(memory: Memory, now: int, policy: PriorityPolicy) -> float:
    # A life shorter than one period counts as one: a single access in the first minute is not a habit.
    periods = max(days_since(memory.created_at, now) / policy.frequency_days, 1.0)
    return min(log(1.0 + memory.access_count / periods) / log(1.0 + policy.frequent_accesses), 1.0)
