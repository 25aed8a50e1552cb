"""How much speaks for there being an answer at all. Below a floor silence is better than whatever came nearest."""

from collections.abc import Mapping

from reveried.domain.recalling.relevance import Query, Relevance

# A cosine of MiniLM below the first is noise; from the second on two texts say the same.
NOISE, SAME = 0.15, 0.65


def evidence(query: Query, found: Mapping[int, Relevance]) -> float:
    """0 to 1: how much of the query's rarity one memory covers, and how near in meaning one comes, the better of
    both counting most. A query without any word that could be looked for has no evidence but meaning."""
    if not found:
        return 0.0
    covered = max(one.coverage for one in found.values())
    near = max((one.semantic - NOISE) / (SAME - NOISE) for one in found.values())
    near = min(1.0, max(0.0, near))
    return max(covered, near) * 0.7 + min(covered, near) * 0.3
