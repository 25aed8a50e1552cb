"""From a question to an answer: candidates weighed, ranked by profile, cut to the budget; or why there is none."""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from msgspec.structs import replace

from reverie.protocol.requests import Context as ContextRequest
from reverie.protocol.requests import Recall as RecallRequest
from reverie.protocol.requests import Why as WhyRequest
from reverie.protocol.results import ContextBlock, Recalled, RecalledMemory, WhyReport
from reveried.app.accesses import Accesses
from reveried.app.answers import Answers
from reveried.app.asking import Asked, asked, places_of
from reveried.app.candidates import Candidates, Search, Weighed
from reveried.app.commands import Caller
from reveried.app.edges import edge_rule
from reveried.app.expanding import Expanding
from reveried.app.foresight import next_transition
from reveried.app.ordering import NOTHING, Ordered, ordered
from reveried.app.places import Opened, looking
from reveried.app.readers import Readers
from reveried.app.reranking import Reranking, SecondOpinion
from reveried.app.views import fitting, recalled_view
from reveried.app.why import reason_for
from reveried.config.schema import Config
from reveried.domain.drafting import Redactor
from reveried.domain.forgetting.retention import stability_days
from reveried.domain.memory import Memory
from reveried.domain.recalling.block import prompt_block
from reveried.domain.recalling.budget import Candidate, Chosen, within_budget
from reveried.domain.recalling.outdated import LOOKED_AT, may_be_outdated, newest_first
from reveried.domain.recalling.ranking import ADAPTIVE, Ranked, weights_of
from reveried.domain.recalling.reranking import MOST
from reveried.domain.recalling.silence import evidence
from reveried.domain.understanding.text import estimate_tokens
from reveried.ports import Clock
from reveried.state.link_reads import ALONE, degrees_of


