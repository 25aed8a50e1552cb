"""Whom new words may concern: what is near them in meaning, and what speaks of the same subject in other words.

Both look only at what stands; a memory that was just stored meets only those that were there before it, so that what
comes in one batch ends as it would have ended one by one.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence

from reveried.app.readers import Readers
from reveried.app.semantics import Semantics
from reveried.domain.memory import LIVE_STATES, Memory
from reveried.domain.recalling.embedded import texts_of
from reveried.domain.recalling.words import is_latin, query_words, sought_terms
from reveried.domain.reconciling.conflicts import same_subject
from reveried.domain.reconciling.lexicon import facet_words
from reveried.domain.reconciling.policy import ReconcilingPolicy
from reveried.domain.reconciling.reconcile import Known, is_turn
from reveried.domain.reconciling.wording import read
from reveried.log.reads import News
from reveried.state.reads import Filter, by_ids
from reveried.state.searching import holders, within_filter

NEAREST, WIDER = 64, 8
# Most of those that are near stand, so of all of them so many times as are wanted are read at first.
READ_FIRST = 2
# Of those that share words, so many are read; the newest, where there are more.
BY_WORDS, WORD_CAP = 50, 200


class Concerned:
    def __init__(self, semantics: Semantics, readers: Readers) -> None:
        self._semantics = semantics
        self._readers = readers

    async def candidates(
        self, new: Memory, one: News, policy: ReconcilingPolicy, *, by_words_alone: bool
    ) -> list[Known]:
        """The nearest first."""
        near = await self._near(new, one, policy)
        there = {known.memory.id for known in near}
        by_words = await self._by_words(new, one, policy, alone=by_words_alone)
        return [*near, *(Known(memory, None) for memory in by_words if memory.id not in there)]

    async def standing(self, ids: Sequence[int]) -> dict[int, Memory]:
        """Those of them that are held against others, or others against them."""
        found = await by_ids(self._readers.live, ids) if ids else []
        return {
            memory.id: memory
            for memory in found
            if memory.state in LIVE_STATES and not memory.replaced and not is_turn(memory)
        }

    async def _near(self, new: Memory, one: News, policy: ReconcilingPolicy) -> list[Known]:
        texts, embedder = texts_of(new, None), self._semantics.embedder
        # Of a long text only pieces have vectors, and a model that cannot read a script finds all of it alike.
        if not embedder.id or len(texts) > 1 or (embedder.scripts != "all" and not is_latin(new.content)):
            return []
        vectors = await asyncio.to_thread(self._semantics.store.known, embedder.id, [texts[0].hash])
        count, floor = NEAREST, min(policy.related, policy.same_words)
        while vectors:
            vector = vectors[texts[0].hash]
            closest = await self._semantics.closest(embedder.id, one.namespace, vector, count, floor)
            earlier = [(id_, cosine) for id_, cosine in closest if _came_before(id_, new, one)]
            known = await self._first_standing(earlier, policy.candidates)
            if len(known) >= policy.candidates or len(closest) < count:
                return known
            count *= WIDER
        return []

    async def _first_standing(self, near: Sequence[tuple[int, float]], wanted: int) -> list[Known]:
        known: list[Known] = []
        for some in (near[: wanted * READ_FIRST], near[wanted * READ_FIRST :]):
            if len(known) < wanted:
                standing = await self.standing([id_ for id_, _ in some])
                known += [Known(standing[id_], cosine) for id_, cosine in some if id_ in standing]
        return known[:wanted]

    async def _by_words(self, new: Memory, one: News, policy: ReconcilingPolicy, *, alone: bool) -> list[Memory]:
        """Those that speak of the same subject; where there are vectors, only of what a life has one of."""
        words = facet_words(new.content)
        if alone:
            words += query_words(new.content)
        if not words:
            return []
        sought = sought_terms(words)
        live = within_filter(Filter(namespace=one.namespace, states=LIVE_STATES, replaced=False))
        held = await self._readers.live.run(lambda db: holders(db, sought, one.namespace, WORD_CAP, live))
        shared = Counter(id_ for ids in held for id_ in ids if _came_before(id_, new, one))
        ids = sorted(shared, key=lambda id_: (-shared[id_], -id_))[:BY_WORDS]
        found = await self.standing(ids)
        mine = read(new.content)
        same = [found[id_] for id_ in ids if id_ in found and same_subject(mine, read(found[id_].content))]
        return same[: policy.candidates]


def _came_before(id_: int, new: Memory, one: News) -> bool:
    return id_ < new.id if one.seq == new.id else id_ != new.id
