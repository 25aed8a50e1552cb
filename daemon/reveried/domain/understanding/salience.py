"""How much a text matters, as named signals that can be shown, and the level from 1 to 5 they add up to."""

import re
from typing import Annotated

from msgspec import Meta, Struct, field

from reveried.domain.understanding.cues import DATE, NEGATION, SPECIFIC, TEMPORAL
from reveried.domain.understanding.kinds import states_a_preference
from reveried.domain.understanding.words import Reading, read


class SalienceWeights(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The share of each signal at its full strength; the sum is cut off at 1."""

    detail: Annotated[float, Meta(ge=0.0, le=1.0, description="Length: full at `detail_words` words")] = 0.2
    specificity: Annotated[
        float, Meta(ge=0.0, le=1.0, description="Always, never, critical, important, must and kin")
    ] = 0.2
    kind: Annotated[float, Meta(ge=0.0, le=1.0, description="What it is: a decision or a preference weighs most")] = 0.3
    numbers: Annotated[float, Meta(ge=0.0, le=1.0, description="Numbers, dates and measures")] = 0.15
    entities: Annotated[
        float, Meta(ge=0.0, le=1.0, description="Capitalised words that do not merely start a sentence")
    ] = 0.1
    temporal: Annotated[float, Meta(ge=0.0, le=1.0, description="Deadlines, weekdays, months, quarters, ISO dates")] = (
        0.1
    )
    negation: Annotated[float, Meta(ge=0.0, le=1.0, description="Do not, never, avoid")] = 0.1
    preference: Annotated[float, Meta(ge=0.0, le=1.0, description="I prefer, I always, I hate, my favourite")] = 0.1


_KIND_WEIGHTS = {
    "decision": 1.0, "preference": 0.8, "identity": 0.8, "document": 0.6, "fact": 0.6, "plan": 0.6,
    "event": 0.5, "relationship": 0.5, "context": 0.3, "activity": 0.2, "ephemeral": 0.0,
}  # fmt: skip


class SaliencePolicy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    weights: Annotated[SalienceWeights, Meta(description="The share of each signal in the salience.")] = (
        SalienceWeights()
    )
    kinds: Annotated[
        dict[str, Annotated[float, Meta(ge=0.0, le=1.0)]],
        Meta(
            description="How much each kind of memory weighs; one that is not named weighs 0.5",
            extra={"expects": "kinds with a number from 0 to 1"},
        ),
    ] = field(default_factory=_KIND_WEIGHTS.copy)
    detail_words: Annotated[int, Meta(ge=1, le=10_000, description="Words at which length counts in full")] = 30
    levels: Annotated[
        tuple[float, float, float, float],
        Meta(
            description="The salience at which levels 2, 3, 4 and 5 begin",
            extra={"expects": "four numbers from 0 to 1, rising"},
        ),
    ] = (0.11, 0.3, 0.48, 0.7)


DEFAULT = SaliencePolicy()
NAME = re.compile(r" (?<=[^.!?:\n] )[A-Z][\w-]+")


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
        ("entities", weights.entities, _strength(len(NAME.findall(reading.text)))),
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
