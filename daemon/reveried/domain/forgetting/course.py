"""The curve of one memory as it went and will go: whole again at each use, and slower after each access."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from math import exp

from msgspec import Struct
from msgspec.structs import replace

from reveried.domain.forgetting.retention import FAINTEST, RetentionPolicy, stability_days
from reveried.domain.forgetting.units import days_since, last_used_at
from reveried.domain.memory import Memory


class Use(Struct, frozen=True):
    """From `at` on the memory has been accessed `accesses` times."""

    at: int
    accesses: int


def uses_of(memory: Memory, reads: Sequence[int], affirmations: Iterable[int]) -> list[Use]:
    """Every use in order, the last one as the record has it.

    `reads` are the latest accesses, perhaps not all. If some are missing, the course begins with the first one known.
    """
    unknown = memory.access_count - len(reads)
    first = min(reads, default=memory.stored_at) if unknown else memory.stored_at
    begins = [] if unknown else [(first, 0)]
    uses, accesses = [], unknown
    for at, counts in sorted([*begins, *((at, 1) for at in reads), *((at, 0) for at in affirmations if at >= first)]):
        accesses += counts
        uses.append(Use(at, accesses))
    last = Use(last_used_at(memory), memory.access_count)
    return [*(use for use in uses if use.at < last.at), last]


def left_at(memory: Memory, moment: int, uses: Sequence[Use], policy: RetentionPolicy, links: int = 0) -> float:
    """How much was, or will be, left at a moment. A pinned memory has always been whole, as far as we know.

    Its links are taken as they are now.
    """
    if memory.pinned:
        return 1.0
    use = uses[max(bisect_right(uses, moment, key=lambda one: one.at) - 1, 0)]
    then = replace(memory, access_count=use.accesses)
    return max(exp(-days_since(use.at, moment) / stability_days(then, links, policy)), FAINTEST)
