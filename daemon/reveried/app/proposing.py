"""Looking for what a memory belongs together with: who shares its tags and entities, and who means nearly the same."""

import asyncio
from collections.abc import Callable

from reveried.app.readers import Readers
from reveried.app.semantics import Semantics
from reveried.config.schema import Config
from reveried.domain.events import Link
from reveried.domain.linking.kinds import CO_RECALLED
from reveried.domain.linking.proposing import Evidence, comparable, link_to, linkable, proposals
from reveried.domain.memory import Memory
from reveried.domain.recalling.embedded import texts_of
from reveried.domain.recalling.words import is_latin
from reveried.state.link_reads import links_of, sharing
from reveried.state.reads import by_ids

# Of those that share something so many are compared, those that share most; and so many of those nearest in meaning.
SHARING, NEAREST = 20, 10


class Proposer:
    def __init__(self, semantics: Semantics, readers: Readers, config: Callable[[], Config]) -> None:
        self._semantics = semantics
        self._readers = readers
        self._config = config

    async def links_for(self, memory: Memory, *, earlier: bool = False) -> tuple[Link, ...]:
        """What may be proposed; with `earlier` only to those that were there before it, as they come one by one."""
        policy = self._config().links
        evidence = await self._evidence(memory)
        others = await by_ids(self._readers.live, list(evidence)) if evidence else []
        if not others:
            return ()
        # Whatever was said, found or refused about the two stands; that they were recalled together says nothing.
        rows = await links_of(self._readers.live, [memory.id], refused=True)
        known = {id_ for row in rows if row.kind != CO_RECALLED for id_ in (row.a, row.b)}
        fit = [one for one in others if comparable(memory, one) and one.id not in known]
        return proposals([(one.id, evidence[one.id]) for one in fit if one.id < memory.id or not earlier], policy)

    async def judged(self, memory: Memory, other: Memory) -> Link | None:
        """What speaks for a link between these two now; None if nothing may."""
        if not (linkable(memory) and comparable(memory, other)):
            return None
        evidence = await self._evidence(memory, only=other.id)
        return link_to(other.id, evidence.get(other.id, Evidence()), self._config().links)

    async def _evidence(self, memory: Memory, only: int | None = None) -> dict[int, Evidence]:
        policy = self._config().links
        shared = await self._readers.live.run(
            lambda db: sharing(db, memory.namespace, memory.id, memory.tags, policy.common)
        )
        ids = {*shared.tags, *shared.entities} if only is None else {only}
        most = sorted(ids, key=lambda id_: (-shared.tags.get(id_, 0) - shared.entities.get(id_, 0), -id_))[:SHARING]
        near = await self._near(memory) if only is None else []
        cosines = await self._semantics.nearness(memory.id, {*most, *near} - {memory.id})
        return {
            id_: Evidence(tags=shared.tags.get(id_, 0), entities=shared.entities.get(id_, 0), cosine=cosines.get(id_))
            for id_ in {*most, *near}
        }

    async def _near(self, memory: Memory) -> list[int]:
        semantics, texts = self._semantics, texts_of(memory, None)
        embedder = semantics.embedder
        if not embedder.id or len(texts) > 1 or (embedder.scripts != "all" and not is_latin(memory.content)):
            return []
        vectors = await asyncio.to_thread(semantics.store.known, embedder.id, [texts[0].hash])
        if texts[0].hash not in vectors:
            return []
        floor = self._config().links.least
        found = await semantics.closest(embedder.id, memory.namespace, vectors[texts[0].hash], NEAREST, floor)
        return [id_ for id_, _ in found if id_ != memory.id]
