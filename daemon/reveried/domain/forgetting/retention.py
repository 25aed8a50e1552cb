"""One curve, exp(−t / S), computed from the record and the time whenever it is asked for, and never stored."""

from math import exp, floor, log
from typing import Annotated, Literal, Protocol

from msgspec import Meta, Struct

from reveried.domain.forgetting.units import DAY, Days, Rate, Used, days_since, last_used_at

# exp underflows to zero within a few years for short-lived kinds, and zero would wipe out every product it is in.
FAINTEST = 1e-300
LEVELS = 5


class Fading(Used, Protocol):
    """What of a memory the curve asks for: a whole record has it, and so has a row of a few numbers."""

    @property
    def kind(self) -> str: ...
    @property
    def importance(self) -> float: ...
    @property
    def access_count(self) -> int: ...
    @property
    def pinned(self) -> int: ...


class KindDays(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base stability of each kind, in days: after that long untouched, 37 % is left."""

    identity: Annotated[Days, Meta(description="Who someone is.")] = 365.0
    decision: Annotated[Days, Meta(description="What was decided, and why.")] = 365.0
    preference: Annotated[Days, Meta(description="What someone likes or wants.")] = 270.0
    relationship: Annotated[Days, Meta(description="How people and things are connected.")] = 270.0
    fact: Annotated[Days, Meta(description="What is so.")] = 270.0
    event: Annotated[Days, Meta(description="What happened.")] = 120.0
    activity: Annotated[Days, Meta(description="What someone was doing.")] = 90.0
    plan: Annotated[Days, Meta(description="What is meant to happen.")] = 60.0
    context: Annotated[Days, Meta(description="What holds for the work at hand.")] = 21.0
    ephemeral: Annotated[Days, Meta(description="What holds for a moment.")] = 3.0
    unknown: Annotated[Days, Meta(description="Any kind not listed here.")] = 90.0

    def of(self, kind: str) -> float:
        return float(getattr(self, kind)) if kind in self.__struct_fields__ else self.unknown


class RetentionPolicy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    by: Annotated[Literal["kind", "importance"], Meta(description="What sets the base stability of a memory.")] = "kind"
    kind_days: Annotated[KindDays, Meta(description="Base stability by kind, in days.")] = KindDays()
    half_life_days: Annotated[
        tuple[Days, Days, Days, Days, Days],
        Meta(description="Half-life of importance levels 1 to 5, in days; used when `by` is importance."),
    ] = (7.0, 14.0, 30.0, 90.0, 365.0)
    growth: Annotated[Literal["logarithmic", "geometric"], Meta(description="How accesses lengthen stability.")] = (
        "logarithmic"
    )
    logarithmic_rate: Annotated[Rate, Meta(description="r in 1 + r·ln(1 + accesses).")] = 0.5
    geometric_rate: Annotated[float, Meta(ge=1, le=10, description="r in r^accesses.")] = 1.15
    geometric_cap: Annotated[
        float, Meta(ge=1, le=1000, description="The most that geometric growth may multiply by.")
    ] = 16.0
    connectivity: Annotated[bool, Meta(description="Whether links to other memories slow fading.")] = True
    connectivity_weight: Annotated[Rate, Meta(description="w in 1 + w·ln(1 + links).")] = 0.1


def retention_at(memory: Fading, now: int, policy: RetentionPolicy, links: int = 0) -> float:
    """How much is left, in (0, 1]. A pinned memory does not fade."""
    return 1.0 if memory.pinned else curve_at(memory, now, policy, links)


def staleness_at(memory: Fading, now: int, policy: RetentionPolicy, links: int = 0) -> float:
    return 1.0 - retention_at(memory, now, policy, links)


def curve_at(memory: Fading, now: int, policy: RetentionPolicy, links: int = 0) -> float:
    """The curve itself, whatever is pinned."""
    idle = days_since(last_used_at(memory), now)
    return max(exp(-idle / stability_days(memory, links, policy)), FAINTEST)


def first_below(share: float, memory: Fading, links: int, policy: RetentionPolicy) -> int:
    """The curve read backwards: the first moment at which less than `share` is left."""
    return last_used_at(memory) + floor(stability_days(memory, links, policy) * -log(share) * DAY) + 1


def stability_days(memory: Fading, links: int, policy: RetentionPolicy) -> float:
    return base_days(memory, policy) * growth(memory.access_count, policy) * connectivity(links, policy)


def base_days(memory: Fading, policy: RetentionPolicy) -> float:
    if policy.by == "kind":
        return policy.kind_days.of(memory.kind)
    return policy.half_life_days[level_of(memory.importance) - 1] / log(2)


def level_of(importance: float) -> int:
    """The nearest of the levels 1 to 5, each of which stands for an importance of level / 5."""
    return min(max(floor(importance * LEVELS + 0.5), 1), LEVELS)


def growth(accesses: int, policy: RetentionPolicy) -> float:
    if policy.growth == "logarithmic":
        return 1.0 + policy.logarithmic_rate * log(1 + accesses)
    # Compared as logarithms first, because r^accesses overflows after a few thousand of them.
    if accesses * log(policy.geometric_rate) >= log(policy.geometric_cap):
        return policy.geometric_cap
    return policy.geometric_rate**accesses


def connectivity(links: int, policy: RetentionPolicy) -> float:
    return 1.0 + policy.connectivity_weight * log(1 + links) if policy.connectivity else 1.0
