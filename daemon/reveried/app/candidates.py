"""Which memories are worth weighing for a query: those that hold its rare words, those that mean the same, and those
that were said right beside them. A bounded number of each, whatever the size of the memory."""

import asyncio
import time
from collections import Counter, OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import TYPE_CHECKING

from msgspec import Struct

from reveried.app.semantics import Meaning, Semantics
from reveried.domain.memory import Memory
from reveried.domain.policies import RecallPolicy
from reveried.domain.recalling.relevance import Candidate, Query, Relevance, RelevancePolicy, at_first_sight, relevance
from reveried.domain.recalling.terms import Terms, terms_of
from reveried.domain.recalling.words import Sought, query_words, sought_terms
from reveried.log.pool import Pool
from reveried.state.reads import Filter
from reveried.state.searching import Held, holding, how_many, neighbours, of_ids

if TYPE_CHECKING:
    from reveried.vectors.space import Similarities

TERMS_KEPT = 4_096
# Neighbours are looked up for the most promising only: the others would not come up anyway.
WITH_NEIGHBOURS = 30
WIDER = 8
Beside = tuple[tuple[int, ...], tuple[int, ...]]
NOBODY: Beside = ((), ())
MANY = 5_000


class Place(Struct, frozen=True):
    """One file to search, and what may come from it."""

    pool: Pool
    filter: Filter


class Weighed(Struct, frozen=True):
    """Every candidate with its relevance, and how the search went."""

    query: Query
    memories: dict[int, Memory]
    relevance: dict[int, Relevance]
    meaning: Meaning


class Candidates:
    def __init__(self, semantics: Semantics) -> None:
        self._semantics = semantics
        self._terms: OrderedDict[str, Terms] = OrderedDict()
        self._sizes: dict[str, tuple[int, float]] = {}

    async def weighed(
        self, text: str, places: Sequence[Place], policy: RecallPolicy, weights: RelevancePolicy
    ) -> Weighed:
        sought = sought_terms(query_words(text))
        namespace = places[0].filter.namespace
        meaning, size, together = await asyncio.gather(
            self._semantics.near(namespace, text, policy.cold_wait),
            self._size(places),
            _held_anywhere(places, sought, policy.term_cap),
        )
        rarity = _rarity(sought, together, size)
        near = meaning.similarities
        query = Query(text, rarity, near.mean, near.deviation) if near else Query(text, rarity)
        memories = await self._first(places, together, sought, query, near, policy.candidates)
        sessions = _sessions(together, sought, rarity)
        beside = await self._beside(places, memories, query, near, weights)
        candidates = self._made(memories, beside, near)
        return Weighed(query, memories, relevance(query, candidates, sessions, weights), meaning)

    async def _size(self, places: Sequence[Place]) -> int:
        """How many memories there are. Counting many takes a while, and a second changes little in them."""
        namespace = places[0].filter.namespace
        known, counted_at = self._sizes.get(namespace, (0, 0.0))
        if known >= MANY and time.monotonic() - counted_at < 1.0:
            return known
        count = sum([await how_many(place.pool, namespace) for place in places])
        self._sizes[namespace] = count, time.monotonic()
        return count

    async def _first(
        self,
        places: Sequence[Place],
        held: Sequence[Held],
        sought: Sequence[Sought],
        query: Query,
        near: "Similarities | None",
        count: int,
    ) -> dict[int, Memory]:
        by_words = _most_telling(held, sought, query.rarity, count)
        memories = await _records(places, [*by_words, *(near.nearest(count) if near else ())])
        if near is None or len(memories) >= count:
            return memories
        # A narrow filter let few of the nearest through: look further, in the end at everything.
        wider = count * WIDER
        while len(memories) < count and wider < len(near.ids) * WIDER:
            nearest = near.nearest(wider)
            passed = await _records(places, nearest)
            memories |= {id_: passed[id_] for id_ in [id_ for id_ in nearest if id_ in passed][:count]}
            wider *= WIDER
        return memories

    async def _beside(
        self,
        places: Sequence[Place],
        memories: dict[int, Memory],
        query: Query,
        near: "Similarities | None",
        weights: RelevancePolicy,
    ) -> dict[int, Beside]:
        """Who stands beside whom in a session; the neighbours of the best become candidates themselves."""
        in_session = [id_ for id_, memory in memories.items() if memory.session_id is not None]
        if not in_session:
            return {}
        found = await asyncio.gather(*(neighbours(place.pool, in_session) for place in places))
        beside = {id_: pair for sides in found for id_, pair in sides.items()}
        promise = at_first_sight(query, self._made(memories, beside, near), weights)
        best = sorted(beside, key=lambda id_: -promise[id_])[:WITH_NEIGHBOURS]
        more = {id_ for one in best for side in beside[one] for id_ in side} - memories.keys()
        memories |= await _records(places, sorted(more))
        return {**beside, **_completed({id_: beside[id_] for id_ in best}, more)}

    def _made(
        self, memories: Mapping[int, Memory], beside: Mapping[int, Beside], near: "Similarities | None"
    ) -> list[Candidate]:
        candidates = []
        for id_, memory in memories.items():
            before, after = beside.get(id_, NOBODY)
            point = near.of(id_) if near else None
            candidates.append(
                Candidate(
                    id=id_,
                    text=memory.content,
                    terms=self._terms_of(memory),
                    speaker=memory.speaker,
                    session=memory.session_id,
                    before=before,
                    after=after,
                    cosine=point.cosine if point else None,
                    cosine_in_context=point.in_context if point else None,
                )
            )
        return candidates

    def _terms_of(self, memory: Memory) -> Terms:
        key = f"{memory.id}:{memory.updated_at}:{memory.content_hash}"
        known = self._terms.get(key)
        if known is None:
            known = self._terms[key] = terms_of(memory)
            if len(self._terms) > TERMS_KEPT:
                self._terms.popitem(last=False)
        return known


