"""Holds every new memory against what is known, behind its vectors: the same again, or its contrary.

It reads the log from its own checkpoint, one memory after the other, and holds up no write. What it finds goes through
the writer, which judges once more; a key made of the event's number lets no finding be recorded twice. So a kill
costs at most one turn, and the turn that is repeated changes nothing.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress

from msgspec import Struct

from reveried.app.commands import Command, Outcome, Step, View
from reveried.app.findings import NOTHING, Findings, Found
from reveried.app.progress import Progress
from reveried.app.readers import Readers
from reveried.app.semantics import Semantics
from reveried.app.writer import Writer
from reveried.config.schema import Config
from reveried.domain.decide import UNCHANGED, Decision
from reveried.domain.memory import LIVE_STATES, Memory
from reveried.domain.reconciling.decisions import decision
from reveried.domain.reconciling.policy import Mode, ReconcilingPolicy
from reveried.domain.reconciling.reconcile import Finding, Known, Same, reconciled
from reveried.errors import Busy, ReadOnly, ShuttingDown, StorageFull
from reveried.log.reads import News, news
from reveried.reactors.concerned import Concerned
from reveried.reactors.linking import Linking

ACTOR, READER = "reconciling", "reconciling"
EVENTS_A_TURN = 64
BUSY_PAUSE, FULL_PAUSE = 0.2, 1.0
# A model is looked at so often while it makes no vectors, and given up for now when it was not ready for so long.
LOOK_AGAIN, PATIENCE = 1.0, 150.0
# For so many seconds after a command its caller is taken to be at work; meanwhile each second of comparing is followed
# by so many of rest, but no rest is longer than this.
AT_WORK, REST, LONGEST_REST = 0.1, 5, 0.1
_log = logging.getLogger(__name__)


class Judged(Struct):
    """What the writer's own judgement came to, and how many facts followed its first; filled in on its thread."""

    finding: Finding | None = None
    following: int = 0


