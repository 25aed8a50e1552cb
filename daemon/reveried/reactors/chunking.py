"""Cuts received documents into memories, a few chunks at a time, until each is done; a kill costs at most one batch.

What became of a chunk is recorded under a key made of the document's id and the chunk's place, so a chunk is decided
once, however often this begins anew.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence

from reveried.app.chunks import Chunks
from reveried.app.commands import Command, Outcomes, Step, View
from reveried.app.novelty import Novelty
from reveried.app.readers import Readers
from reveried.app.remember import Remember
from reveried.app.semantics import Semantics
from reveried.app.writer import Writer
from reveried.config.schema import Config
from reveried.domain import decide, documents
from reveried.domain.decide import Decision
from reveried.domain.events import ChunkDiscarded, DocumentChunked, DocumentReceived, MemoryRepeated, MemoryStored
from reveried.domain.understanding.chunking import Chunk, chunks_of
from reveried.domain.understanding.worth import Worth, worth_of
from reveried.errors import Busy, InvalidField, NotFound, ReverieError, StorageFull
from reveried.log.reads import count_by_type, document, is_recorded
from reveried.state.documents import unfinished

ACTOR = "ingest"
# One command holds the writer for as long as its chunks take; requests are decided between two of them.
BATCH = 64
PAUSE = 0.2
_log = logging.getLogger(__name__)


class Chunking:
    def __init__(
        self,
        semantics: Semantics,
        readers: Readers,
        writer: Writer,
        remember: Remember,
        chunks: Chunks,
        config: Callable[[], Config],
    ) -> None:
        self._semantics = semantics
        self._readers = readers
        self._writer = writer
        self._remember = remember
        self._chunks = chunks
        self._config = config

    async def run(self) -> None:
        """Until cancelled: first what an earlier life left unfinished, then whatever arrives."""
        while True:
            await self._turn()
            await self._chunks.more()

    async def _turn(self) -> None:
        awaited = self._chunks.awaited
        await self._writer.run(lambda: None)
        found = await unfinished(self._readers.live)
        for id_, namespace in found:
            await self._finish(id_, namespace)
        # A text that came again may have been done long ago.
        for id_ in set(awaited).difference(id_ for id_, _ in found):
            await self._chunks.finished(id_)

    async def _finish(self, id_: int, namespace: str) -> None:
        try:
            await self._cut(id_, namespace)
        except NotFound:
            _log.info("document %d was erased while it was cut up", id_)
        except ReverieError as error:  # it stays unfinished, and is tried again with the next one or the next start
            _log.warning("document %d could not be cut up: %s", id_, error.message)
            await self._chunks.reached(id_, 0, 0, error.message)
            return
        await self._chunks.finished(id_)

    async def _cut(self, id_: int, namespace: str) -> None:
        found = await document(self._readers.log, id_)
        if found is None:
            raise NotFound(f"document [id:{id_}] is erased")
        received, text = found
        work = _Work(id_, namespace, received, self._remember, self._config())
        chunks = await asyncio.to_thread(chunks_of, text, documents.profile_of(received))
        novelty = await Novelty.before(self._semantics, namespace, id_)
        for start in range(0, len(chunks), BATCH):
            batch = chunks[start : start + BATCH]
            if not await is_recorded(self._readers.log, namespace, work.key(batch[-1])):
                novelties = await novelty.of([chunk.text for chunk in batch])
                await self._submitted(namespace, await asyncio.to_thread(work.steps, batch, novelties))
            await self._chunks.reached(id_, start + len(batch), len(chunks))
        counts = await count_by_type(self._readers.log, namespace, work.prefix)
        outcomes = await self._submitted(namespace, (work.end(len(chunks), counts, sorted(novelty.notes)),))
        await self._writer.projected(outcomes[-1].seq)

    async def _submitted(self, namespace: str, steps: tuple[Step, ...]) -> Outcomes:
        """Wait out a rush, and a full disk: people go first, and nothing is given up."""
        while True:
            try:
                return await self._writer.submit(Command(namespace=namespace, actor=ACTOR, steps=steps))
            except (Busy, StorageFull):
                await asyncio.sleep(PAUSE)


class _Work:
    """The chunks of one document as steps for the writer, on the very path of every other memory."""

    def __init__(
        self, id_: int, namespace: str, received: DocumentReceived, remember: Remember, config: Config
    ) -> None:
        self._id = id_
        self._namespace = namespace
        self._document = received
        self._remember = remember
        self._config = config
        self.prefix = f"document:{id_}/"

    def key(self, chunk: Chunk) -> str:
        return f"{self.prefix}{chunk.index}"

    def steps(self, chunks: Sequence[Chunk], novelties: Sequence[float]) -> tuple[Step, ...]:
        first, *rest = (self._step(*pair) for pair in zip(chunks, novelties, strict=True))
        return (self._while_it_is_there(first), *rest)

    def end(self, chunks: int, counts: dict[str, int], notes: list[str]) -> Step:
        event = DocumentChunked(
            chunks=chunks,
            stored=counts.get(MemoryStored.type, 0),
            duplicates=counts.get(MemoryRepeated.type, 0),
            discarded=counts.get(ChunkDiscarded.type, 0),
            notes=tuple(notes),
            request=self.prefix,
        )
        made = Decision(outcome="chunked", subject=self._id, events=(event,))
        key = f"{self.prefix}end"
        return self._while_it_is_there(Step(decide=lambda _: made, key=key, fingerprint=self.prefix))

    def _step(self, chunk: Chunk, novelty: float) -> Step:
        worth = worth_of(chunk.text, novelty, self._config.ingest)
        if worth.importance < self._document.discard_below:
            return self._discarding(chunk, worth, "unimportant")
        draft = documents.draft_of(self._document, self._id, chunk, worth)
        try:
            # How new it is may be judged otherwise the next time, so the mark is made of what stays the same.
            said_at, key = self._document.created_at, self.key(chunk)
            return self._remember.step(draft, self._namespace, key, key, said_at=said_at)
        except InvalidField as refusal:
            return self._discarding(chunk, worth, refusal.message)

    def _discarding(self, chunk: Chunk, worth: Worth, reason: str) -> Step:
        event = documents.discarded(chunk, worth, reason, self.key(chunk))
        made = Decision(outcome="discarded", subject=self._id, events=(event,))
        return Step(decide=lambda _: made, key=self.key(chunk), fingerprint=self.key(chunk))

    def _while_it_is_there(self, step: Step) -> Step:
        """Erased words must not come back by a chunk that was on its way."""

        def decision(view: View) -> Decision:
            decide.required(view.get(self._id), self._id, self._namespace)
            return step.decide(view)

        return Step(decide=decision, key=step.key, fingerprint=step.fingerprint)
