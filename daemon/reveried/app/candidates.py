"""Which memories are worth weighing for a query: those that hold its rare words, those that mean the same, and those
that were said right beside them. A bounded number of each, whatever the size of the memory."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from reveried.app.beside import NOBODY, beside, from_the_other_side
from reveried.app.nearby import Nearby, joined, looked_further, nearest
from reveried.app.places import Extents, Opened, Place, gists_of, looking
from reveried.app.semantics import Semantics
from reveried.app.wording import Held, Telling, held, known_share, most_telling, rarity, session_key, sessions, telling
from reveried.domain.memory import Memory
from reveried.domain.policies import RecallPolicy
from reveried.domain.recalling.relevance import (
    Candidate,
    Query,
    Relevance,
    RelevancePolicy,
    at_first_sight,
    relevance,
)
from reveried.domain.recalling.terms import as_counted, hits_of
from reveried.domain.recalling.words import query_words, sought_terms
from reveried.state.gist_reads import Gist, Sides

if TYPE_CHECKING:
    from reveried.vectors.similarities import Near

# Neighbours are looked up for the most promising only: the others would not come up anyway.
WITH_NEIGHBOURS = 30


class Search(Struct, frozen=True):
    """A question, and how widely it is looked for."""

    text: str
    limit: int
    policy: RecallPolicy
    weights: RelevancePolicy

    @property
    def count(self) -> int:
        return max(self.policy.candidates, self.limit)


class Worded(Struct, frozen=True):
    """What the words of a question found."""

    everywhere: list[Held]
    rare: dict[str, float]
    telling: list[Telling]


class Gathered(Struct, frozen=True):
    """What a search brought together; weighing it is arithmetic, and can be repeated with other weights."""

    query: Query
    gists: dict[int, Gist]
    candidates: list[Candidate]
    sessions: dict[str, float]
    meaning: Nearby


class Weighed(Struct, frozen=True):
    """Every candidate with its relevance, and how the search went."""

    query: Query
    gists: dict[int, Gist]
    relevance: dict[int, Relevance]
    meaning: Nearby


class Candidates:
    def __init__(self, semantics: Semantics) -> None:
        self._semantics = semantics
        self._extents = Extents()

    async def meaning(self, text: str, places: Sequence[Place], wait: float) -> Nearby:
        namespaces = dict.fromkeys(place.filter.namespace for place in places)
        return joined(await asyncio.gather(*(self._semantics.near(name, text, wait) for name in namespaces)))

    async def likeness(self, memories: Sequence[Memory]) -> dict[tuple[int, int], float]:
        """How alike each two of them are in meaning, as far as they have vectors; the smaller id first."""
        return await self._semantics.likeness(sorted(memory.id for memory in memories))

    async def searched(self, search: Search, places: Sequence[Place]) -> tuple[Nearby, Worded | None]:
        """What takes its time: the question's vector, and beside it its words. Where nothing has to be waited for,
        the words are left to whoever weighs, on the same thread."""
        reason = self._semantics.hindrance(search.text)
        if reason is not None:
            return Nearby(None, reason), None
        meaning = self.meaning(search.text, places, search.policy.cold_wait)
        return await asyncio.gather(meaning, looking(places, partial(self.worded, search)))

    def worded(self, search: Search, places: Sequence[Opened]) -> Worded:
        sought = sought_terms(query_words(search.text))
        cap = max(search.policy.term_cap, search.count)
        everywhere = [held(place, self._extents.of(place), sought, cap) for place in places]
        rare = rarity(sought, everywhere)
        worth = list(rare.values())
        return Worded(everywhere, rare, [telling(found, sought, worth, search.count) for found in everywhere])

    def weighed(self, search: Search, meaning: Nearby, words: Worded | None, places: Sequence[Opened]) -> Weighed:
        found = self.gathered(search, meaning, words, places)
        weight = relevance(found.query, found.candidates, found.sessions, search.weights)
        return Weighed(found.query, found.gists, weight, meaning)

    def gathered(self, search: Search, meaning: Nearby, words: Worded | None, places: Sequence[Opened]) -> Gathered:
        words = words or self.worded(search, places)
        query = _query(search.text, words, meaning)
        gists = _chosen(places, words, meaning, search.count)
        neighbours = beside(places, gists)
        made = _Made(query, meaning)
        neighbours |= _with_neighbours(places, made, gists, neighbours, query, search.weights)
        shares = sessions(words.telling, list(words.rare.values()))
        return Gathered(query, gists, made.of(gists, neighbours), shares, meaning)


def _query(text: str, words: Worded, meaning: Nearby) -> Query:
    usual = meaning.similarities.usual if meaning.similarities else None
    known = known_share(list(words.rare.values()), words.everywhere)
    if usual is None:
        return Query(text, words.rare, known=known)
    return Query(text, words.rare, usual.mean, usual.deviation, known)


def _chosen(places: Sequence[Opened], words: Worded, meaning: Nearby, count: int) -> dict[int, Gist]:
    """The most telling and the nearest, as far as they pass the filters."""
    by_words, near = most_telling(words.telling, count), nearest(words.everywhere, meaning.similarities, count)
    found = gists_of(places, list(dict.fromkeys((*by_words, *near))))
    if meaning.similarities is None or all(one.few is not None for one in words.everywhere):
        return found
    if sum(id_ in found for id_ in near) < min(count, len(meaning.similarities)):
        further = looked_further(places, meaning.similarities, count)
        found |= gists_of(places, [id_ for id_ in further if id_ not in found])
    return found


class _Made:
    """Candidates made of gists; how near each is gets asked once, and so does what it holds."""

    def __init__(self, query: Query, meaning: Nearby) -> None:
        self._asked = [as_counted(term) for term in query.rarity]
        self._similarities = meaning.similarities
        self._made: dict[int, Candidate] = {}

    def of(self, gists: Mapping[int, Gist], neighbours: Mapping[int, Sides]) -> list[Candidate]:
        new = [id_ for id_ in gists if id_ not in self._made]
        near = self._similarities.of(new) if self._similarities is not None and new else {}
        for id_ in new:
            self._made[id_] = self._one(gists[id_], near.get(id_))
        for id_, made in self._made.items():
            made.before, made.after = neighbours.get(id_, NOBODY)
        return list(self._made.values())

    def _one(self, gist: Gist, near: "Near | None") -> Candidate:
        return Candidate(
            gist.id,
            hits_of(gist.terms, self._asked),
            gist.length,
            gist.tells_time,
            gist.asks,
            gist.speaker,
            session_key(gist.namespace, gist.session_id),
            cosine=near.cosine if near else None,
            cosine_in_context=near.in_context if near else None,
        )


def _with_neighbours(
    places: Sequence[Opened],
    made: _Made,
    gists: dict[int, Gist],
    neighbours: Mapping[int, Sides],
    query: Query,
    weights: RelevancePolicy,
) -> dict[int, Sides]:
    """The neighbours of the best become candidates themselves; returns who stands beside these."""
    if not neighbours:
        return {}
    promise = at_first_sight(query, made.of(gists, neighbours), weights)
    best = sorted((id_ for id_ in neighbours if id_ in promise), key=lambda id_: (-promise[id_], id_))[:WITH_NEIGHBOURS]
    more = {id_ for one in best for side in neighbours[one] for id_ in side} - gists.keys()
    gists |= gists_of(places, sorted(more))
    return from_the_other_side({id_: neighbours[id_] for id_ in best}, more)