def _completed(beside: Mapping[int, Beside], wanted: set[int]) -> dict[int, Beside]:
    """The same from the other side: whoever stands beside somebody has that one beside them."""
    before: dict[int, dict[int, int]] = {}
    after: dict[int, dict[int, int]] = {}
    for id_, (earlier, later) in beside.items():
        row = [*reversed(earlier), id_, *later]
        for at, one in enumerate(row):
            for distance in (1, 2):
                if at >= distance:
                    before.setdefault(one, {})[distance] = row[at - distance]
                if at + distance < len(row):
                    after.setdefault(one, {})[distance] = row[at + distance]
    return {id_: (_nearest_first(before.get(id_)), _nearest_first(after.get(id_))) for id_ in wanted}


def _nearest_first(known: Mapping[int, int] | None) -> tuple[int, ...]:
    return tuple(known[distance] for distance in sorted(known)) if known and 1 in known else ()


async def _held_anywhere(places: Sequence[Place], sought: Sequence[Sought], cap: int) -> list[Held]:
    found = await asyncio.gather(*(_held(place, sought, cap) for place in places))
    return [one for held in found for one in held]


async def _held(place: Place, sought: Sequence[Sought], cap: int) -> list[Held]:
    held = await holding(place.pool, sought, place.filter, cap)
    if not place.filter.is_narrow:
        return held
    # What the cap cut off may be all that a narrow filter lets through.
    return await holding(place.pool, sought, place.filter, cap, within=True)


def _rarity(sought: Sequence[Sought], held: Iterable[Held], size: int) -> dict[str, float]:
    counts = Counter(one.term for one in held)
    return {
        one.term: log(1 + max(0.5, size - counts[place] + 0.5) / (counts[place] + 0.5))
        for place, one in enumerate(sought)
    }


def _most_telling(held: Iterable[Held], sought: Sequence[Sought], rarity: Mapping[str, float], count: int) -> list[int]:
    """Those that hold the most of the query's rarity, the newest first among equals."""
    totals: dict[int, float] = {}
    for place, id_ in {(one.term, one.id) for one in held}:
        totals[id_] = totals.get(id_, 0.0) + rarity[sought[place].term]
    return sorted(totals, key=lambda id_: (-totals[id_], -id_))[:count]


def _sessions(held: Iterable[Held], sought: Sequence[Sought], rarity: Mapping[str, float]) -> dict[str, float]:
    """How much of the query occurs in each session; a word that keeps coming back counts more than a lone one."""
    counts = Counter((one.session, one.term) for one in held if one.session is not None)
    whole = sum(rarity.values()) or 1.0
    shares: dict[str, float] = {}
    for (session, place), count in counts.items():
        if session is not None:
            shares[session] = shares.get(session, 0.0) + rarity[sought[place].term] / whole * count / (count + 1)
    return shares


async def _records(places: Sequence[Place], ids: Sequence[int]) -> dict[int, Memory]:
    if not ids:
        return {}
    found = await asyncio.gather(*(of_ids(place.pool, ids, place.filter) for place in places))
    return {memory.id: memory for memories in found for memory in memories}