class Recall:
    def __init__(
        self,
        readers: Readers,
        accesses: Accesses,
        candidates: Candidates,
        answers: Answers,
        clock: Clock,
        config: Callable[[], Config],
        rerank: Reranking,
        expanding: Expanding,
    ) -> None:
        self._readers = readers
        self._accesses = accesses
        self._candidates = candidates
        self._answers = answers
        self._clock = clock
        self._config = config
        self._rerank = rerank
        self._expanding = expanding

    async def recall(self, request: RecallRequest, caller: Caller) -> Recalled:
        started = time.perf_counter_ns()
        wanted = asked(request, caller.namespace, self._config().recall)
        await self._readers.up_to_date(caller)
        answer = self._answers.known(request, wanted.namespaces)
        if answer is None:
            mark = self._answers.mark(wanted.namespaces)
            answer, lasting = await self._answer(request, wanted)
            if lasting:
                self._answers.keep(request, wanted.namespaces, mark, answer)
        answer.took_us = (time.perf_counter_ns() - started) // 1000
        self._note_access(request.query, wanted, answer, caller)
        return answer

    def _note_access(self, query: str, wanted: Asked, answer: Recalled, caller: Caller) -> None:
        """In each namespace that answered, what it gave; where none did, in the one that asked."""
        given: dict[str, list[int]] = {}
        for memory in answer.memories:
            if memory.linked_to is None:
                given.setdefault(memory.namespace, []).append(memory.id)
            else:
                # Not as recalled together with the rest: a link must not grow by being followed.
                self._accesses.followed(memory.namespace, caller.actor, (memory.id,))
        # The erasure of a memory redacts the queries recorded with it; another namespace's record it would not reach.
        kept = (Redactor(self._config().understanding).text(query) or "") if len(given) <= 1 else ""
        for namespace, ids in (given or {caller.namespace: []}).items():
            self._accesses.recalled(namespace, caller.actor, kept, tuple(ids), wanted.profile)

    async def _answer(self, request: RecallRequest, wanted: Asked) -> tuple[Recalled, bool]:
        """The answer, and whether the same question would be answered alike a moment later."""
        depth = max(wanted.limit, LOOKED_AT, MOST if self._config().recall.rerank else 0)
        weighed, found = await self._weighed(request, wanted, depth)
        chosen, second = await self._chosen(request, wanted, found)
        if not found.holds(chosen.last):  # the budget skipped some: who comes next was not asked yet
            found = await self._completed(request, wanted, weighed)
            chosen, second = await self._chosen(request, wanted, found)
        memories = fitting(
            [
                recalled_view(one, rank, estimate_tokens(one.memory.content), explain=request.explain)
                for rank, one in enumerate(chosen.items, 1)
            ]
        )
        if request.explain:
            await self._foretell(memories, {one.memory.id: one.memory for one in chosen.items})
        if request.expand_links and chosen.items:
            places = places_of(request, wanted.namespaces, self._readers)
            room = wanted.budget - sum(memory.tokens for memory in memories)
            memories = fitting([*memories, *await self._expanding.neighbours(chosen.items, places, room)])
        tokens = sum(memory.tokens for memory in memories)
        answer = Recalled(
            memories=memories,
            semantic=weighed.meaning.similarities is not None,
            semantic_reason=weighed.meaning.reason,
            profile=wanted.profile,
            total_tokens=tokens,
            budget_used=tokens / wanted.budget,
            over_budget=chosen.over_budget,
            took_us=0,
            evidence=evidence(weighed.query, weighed.relevance),
            floor=wanted.floor,
            weights=weights_of(wanted.profile, self._config().recall) if request.explain else {},
            reranked=second.reranked,
            rerank_reason=second.reason,
        )
        # What is recalled together changes links, and is not counted among the changes that make an answer old.
        lasting = not weighed.meaning.passing and second.reason is None
        return answer, lasting and not request.expand_links and not self._weighs_links(wanted.profile)

    def _weighs_links(self, profile: str) -> bool:
        return weights_of(profile, self._config().recall).get("links", 0.0) != 0.0

    async def _foretell(self, views: Sequence[RecalledMemory], memories: Mapping[int, Memory]) -> None:
        """What fades how fast, and what becomes of it next if nobody touches it."""
        config, now = self._config(), self._clock.now()
        degrees = await degrees_of(self._readers.live, list(memories), edge_rule(now, config))
        for view in views:
            memory, links = memories[view.id], degrees.get(view.id, ALONE).edges
            view.stability_days = stability_days(memory, links, config.retention)
            view.next_transition = next_transition(memory, now, config, links)

    async def _chosen(
        self, request: RecallRequest, wanted: Asked, found: Ordered
    ) -> tuple[Chosen[Ranked], SecondOpinion]:
        ranked, second = await self._rerank(request.query, found.ranked, wanted.limit)
        candidates = [_candidate(one) for one in ranked if one.score >= request.min_score]
        return within_budget(candidates, wanted.limit, wanted.budget), second

    async def _weighed(
        self, request: RecallRequest, wanted: Asked, depth: int | None = None
    ) -> tuple[Weighed, Ordered]:
        """What is worth returning, best first and `depth` deep; nothing where the evidence is below the floor."""
        config, now = self._config(), self._clock.now()
        places = places_of(request, wanted.namespaces, self._readers)
        search = Search(request.query, wanted.limit, config.recall, config.relevance)
        meaning, words = await self._candidates.searched(search, places)

        def weigh(opened: list[Opened]) -> tuple[Weighed, Ordered]:
            weighed = self._candidates.weighed(search, meaning, words, opened)
            if evidence(weighed.query, weighed.relevance) < wanted.floor or self._weighs_links(wanted.profile):
                return weighed, NOTHING
            return weighed, ordered(opened, weighed, wanted.profile, config, now, depth)

        weighed, found = await looking(places, weigh)
        if self._weighs_links(wanted.profile) and evidence(weighed.query, weighed.relevance) >= wanted.floor:
            return weighed, await self._completed(request, wanted, weighed)
        return weighed, await self._newest_first(request, wanted, found)

    async def _completed(self, request: RecallRequest, wanted: Asked, weighed: Weighed) -> Ordered:
        """Everything that was weighed, in order; where links count, with what they pull up."""
        config, now = self._config(), self._clock.now()
        places = places_of(request, wanted.namespaces, self._readers)
        pull = await self._expanding.pull(weighed.relevance) if self._weighs_links(wanted.profile) else {}
        found = await looking(places, lambda opened: ordered(opened, weighed, wanted.profile, config, now, None, pull))
        return await self._newest_first(request, wanted, found)

    async def _newest_first(self, request: RecallRequest, wanted: Asked, found: Ordered) -> Ordered:
        if wanted.profile != ADAPTIVE or not may_be_outdated(found.ranked, request.query):
            return found
        alike = await self._candidates.likeness([one.memory for one in found.ranked[:LOOKED_AT]])
        return replace(found, ranked=newest_first(found.ranked, alike))

    async def context(self, request: ContextRequest, caller: Caller) -> ContextBlock:
        """The same answer as a block to put before a model."""
        recall = RecallRequest(
            id=0, query=request.query, limit=request.limit, token_budget=request.token_budget, floor=request.floor
        )
        answer = await self.recall(recall, caller)
        return ContextBlock(
            block=prompt_block(answer.memories),
            ids=[memory.id for memory in answer.memories],
            total_tokens=answer.total_tokens,
            semantic=answer.semantic,
            semantic_reason=answer.semantic_reason,
        )

    async def why(self, request: WhyRequest, caller: Caller) -> WhyReport:
        """Why a memory was, or was not, returned for a query. Asking this is no access."""
        recall = RecallRequest(id=0, query=request.query, limit=request.limit)
        wanted = asked(recall, caller.namespace, self._config().recall)
        await self._readers.up_to_date(caller)
        # Ranked also where the answer is silence, so that its place and signals can be told.
        weighed, found = await self._weighed(recall, replace(wanted, floor=0.0))
        ranked, _ = await self._rerank(request.query, found.ranked, wanted.limit)
        silent = evidence(weighed.query, weighed.relevance) < wanted.floor
        candidates = [] if silent else [_candidate(one) for one in ranked]
        chosen = within_budget(candidates, wanted.limit, wanted.budget).items
        return await reason_for(request.memory, caller.namespace, weighed, ranked, chosen, wanted, self._readers)


def _candidate(one: Ranked) -> Candidate[Ranked]:
    return Candidate(one, partial(estimate_tokens, one.memory.content), one.memory.system == "procedural")
