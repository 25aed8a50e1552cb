"""Which of the ranked memories fit the answer: greedily, skipping what is too large, never returning nothing."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from msgspec import Struct

T = TypeVar("T")
# Preferences apply whatever the question is, so they are chosen first, but they may not crowd out the answer.
PROCEDURAL_SHARE = 0.25


class Candidate(Struct, Generic[T]):
    """`tokens` is asked only as long as there is room: counting them takes as long as ranking."""

    item: T
    tokens: Callable[[], int]
    procedural: bool


class Chosen(Struct, Generic[T]):
    items: list[T]
    tokens: int
    over_budget: bool
    last: int | None = None  # the place of the candidate that filled it; None where there was room for more


def within_budget(candidates: Sequence[Candidate[T]], limit: int, budget: int) -> Chosen[T]:
    """The candidates are ordered best first, and so are the chosen; procedural ones take a share of the budget outside
    the limit."""
    procedural, used = _fill([one for one in candidates if one.procedural], limit, int(budget * PROCEDURAL_SHARE))
    taken = {id(one) for one in procedural}
    rest, more = _fill([one for one in candidates if id(one) not in taken], limit, budget - used)
    kept = taken | {id(one) for one in rest}
    chosen = [one for one in candidates if id(one) in kept]
    last = next(at for at, one in enumerate(candidates) if one is rest[-1]) if len(rest) == limit else None
    if not chosen and candidates:
        best = candidates[0]
        return Chosen([best.item], best.tokens(), over_budget=True)
    return Chosen([one.item for one in chosen], used + more, over_budget=False, last=last)


def _fill(candidates: Sequence[Candidate[T]], limit: int, budget: int) -> tuple[list[Candidate[T]], int]:
    chosen: list[Candidate[T]] = []
    used = 0
    for one in candidates:
        if len(chosen) == limit:
            break
        tokens = one.tokens()
        if used + tokens <= budget:
            chosen.append(one)
            used += tokens
    return chosen, used
