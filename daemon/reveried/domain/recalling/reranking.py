"""A second opinion on the best candidates: a cross-encoder's, or a plain blend where there is none."""

from collections.abc import Sequence

from msgspec.structs import replace

from reveried.domain.recalling.ranking import Ranked

RELEVANCE_SHARE, IMPORTANCE_SHARE = 0.8, 0.2
# A cross-encoder reads every candidate together with the question: more than these would take seconds.
MOST = 30


def worth_reranking(ranked: Sequence[Ranked], limit: int) -> list[Ranked]:
    """The candidates for a second opinion; what comes after them is not returned anyway."""
    return list(ranked[: max(MOST, limit)])


def blended(relevance: float, importance: float) -> float:
    return RELEVANCE_SHARE * relevance + IMPORTANCE_SHARE * importance


def by_scores(ranked: Sequence[Ranked], scores: Sequence[float]) -> list[Ranked]:
    """In the order of the cross-encoder's scores, one for each candidate."""
    judged = [
        replace(one, score=score, contributions={"cross-encoder": score})
        for one, score in zip(ranked, scores, strict=True)
    ]
    return _best_first(judged)


def by_blend(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Without a cross-encoder: mostly relevance, a little importance."""
    judged = []
    for one in ranked:
        relevance, importance = one.signals["relevance"], one.signals["importance"]
        parts = {"relevance": RELEVANCE_SHARE * relevance, "importance": IMPORTANCE_SHARE * importance}
        judged.append(replace(one, score=blended(relevance, importance), contributions=parts))
    return _best_first(judged)


def _best_first(judged: Sequence[Ranked]) -> list[Ranked]:
    return sorted(judged, key=lambda one: (-one.score, -one.memory.id))
