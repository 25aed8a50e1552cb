"""Which memories are worth weighing for a query: those that hold its rare words, those that mean the same, and those
that were said right beside them. A bounded number of each, whatever the size of the memory."""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from reveried.app.beside import NOBODY, Beside, beside, from_the_other_side
from reveried.app.nearby import Nearby, joined, near_and_passing
from reveried.app.places import Extents, Place, records
from reveried.app.semantics import Semantics
from reveried.app.wording import Held, Telling, held, known_share, most_telling, rarity, session_key, sessions, telling
from reveried.domain.memory import Memory
from reveried.domain.policies import RecallPolicy
from reveried.domain.recalling.relevance import Candidate, Query, Relevance, RelevancePolicy, at_first_sight, relevance
from reveried.domain.recalling.terms import Terms, terms_of
from reveried.domain.recalling.words import Sought, query_words, sought_terms

if TYPE_CHECKING:
    from reveried.vectors.similarities import Near

TERMS_KEPT = 4_096
# Neighbours are looked up for the most promising only: the others would not come up anyway.
WITH_NEIGHBOURS = 30


class Gathered(Struct, frozen=True):
    """What a search brought together; weighing it is arithmetic, and can be repeated with other weights."""

    query: Query
    memories: dict[int, Memory]
    candidates: list[Candidate]
    sessions: dict[str, float]
    meaning: Nearby


class Weighed(Struct, frozen=True):
    """Every candidate with its relevance, and how the search went."""

    query: Query
    memories: dict[int, Memory]
    relevance: dict[int, Relevance]
    meaning: Nearby


class Candidates:
    def __init__(self, semantics: Semantics) -> None:
        self._semantics = semantics
        self._terms: OrderedDict[tuple[int, int, str], Terms] = OrderedDict()
        self._extents = Extents()

    async def weighed(
        self, text: str, places: Sequence[Place], limit: int, policy: RecallPolicy, weights: RelevancePolicy
    ) -> Weighed:
        found = await self.gathered(text, places, limit, policy, weights)
        return Weighed(
            found.query,
            found.memories,
            relevance(found.query, found.candidates, found.sessions, weights),
            found.meaning,
        )

    async def gathered(
        self, text: str, places: Sequence[Place], limit: int, policy: RecallPolicy, weights: RelevancePolicy
    ) -> Gathered:
        sought = sought_terms(query_words(text))
        count = max(policy.candidates, limit)
        cap = max(policy.term_cap, count)
        meaning, everywhere = await asyncio.gather(
            self._meaning(text, places, policy.cold_wait),
            asyncio.gather(*(self._held(place, sought, cap) for place in places)),
        )
        rare = rarity(sought, everywhere)
        worth = list(rare.values())
        words, near = await asyncio.gather(
            asyncio.gather(*(telling(found, sought, worth, count) for found in everywhere)),
            near_and_passing(places, everywhere, meaning.similarities, count),
        )
        usual = meaning.similarities.usual if meaning.similarities else None
        known = known_share(worth, everywhere)
        query = Query(text, rare, usual.mean, usual.deviation, known) if usual else Query(text, rare, known=known)
        memories, neighbours = await _chosen(places, words, near, count)
        made = _Made(self, meaning)
        neighbours |= await _with_neighbours(places, made, memories, neighbours, query, weights)
        return Gathered(query, memories, made.of(memories, neighbours), sessions(words, worth), meaning)

    async def _held(self, place: Place, sought: Sequence[Sought], cap: int) -> Held:
        return await held(place, await self._extents.of(place), sought, cap)

    async def _meaning(self, text: str, places: Sequence[Place], wait: float) -> Nearby:
        namespaces = dict.fromkeys(place.filter.namespace for place in places)
        return joined(await asyncio.gather(*(self._semantics.near(name, text, wait) for name in namespaces)))

    async def likeness(self, memories: Sequence[Memory]) -> dict[tuple[int, int], float]:
        """How alike each two of them are in meaning, as far as they have vectors; the smaller id first."""
        return await self._semantics.likeness(sorted(memory.id for memory in memories))

    def terms_of(self, memory: Memory) -> Terms:
        key = memory.id, memory.updated_at, memory.content_hash
        known = self._terms.get(key)
        if known is None:
            known = self._terms[key] = terms_of(memory)
            if len(self._terms) > TERMS_KEPT:
                self._terms.popitem(last=False)
        return known


class _Made:
    """Candidates made of records; how near each is gets asked once."""

    def __init__(self, candidates: Candidates, meaning: Nearby) -> None:
        self._terms_of = candidates.terms_of
        self._similarities = meaning.similarities
        self._known: dict[int, Near] = {}
        self._asked: set[int] = set()

    def of(self, memories: Mapping[int, Memory], neighbours: Mapping[int, Beside]) -> list[Candidate]:
        new = [id_ for id_ in memories if id_ not in self._asked]
        if self._similarities is not None and new:
            self._asked.update(new)
            self._known |= self._similarities.of(new)
        return [self._one(memory, neighbours.get(id_, NOBODY)) for id_, memory in memories.items()]

    def _one(self, memory: Memory, sides: Beside) -> Candidate:
        near = self._known.get(memory.id)
        return Candidate(
            id=memory.id,
            terms=self._terms_of(memory),
            speaker=memory.speaker,
            session=session_key(memory.namespace, memory.session_id),
            before=sides[0],
            after=sides[1],
            cosine=near.cosine if near else None,
            cosine_in_context=near.in_context if near else None,
        )


async def _chosen(
    places: Sequence[Place], words: Sequence[Telling], near: Mapping[int, Memory], count: int
) -> tuple[dict[int, Memory], dict[int, Beside]]:
    """The records of the most telling and of the nearest, and who stands beside them."""
    by_words = most_telling(words, count)
    session_of = {id_: one.sessions[id_] for one in words for id_ in one.sessions}
    session_of |= {id_: memory.session_id for id_, memory in near.items()}
    in_session = [id_ for id_ in {*by_words, *near} if session_of[id_] is not None]
    missing = [id_ for id_ in by_words if id_ not in near]
    found, neighbours = await asyncio.gather(records(places, missing), beside(places, in_session))
    return {**found, **near}, neighbours


async def _with_neighbours(
    places: Sequence[Place],
    made: _Made,
    memories: dict[int, Memory],
    neighbours: Mapping[int, Beside],
    query: Query,
    weights: RelevancePolicy,
) -> dict[int, Beside]:
    """The neighbours of the best become candidates themselves; returns who stands beside these."""
    if not neighbours:
        return {}
    promise = at_first_sight(query, made.of(memories, neighbours), weights)
    best = sorted((id_ for id_ in neighbours if id_ in promise), key=lambda id_: -promise[id_])[:WITH_NEIGHBOURS]
    more = {id_ for one in best for side in neighbours[one] for id_ in side} - memories.keys()
    memories |= await records(places, sorted(more))
    return from_the_other_side({id_: neighbours[id_] for id_ in best}, more)
