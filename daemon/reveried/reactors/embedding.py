"""Gives every memory its vectors: reads the log from its own checkpoint, in small batches, and holds up no write.

A kill at any point costs at most one batch: vectors and checkpoint are written as one, and what was embedded before
is found by the hash of its text.
"""

import asyncio
import logging
from collections.abc import Callable
from functools import partial

from reveried.app.courtesy import Courtesy
from reveried.app.progress import Progress
from reveried.app.readers import Readers
from reveried.app.semantics import Semantics
from reveried.app.writer import Writer
from reveried.embed.choosing import embedder_for
from reveried.embed.errors import EmbedderUnavailable
from reveried.embed.policy import EmbeddingPolicy
from reveried.embed.process import WorkerEmbedder
from reveried.errors import StorageFull
from reveried.log.reads import changes_of_content
from reveried.ports import Embedder
from reveried.reactors.making import Making
from reveried.state.vectors import Embedded

EVENTS_A_TURN = 64
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
        # Memories whose vectors are newer than what a turn has read of them.
        self._ahead: set[int] = set()
        self._making = Making(semantics, readers)
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
        if head - self.backlog.seq < EVENTS_A_TURN:
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
        """What was hurried meanwhile has newer vectors than were made here."""
        self._ahead.clear()
        await self._hurry(model)
        rows = await self._making.vectors_of(model, changed, partial(self._between, model)) if changed else []
        rows = [row for row in rows if row.memory not in self._ahead]
        await self._noted_with(model, upto, {*changed} - self._ahead, rows)

    async def _between(self, model: str, seconds: float) -> None:
        await self._courtesy.rest_after(seconds)
        await self._hurry(model)

    async def _hurry(self, model: str) -> None:
        """What somebody cannot go on without is not made to wait for everything that was stored before it."""
        hurried = sorted(self._semantics.hurried)
        if hurried:
            rows = await self._making.vectors_of(model, hurried)
            self._ahead |= {*hurried, *(row.memory for row in rows)}
            await self._noted_with(model, self._noted, set(hurried), rows)
            self._semantics.is_caught_up(hurried)

    async def _noted_with(self, model: str, upto: int, changed: set[int], rows: list[Embedded]) -> None:
        changed |= {row.memory for row in rows}
        kept = await asyncio.to_thread(self._semantics.store.write, model, upto, sorted(changed), rows)
        self._noted = upto
        if changed:
            await self._semantics.learned(sorted(changed), kept)

    def _filling(self) -> str:
        """While less than half of the log has been seen, what is missing is more than what is there."""
        seen, head = self.backlog.seq, self._progress.head
        if seen * 2 >= head:
            return ""
        return f"the memories are being embedded ({seen} of {head} events seen); the answer comes from keywords alone"


def _is_well(embedder: Embedder) -> bool:
    return embedder.condition.state not in ("none", "looking", "failed", "closed")
