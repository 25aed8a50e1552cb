"""The second opinion on an answer, if the configuration wants one: the cross-encoder's, or the blend that stands in."""

from collections.abc import Awaitable, Callable, Sequence

from msgspec import Struct

from reveried.config.schema import Config
from reveried.domain.recalling.ranking import Ranked
from reveried.domain.recalling.reranking import by_blend, by_scores, worth_reranking
from reveried.embed.errors import EmbedderUnavailable
from reveried.embed.reranker import Reranker


class SecondOpinion(Struct, frozen=True):
    """Whether a cross-encoder was heard; if one was wanted and was not, why."""

    reranked: bool = False
    reason: str | None = None


Reranking = Callable[[str, Sequence[Ranked], int], Awaitable[tuple[list[Ranked], SecondOpinion]]]


def reranking(reranker: Reranker, config: Callable[[], Config]) -> Reranking:
    async def rerank(query: str, ranked: Sequence[Ranked], limit: int) -> tuple[list[Ranked], SecondOpinion]:
        policy, idle = config().recall, config().embedding.idle
        if not policy.rerank or not ranked:
            return list(ranked), SecondOpinion()
        best = worth_reranking(ranked, limit)
        try:
            texts = [one.memory.content for one in best]
            scores = await reranker.scores(policy.rerank, query, texts, policy.rerank_wait, idle)
        except EmbedderUnavailable as unavailable:
            return by_blend(best), SecondOpinion(reason=unavailable.message)
        return by_scores(best, scores), SecondOpinion(reranked=True)

    return rerank
