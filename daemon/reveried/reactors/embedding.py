"""Gives every memory its vectors: reads the log from its own checkpoint, in small batches, and holds up no write.

A kill at any point costs at most one batch: vectors and checkpoint are written as one, and what was embedded before
is found by the hash of its text.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence

from reveried.app.courtesy import Courtesy
from reveried.app.progress import Progress
from reveried.app.readers import Readers
from reveried.app.semantics import Semantics
from reveried.app.writer import Writer
from reveried.domain.memory import Memory
from reveried.domain.recalling.embedded import IN_CONTEXT, EmbeddedText, texts_of
from reveried.embed.choosing import embedder_for
from reveried.embed.errors import EmbedderUnavailable, TextsRefused
from reveried.embed.policy import EmbeddingPolicy
from reveried.embed.process import WorkerEmbedder
from reveried.errors import StorageFull
from reveried.log.reads import changes_of_content
from reveried.ports import Embedder
from reveried.state.gist_reads import neighbours
from reveried.state.reads import by_ids
from reveried.state.vectors import Embedded

EVENTS_A_TURN = 64
TEXTS_A_BATCH = 8
BATCH_DEADLINE = 60.0
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 60.0
# Commands that come close together are embedded together; nobody waits for this.
GATHER = 0.02
# After a restart so many events at most are looked at again.
NOTED_EVERY = 1_000
_log = logging.getLogger(__name__)


class Embedding:
    def __init__(
        self,
        semantics: Semantics,
        readers: Readers,
        progress: Progress,
        writer: Writer,
        policy: Callable[[], EmbeddingPolicy],
        courtesy: Courtesy | None = None,
    ) -> None:
        self._courtesy = courtesy or Courtesy(lambda: False)
        self._semantics = semantics
        self._readers = readers
        self._progress = progress
        self._writer = writer
        self._policy = policy
        self._reconsider = asyncio.Event()
        self._noted = 0
        self.backlog = semantics.backlog

    def reconsider(self) -> None:
        """The configuration was read again: another model may be wanted, or a broken one may be mended."""
        self._reconsider.set()

    async def run(self) -> None:
        """Until cancelled: with the model that the configuration names, as long as it names that one."""
        chosen: EmbeddingPolicy | None = None
        while True:
            self._reconsider.clear()
            if chosen != self._policy() or not _is_well(self._semantics.embedder):
                chosen = self._policy()
                await self._choose(chosen)
            await self._follow_until_reconsidered()

    async def _follow_until_reconsidered(self) -> None:
        following, waiting = asyncio.create_task(self._follow()), asyncio.create_task(self._reconsider.wait())
        try:
            done, _ = await asyncio.wait({following, waiting}, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            following.cancel()
            waiting.cancel()
            await asyncio.gather(following, waiting, return_exceptions=True)

    async def _choose(self, policy: EmbeddingPolicy) -> None:
        new, now = await asyncio.to_thread(embedder_for, policy), self._semantics.embedder
        if isinstance(now, WorkerEmbedder) and isinstance(new, WorkerEmbedder) and now.would_do_for(new):
            now.idle = new.idle
        else:
            await self._semantics.use(new)

    async def _follow(self) -> None:
        """Without an embedder there is nothing to do, and the log is left unread."""
        model, store = self._semantics.embedder.id, self._semantics.store
        self.backlog.seq = self._noted = await asyncio.to_thread(store.progress, model)
        self.backlog.problem, self.backlog.left_out = "", set()
        pause = FIRST_PAUSE
        if not model:
            await self._reconsider.wait()
        while not self._reconsider.is_set():
            try:
                await self._turn(model)
                self.backlog.problem, pause = "", FIRST_PAUSE
            except (EmbedderUnavailable, StorageFull) as stopped:
                self.backlog.problem = str(stopped)
                _log.info("embedding waits %.1f s: %s", pause, stopped)
                await asyncio.sleep(pause)
                pause = min(LONGEST_PAUSE, pause * 2)

    async def _turn(self, model: str) -> None:
        store = self._semantics.store
        self._semantics.filling = self._filling()
        head = await self._progress.beyond(self.backlog.seq)
        await asyncio.sleep(GATHER)
        numbers, upto = await changes_of_content(self._readers.log, self.backlog.seq, EVENTS_A_TURN)
        upto = upto if len(numbers) >= EVENTS_A_TURN else max(upto, head)
        # Only after the log was read: what is in it is then in the state as well, or it would be taken for gone, and an
        # erasure has reached the vectors.
        await self._writer.run(lambda: None)
        changed = sorted({*numbers, *await asyncio.to_thread(store.bereft, model)})
        # Most events are readings. Noting each of them would cost a write, and every answer that was kept.
        if changed or upto - self._noted >= NOTED_EVERY:
            await self._learn(model, changed, upto)
        self.backlog.seq = upto
        if self._progress.head <= upto and (dropped := await asyncio.to_thread(store.drop_others, model)):
            _log.info("every memory has a vector of %s; %d of other models are gone", model, dropped)

    async def _learn(self, model: str, changed: list[int], upto: int) -> None:
        rows = await self._embedded(model, changed) if changed else []
        changed = sorted({*changed, *(row.memory for row in rows)})
        kept = await asyncio.to_thread(self._semantics.store.write, model, upto, changed, rows)
        self._noted = upto
        if changed:
            await self._semantics.learned(changed, kept)

    def _filling(self) -> str:
        """While less than half of the log has been seen, what is missing is more than what is there."""
        seen, head = self.backlog.seq, self._progress.head
        if seen * 2 >= head:
            return ""
        return f"the memories are being embedded ({seen} of {head} events seen); the answer comes from keywords alone"

    async def _embedded(self, model: str, ids: Sequence[int]) -> list[Embedded]:
        """The vectors of these memories, and of their successors, which are embedded together with them."""
        wanted = await self._texts(ids)
        hashes = {text.hash: text.text for _, _, texts in wanted for text in texts}
        vectors = await asyncio.to_thread(self._semantics.store.known, model, hashes)
        vectors |= self._semantics.made.take(hash_ for hash_ in hashes if hash_ not in vectors)
        # Texts of like length share a batch: the model reads every text of one as if it were its longest.
        missing = sorted((hash_ for hash_ in hashes if hash_ not in vectors), key=lambda hash_: len(hashes[hash_]))
        for start in range(0, len(missing), TEXTS_A_BATCH):
            batch = missing[start : start + TEXTS_A_BATCH]
            began = asyncio.get_running_loop().time()
            vectors |= await self._made({hash_: hashes[hash_] for hash_ in batch})
            await self._courtesy.rest_after(asyncio.get_running_loop().time() - began)
        whole = [one for one in wanted if all(text.hash in vectors for text in one[2])]
        self._leave_out({memory.id for memory, _, _ in wanted} - {memory.id for memory, _, _ in whole})
        return [
            Embedded(memory.id, memory.namespace, text.role, text.hash, vectors[text.hash], _beside(text, before))
            for memory, before, texts in whole
            for text in texts
        ]

    async def _made(self, texts: dict[bytes, str]) -> dict[bytes, bytes]:
        """The vectors of a batch, or of those of its texts that can be embedded at all."""
        try:
            made = await self._semantics.embedder.embed(list(texts.values()), BATCH_DEADLINE)
            return dict(zip(texts, made, strict=True))
        except TextsRefused:
            if len(texts) == 1:
                return {}
        found: dict[bytes, bytes] = {}
        for hash_, text in texts.items():
            found |= await self._made({hash_: text})
        return found

    def _leave_out(self, memories: set[int]) -> None:
        self.backlog.left_out |= memories
        if memories:
            _log.error("left without vectors, since their words end the model's process: %s", sorted(memories))

    async def _texts(self, ids: Sequence[int]) -> list[tuple[Memory, int | None, list[EmbeddedText]]]:
        """Each memory with its predecessor's number, where it has one, and its texts."""
        around = await self._readers.live.run(lambda db: neighbours(db, ids))
        after = {following[0] for _, following in around.values() if following}
        around |= await self._readers.live.run(lambda db: neighbours(db, sorted(after)))
        before = {id_: earlier[0] for id_, (earlier, _) in around.items() if earlier}
        known = {memory.id: memory for memory in await self._records({*ids, *after, *before.values()})}
        return [
            (known[id_], before.get(id_), texts_of(known[id_], known.get(before.get(id_, 0))))
            for id_ in sorted({*ids, *after})
            if id_ in known
        ]

    async def _records(self, ids: set[int]) -> list[Memory]:
        live = await by_ids(self._readers.live, sorted(ids))
        return live + await by_ids(self._readers.archive, sorted(ids - {memory.id for memory in live}))


def _is_well(embedder: Embedder) -> bool:
    return embedder.condition.state not in ("none", "looking", "failed", "closed")


def _beside(text: EmbeddedText, before: int | None) -> int | None:
    return before if text.role == IN_CONTEXT else None
