"""How much a text matters, as named signals that can be shown, and the level from 1 to 5 they add up to."""

import re
from typing import Annotated

from msgspec import Meta, Struct, field

from reveried.domain.understanding.cues import DATE, NEGATION, SPECIFIC, TEMPORAL
from reveried.domain.understanding.kinds import states_a_preference
from reveried.domain.understanding.words import Reading, read

Weight = Annotated[float, Meta(ge=0, le=1)]


class SalienceWeights(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The share of each signal at its full strength; the sum is cut off at 1."""

    detail: Annotated[Weight, Meta(description="length: full at `detail_words` words")] = 0.2
    specificity: Annotated[Weight, Meta(description="always, never, critical, important, must and kin")] = 0.2
    kind: Annotated[Weight, Meta(description="what it is: a decision or a preference weighs most")] = 0.3
    numbers: Annotated[Weight, Meta(description="numbers, dates and measures")] = 0.15
    entities: Annotated[Weight, Meta(description="capitalised words that do not merely start a sentence")] = 0.1
    temporal: Annotated[Weight, Meta(description="deadlines, weekdays, months, quarters, ISO dates")] = 0.1
    negation: Annotated[Weight, Meta(description="do not, never, avoid")] = 0.1
    preference: Annotated[Weight, Meta(description="I prefer, I always, I hate, my favourite")] = 0.1


_KIND_WEIGHTS = {
    "decision": 1.0, "preference": 0.8, "identity": 0.8, "document": 0.6, "fact": 0.6, "plan": 0.6,
    "event": 0.5, "relationship": 0.5, "context": 0.3, "activity": 0.2, "ephemeral": 0.0,
}  # fmt: skip


class SaliencePolicy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    weights: Annotated[SalienceWeights, Meta(description="share of each signal")] = SalienceWeights()
    kinds: Annotated[dict[str, float], Meta(description="strength of each kind, 0..1; others have 0.5")] = field(
        default_factory=_KIND_WEIGHTS.copy
    )
    detail_words: Annotated[int, Meta(ge=1, description="words at which length counts in full")] = 30
    levels: Annotated[
        tuple[float, float, float, float], Meta(description="salience from which levels 2, 3, 4 and 5 begin")
    ] = (0.11, 0.3, 0.48, 0.7)


DEFAULT = SaliencePolicy()
_ENTITY = re.compile(r" (?<=[^.!?:\n] )[A-Z][\w-]+")


class Salience(Struct, frozen=True):
    value: float
    signals: dict[str, float]


def salience(text: str, kind: str, policy: SaliencePolicy = DEFAULT) -> Salience:
    return salience_of_reading(read(text), kind, policy)


def salience_of_reading(
    reading: Reading, kind: str, policy: SaliencePolicy = DEFAULT, prefers: bool | None = None
) -> Salience:
    """Each signal's contribution, those that are absent left out. `prefers`: a preference is stated, where known."""
    if prefers is None:
        prefers = states_a_preference(reading)
    weights = policy.weights
    strengths = (
        ("detail", weights.detail, min(1.0, len(reading.words) / policy.detail_words)),
        ("specificity", weights.specificity, _strength(len(SPECIFIC & reading.vocabulary))),
        ("kind", weights.kind, policy.kinds.get(kind, 0.5)),
        ("numbers", weights.numbers, _strength(len(reading.numbers))),
        ("entities", weights.entities, _strength(len(_ENTITY.findall(reading.text)))),
        ("temporal", weights.temporal, float(_is_temporal(reading))),
        ("negation", weights.negation, float(not NEGATION.isdisjoint(reading.vocabulary))),
        ("preference", weights.preference, float(prefers)),
    )
    signals = {name: round(weight * strength, 3) for name, weight, strength in strengths if strength}
    return Salience(min(1.0, round(sum(signals.values()), 3)), signals)


def _strength(count: int) -> float:
    """The first sign says most of it, the third the rest."""
    return (0.0, 0.6, 0.8, 1.0)[min(count, 3)]


def _is_temporal(reading: Reading) -> bool:
    if not TEMPORAL.isdisjoint(reading.vocabulary):
        return True
    return bool(reading.numbers) and bool(DATE.search(reading.text))


def level_of(salience: Salience, policy: SaliencePolicy = DEFAULT) -> int:
    return 1 + sum(salience.value >= begin for begin in policy.levels)


def importance_of(level: int) -> float:
    return level / 5
