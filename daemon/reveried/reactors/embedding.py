"""Gives every memory its vectors: reads the log from its own checkpoint, in small batches, and holds up no write.

A kill at any point costs at most one batch: vectors and checkpoint are written as one, and what was embedded before
is found by the hash of its text.
"""

import asyncio
import logging
from collections.abc import Sequence

from reveried.app.progress import Progress
from reveried.app.readers import Readers
from reveried.app.semantics import Backlog, Semantics
from reveried.app.writer import Writer
from reveried.domain.memory import Memory
from reveried.domain.recalling.embedded import EmbeddedText, texts_of
from reveried.embed.errors import EmbedderUnavailable
from reveried.log.reads import changes_of_content
from reveried.state.reads import by_ids
from reveried.state.searching import neighbours
from reveried.state.vectors import Embedded

EVENTS_A_TURN = 64
TEXTS_A_BATCH = 8
BATCH_DEADLINE = 60.0
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 60.0
# Commands that come close together are embedded together; nobody waits for this.
GATHER = 0.02
_log = logging.getLogger(__name__)


class Embedding:
    def __init__(self, semantics: Semantics, readers: Readers, progress: Progress, writer: Writer) -> None:
        self._semantics = semantics
        self._readers = readers
        self._progress = progress
        self._writer = writer
        self.backlog = Backlog()

    async def run(self) -> None:
        """Until cancelled. Without an embedder there is nothing to do, and the log is left unread."""
        model, store = self._semantics.embedder.id, self._semantics.store
        if not model:
            return
        self.backlog.seq = await asyncio.to_thread(store.progress, model)
        pause = FIRST_PAUSE
        while True:
            try:
                await self._turn(model)
                self.backlog.problem, pause = "", FIRST_PAUSE
            except EmbedderUnavailable as unavailable:
                self.backlog.problem = unavailable.message
                _log.info("embedding waits %.1f s: %s", pause, unavailable.message)
                await asyncio.sleep(pause)
                pause = min(LONGEST_PAUSE, pause * 2)

    async def _turn(self, model: str) -> None:
        head = await self._progress.beyond(self.backlog.seq)
        await asyncio.sleep(GATHER)
        await self._writer.projected(head)
        numbers, upto = await changes_of_content(self._readers.log, self.backlog.seq, EVENTS_A_TURN)
        upto = upto if len(numbers) == EVENTS_A_TURN else max(upto, head)
        changed = sorted(set(numbers))
        rows = await self._embedded(model, changed) if changed else []
        changed = sorted({*changed, *(row.memory for row in rows)})
        kept = await asyncio.to_thread(self._semantics.store.write, model, upto, changed, rows)
        await self._semantics.learned(changed, kept)
        self.backlog.seq = upto
        dropped = (
            await asyncio.to_thread(self._semantics.store.drop_others, model) if self._progress.head <= upto else 0
        )
        if dropped:
            _log.info("every memory has a vector of %s; those of other models are gone", model)

    async def _embedded(self, model: str, ids: Sequence[int]) -> list[Embedded]:
        """The vectors of these memories, and of their successors, which are embedded together with them."""
        wanted = await self._texts(ids)
        hashes = {text.hash: text.text for _, texts in wanted for text in texts}
        vectors = await asyncio.to_thread(self._semantics.store.known, model, hashes)
        missing = [hash_ for hash_ in hashes if hash_ not in vectors]
        for start in range(0, len(missing), TEXTS_A_BATCH):
            batch = missing[start : start + TEXTS_A_BATCH]
            made = await self._semantics.embedder.embed([hashes[hash_] for hash_ in batch], BATCH_DEADLINE)
            vectors.update(zip(batch, made, strict=True))
        return [
            Embedded(memory.id, memory.namespace, text.role, text.hash, vectors[text.hash])
            for memory, texts in wanted
            for text in texts
        ]

    async def _texts(self, ids: Sequence[int]) -> list[tuple[Memory, list[EmbeddedText]]]:
        around = await neighbours(self._readers.live, ids)
        after = {following[0] for _, following in around.values() if following}
        around |= await neighbours(self._readers.live, sorted(after))
        before = {id_: earlier[0] for id_, (earlier, _) in around.items() if earlier}
        known = {memory.id: memory for memory in await self._records({*ids, *after, *before.values()})}
        return [
            (known[id_], texts_of(known[id_], known.get(before.get(id_, 0))))
            for id_ in sorted({*ids, *after})
            if id_ in known
        ]

    async def _records(self, ids: set[int]) -> list[Memory]:
        live = await by_ids(self._readers.live, sorted(ids))
        return live + await by_ids(self._readers.archive, sorted(ids - {memory.id for memory in live}))