class Enrich:
    def __init__(
        self,
        semantics: Semantics,
        readers: Readers,
        progress: Progress,
        writer: Writer,
        findings: Findings,
        linking: Linking,
        config: Callable[[], Config],
    ) -> None:
        self._semantics = semantics
        self._readers = readers
        self._progress = progress
        self._writer = writer
        self._findings = findings
        self._linking = linking
        self._concerned = Concerned(semantics, readers)
        self._config = config
        # What the vectors were at when they were waited for in vain; nobody waits again before they get on.
        self._in_vain = -1
        self._recorded_up_to = 0

    async def run(self) -> None:
        """Until cancelled."""
        self._findings.seq = await asyncio.to_thread(self._semantics.store.read_up_to, READER)
        while True:
            try:
                await self._turn()
            except StorageFull as full:  # what was not recorded is found again when there is room
                _log.info("comparing waits %.1f s: %s", FULL_PAUSE, full)
                await asyncio.sleep(FULL_PAUSE)
            except (ReadOnly, ShuttingDown):  # nothing can be recorded any more, nor is there anything new
                return

    async def _turn(self) -> None:
        head = await self._progress.beyond(self._findings.seq)
        found, reached = await news(self._readers.log, self._findings.seq, EVENTS_A_TURN)
        for one in found:
            began = asyncio.get_running_loop().time()
            result = await self._reconciled(one)
            awaited = self._findings.awaited
            self._findings.tell(one.seq, result)
            self._findings.seq = one.seq
            if not awaited:
                await self._give_way(began)
        # Whoever waited has been answered by now.
        self._recorded_up_to = max(self._recorded_up_to, await self._linking.link(found))
        self._findings.seq = max(head, found[-1].seq if found else 0) if reached is None else reached
        if found:
            await asyncio.to_thread(self._semantics.store.note_read, READER, self._findings.seq)

    async def _give_way(self, began: float) -> None:
        """People go first: comparing takes more of the machine than storing, and nobody need wait for it."""
        now, progress = asyncio.get_running_loop().time(), self._progress
        if progress.head > self._recorded_up_to and now - progress.grew_at < AT_WORK:
            await asyncio.sleep(min((now - began) * REST, LONGEST_REST))

    async def _reconciled(self, one: News) -> Found:
        await self._writer.projected(one.seq)
        new = await self._standing(one.memory)
        if new is not None and await self._embedded(one.seq):
            new = await self._standing(one.memory)  # as it is now, after the wait
        if new is None:
            return NOTHING
        policy = self._config().reconciling
        known = await self._concerned.candidates(new, one, policy, by_words_alone=self._by_words_alone)
        mode: Mode = one.on_conflict or policy.conflicts  # type: ignore[assignment]
        if reconciled(new, known, policy, dedup=one.dedup, mode=mode) is None:
            return NOTHING
        judged, outcome = await self._recorded(one, new, known, mode, policy)
        if judged.finding is None:
            return NOTHING
        self._recorded_up_to = outcome.seq
        await self._writer.projected(outcome.seq)
        if isinstance(judged.finding, Same) and judged.finding.added:
            # The next one is compared with the words as they are now, as it would be if it had come later.
            await self._renewed(judged.finding.into.id, outcome.seq - judged.following)
        return Found(judged.finding, outcome.seq - judged.following, outcome.seq)

    async def _renewed(self, memory: int, seq: int) -> None:
        """Wait until a memory has the vectors of what an event made of it."""
        hurried = self._semantics.hurried
        hurried.add(memory)
        try:
            await self._embedded(seq, or_when=lambda: memory not in hurried)
        finally:
            hurried.discard(memory)

    async def _embedded(self, seq: int, or_when: Callable[[], bool] = lambda: False) -> bool:
        """Wait until everything up to an event has its vectors, as long as there is a model that may make them; tells
        whether that took any time."""
        semantics, clock = self._semantics, asyncio.get_running_loop().time
        began, waited = clock(), False
        while not self._by_words_alone:
            version, embedder = semantics.version, semantics.embedder
            if or_when() or await semantics.is_embedded(seq):
                break
            waited = True
            # A model that fails tells nobody, so it is looked at again after a while.
            with suppress(TimeoutError):
                await asyncio.wait_for(semantics.learned_since(version), LOOK_AGAIN)
            if embedder.condition.state != "ready" and clock() - began > PATIENCE:
                _log.warning("going by words alone: %s", embedder.condition.reason)
                self._in_vain = semantics.version
        return waited

    async def _standing(self, memory: int) -> Memory | None:
        return (await self._concerned.standing([memory])).get(memory)

    @property
    def _by_words_alone(self) -> bool:
        embedder, version = self._semantics.embedder, self._semantics.version
        state = embedder.condition.state
        return version == self._in_vain or state == "failed" or (not embedder.id and state != "looking")

    async def _recorded(
        self, one: News, new: Memory, known: Sequence[Known], mode: Mode, policy: ReconcilingPolicy
    ) -> tuple[Judged, Outcome]:
        judged = Judged()

        def decide(view: View) -> Decision:
            current = view.get(new.id)
            if current is None or current.content_hash != new.content_hash or current.replaced:
                return Decision(outcome=UNCHANGED, subject=new.id)
            now = [Known(memory, then.cosine) for then in known if (memory := view.get(then.memory.id))]
            judged.finding = reconciled(current, now, policy, dedup=one.dedup, mode=mode)
            if judged.finding is None or current.state not in LIVE_STATES:
                return Decision(outcome=UNCHANGED, subject=new.id)
            decided = decision(current, judged.finding, mode, policy)
            judged.following = len(decided.others)
            return decided

        step = Step(decide=decide, key=f"{ACTOR}:{one.seq}")
        command = Command(namespace=one.namespace, actor=ACTOR, steps=(step,))
        while True:
            try:
                (outcome,) = await self._writer.submit(command)
                return judged, outcome
            except Busy:  # people go first
                await asyncio.sleep(BUSY_PAUSE)
