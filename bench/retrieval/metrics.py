"""What a ranking is worth: any, the mean fraction or all of the evidence among the first, and the first one's rank."""

from collections.abc import Collection, Sequence
from statistics import mean
from typing import NamedTuple

DEPTHS = (1, 5, 10)


class Scores(NamedTuple):
    """Means over questions, by depth."""

    count: int
    any: dict[int, float]
    fraction: dict[int, float]
    all: dict[int, float]
    mrr: float


class Answered(NamedTuple):
    """A ranking, best first, and what should have been in it."""

    ranking: Sequence[str]
    evidence: Collection[str]


def scores(answered: Sequence[Answered]) -> Scores:
    found = {depth: [_found(one, depth) for one in answered] for depth in DEPTHS}
    return Scores(
        count=len(answered),
        any={depth: mean(share > 0 for share in shares) for depth, shares in found.items()},
        fraction={depth: mean(shares) for depth, shares in found.items()},
        all={depth: mean(share == 1 for share in shares) for depth, shares in found.items()},
        mrr=mean(_reciprocal_rank(one) for one in answered),
    )


def _found(one: Answered, depth: int) -> float:
    return len(set(one.ranking[:depth]) & set(one.evidence)) / len(set(one.evidence))


def _reciprocal_rank(one: Answered) -> float:
    return next((1 / rank for rank, name in enumerate(one.ranking, 1) if name in one.evidence), 0.0)
