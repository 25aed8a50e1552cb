"""From a question to an answer: candidates by keyword, ranked by profile, cut to the budget."""

import asyncio
import time
from collections.abc import Callable

from msgspec import Struct

from reverie.protocol.limits import MAX_PAGE
from reverie.protocol.requests import Recall as RecallRequest
from reverie.protocol.results import Recalled
from reveried.app.accesses import Accesses
from reveried.app.commands import Caller
from reveried.app.readers import Readers
from reveried.app.views import fitting, recalled_view
from reveried.config.schema import Config
from reveried.domain import drafts
from reveried.domain.memory import LIVE_STATES, SYSTEMS, Memory
from reveried.domain.policies import RecallPolicy
from reveried.domain.recalling import ranking
from reveried.domain.recalling.budget import Candidate, within_budget
from reveried.domain.recalling.words import match_spaced, match_unspaced, query_words
from reveried.domain.understanding.text import estimate_tokens
from reveried.errors import InvalidField
from reveried.log.pool import Pool
from reveried.ports import Clock
from reveried.state.reads import Filter, Hit, matching, matching_pairs

MAX_QUERY = 10_000


class Ranked(Struct):
    memory: Memory
    score: float
    signals: dict[str, float]


class Recall:
    def __init__(self, readers: Readers, accesses: Accesses, clock: Clock, config: Callable[[], Config]) -> None:
        self._readers = readers
        self._accesses = accesses
        self._clock = clock
        self._config = config

    async def recall(self, request: RecallRequest, caller: Caller) -> Recalled:
        started = time.perf_counter_ns()
        policy = self._config().recall
        profile, limit, budget = _asked(request, policy)
        await self._readers.up_to_date(caller)
        hits = await self._candidates(request, caller.namespace, max(policy.candidates, limit * 4))
        ranked = [one for one in self._ranked(hits, policy) if one.score >= request.min_score]
        chosen = within_budget([_candidate(one) for one in ranked], limit, budget)
        memories = fitting(
            [
                recalled_view(one.memory, rank, one.score, one.signals, estimate_tokens(one.memory.content))
                for rank, one in enumerate(chosen.items, 1)
            ]
        )
        ids = tuple(memory.id for memory in memories)
        self._accesses.recalled(caller.namespace, caller.actor, request.query, ids, profile)
        tokens = sum(memory.tokens for memory in memories)
        return Recalled(
            memories=memories,
            semantic=False,
            semantic_reason="no embedder is configured; the answer comes from keywords alone",
            profile=profile,
            total_tokens=tokens,
            budget_used=tokens / budget,
            over_budget=chosen.over_budget,
            took_us=(time.perf_counter_ns() - started) // 1000,
        )

    async def _candidates(self, request: RecallRequest, namespace: str, count: int) -> list[Hit]:
        words = query_words(request.query)
        live, archived = not request.only_archived, request.only_archived or request.include_archived
        states = LIVE_STATES if request.include_stale else ("active",)
        searches = [
            search
            for wanted, pool, among in ((live, self._readers.live, states), (archived, self._readers.archive, ()))
            if wanted
            for search in _searches(pool, words, _filter(request, namespace, among), count)
        ]
        found: dict[int, Hit] = {}
        for hit in [hit for hits in await asyncio.gather(*searches) for hit in hits]:
            before = found.get(hit.memory.id)
            found[hit.memory.id] = Hit(hit.memory, hit.strength + (before.strength if before else 0.0))
        return list(found.values())

    def _ranked(self, hits: list[Hit], policy: RecallPolicy) -> list[Ranked]:
        now = self._clock.now()
        ranked = []
        for hit in hits:
            signals = ranking.signals(hit.memory, hit.strength, now, policy)
            ranked.append(Ranked(hit.memory, ranking.hebbian(signals), signals))
        return sorted(ranked, key=lambda one: (-one.score, -one.memory.id))


def _searches(pool: Pool, words: list[str], filter_: Filter, count: int) -> "list[asyncio.Future[list[Hit]]]":
    pairs = ((matching, match_spaced(words)), (matching_pairs, match_unspaced(words)))
    return [asyncio.ensure_future(search(pool, text, filter_, count)) for search, text in pairs if text]


def _filter(request: RecallRequest, namespace: str, states: tuple[str, ...]) -> Filter:
    return Filter(
        namespace=namespace,
        kinds=tuple(kind for name in request.kinds if (kind := drafts.checked_kind(name))),
        systems=tuple(request.systems),
        tags=tuple(tag.strip().lower() for tag in request.tags),
        states=states,
        since=request.since,
        until=request.until,
        replaced=False,
    )


def _asked(request: RecallRequest, policy: RecallPolicy) -> tuple[str, int, int]:
    """The profile, limit and budget, the caller's before the configured ones."""
    profile = request.profile or policy.profile
    if profile not in ranking.PROFILES:
        raise InvalidField(f"profile {profile[:64]!r} is not known", field="profile", hint=", ".join(ranking.PROFILES))
    limit = policy.limit if request.limit is None else request.limit
    if not 1 <= limit <= MAX_PAGE:
        raise InvalidField(f"limit is {limit}; it must be 1 to {MAX_PAGE}", field="limit")
    budget = policy.token_budget if request.token_budget is None else request.token_budget
    if budget < 1:
        raise InvalidField(f"token_budget is {budget}; it must be at least 1", field="token_budget")
    if len(request.query) > MAX_QUERY:
        raise InvalidField(f"query has {len(request.query)} characters; the limit is {MAX_QUERY}", field="query")
    for system in request.systems:
        if system not in SYSTEMS:
            raise InvalidField(f"system {system[:64]!r} is not known", field="systems", hint=", ".join(SYSTEMS))
    return profile, limit, budget


def _candidate(one: Ranked) -> Candidate[Ranked]:
    return Candidate(one, estimate_tokens(one.memory.content), one.memory.system == "procedural")
