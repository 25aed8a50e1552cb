"""Who makes room when the store is too large: the least affirmed first, the pinned never."""

from collections.abc import Iterable, Sequence
from math import ceil, exp
from typing import Annotated

from msgspec import Meta, Struct

from reveried.domain.forgetting.units import Days, Rate, days_since, last_affirmed_at, last_used_at
from reveried.domain.memory import LIVE_STATES, Memory

_UNITS = {"B": 1, "kB": 10**3, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
# The score has no bounds, and exp overflows beyond 709.
STEEPEST = 700.0


class PrunePolicy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    max_size: Annotated[
        str,
        Meta(
            pattern=r"^[0-9]{1,15}(\.[0-9]{1,3})? ?(B|kB|KB|MB|GB|KiB|MiB|GiB)$",
            description="Size of the live state above which room is made, such as 100MB.",
            extra={"expects": "a size such as 100MB"},
        ),
    ] = "100MB"
    percent: Annotated[float, Meta(gt=0, le=100, description="Share archived in one round, in %.")] = 1.0
    score_rate: Annotated[Rate, Meta(description="r in exp(r·score).")] = 0.2
    recency_rate: Annotated[Rate, Meta(description="r in 1 / (1 + r·days since affirmed).")] = 0.01
    tagged_recent_days: Annotated[
        Days, Meta(description="Days of use for which a tag given by hand sends a memory to the end of the line.")
    ] = 30.0

    @property
    def max_bytes(self) -> int:
        number = self.max_size.rstrip("BkKMGi ")
        return int(float(number) * _UNITS[self.max_size[len(number) :].strip()])


def prune_weight(score: int, affirmed_at: int, now: int, policy: PrunePolicy) -> float:
    """The lower, the sooner it is archived."""
    return score_lift(score, policy) / (1.0 + policy.recency_rate * days_since(affirmed_at, now))


def score_lift(score: int, policy: PrunePolicy) -> float:
    return exp(min(max(policy.score_rate * score, -STEEPEST), STEEPEST))


def prune_order(memories: Iterable[Memory], now: int, policy: PrunePolicy) -> list[Memory]:
    """Everything that may be archived to make room, first to go first; equals go oldest first."""
    candidates = [memory for memory in memories if memory.state in LIVE_STATES and not memory.pinned]
    return sorted(candidates, key=lambda memory: _place(memory, now, policy))


def _place(memory: Memory, now: int, policy: PrunePolicy) -> tuple[bool, float, int]:
    weight = prune_weight(memory.score, last_affirmed_at(memory), now, policy)
    return _spared(memory, now, policy), weight, memory.id


def _spared(memory: Memory, now: int, policy: PrunePolicy) -> bool:
    in_use = days_since(last_used_at(memory), now) <= policy.tagged_recent_days
    return bool(memory.tags_manual) and in_use


def round_size(live: int, policy: PrunePolicy) -> int:
    """How many to archive in one round: at least one, so that rounds always end."""
    return min(live, max(1, ceil(live * policy.percent / 100)))


def leaving(sizes: Sequence[float], live: int, excess: float, policy: PrunePolicy) -> int:
    """How many go, of those in line with these sizes, in whole rounds until what leaves outweighs the excess."""
    taken, freed = 0, 0.0
    while freed < excess and taken < len(sizes):
        size = round_size(live - taken, policy)
        freed += sum(sizes[taken : taken + size])
        taken += size
    return min(taken, len(sizes))
