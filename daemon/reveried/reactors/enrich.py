"""Holds every new memory against what is known, behind its vectors: the same again, or its contrary.

It reads the log from its own checkpoint, one memory after the other, and holds up no write. What it finds goes through
the writer, which judges once more; a key made of the event's number lets no finding be recorded twice. So a kill
costs at most one turn, and the turn that is repeated changes nothing.
"""

import asyncio
import logging
from collections import Counter
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
from reveried.domain.recalling.embedded import texts_of
from reveried.domain.recalling.words import is_latin, query_words, sought_terms
from reveried.domain.reconciling.conflicts import same_subject
from reveried.domain.reconciling.decisions import decision
from reveried.domain.reconciling.lexicon import facet_words
from reveried.domain.reconciling.policy import Mode, ReconcilingPolicy
from reveried.domain.reconciling.reconcile import Finding, Known, Same, is_turn, reconciled
from reveried.domain.reconciling.wording import read
from reveried.errors import Busy, ReadOnly, ShuttingDown, StorageFull
from reveried.log.reads import News, news
from reveried.reactors.linking import Linking
from reveried.state.reads import Filter, by_ids
from reveried.state.searching import holders, within_filter

ACTOR, READER = "reconciling", "reconciling"
EVENTS_A_TURN = 64
NEAREST, WIDER = 64, 8
# Of those that share words, so many are read; the newest, where there are more.
BY_WORDS, WORD_CAP = 50, 200
BUSY_PAUSE, FULL_PAUSE = 0.2, 1.0
# A model is looked at so often while it makes no vectors, and given up for now when it was not ready for so long.
LOOK_AGAIN, PATIENCE = 1.0, 150.0
# For so many seconds after a command its caller is taken to be at work; meanwhile each second of comparing is followed
# by so many of rest, but no rest is longer than this.
AT_WORK, REST, LONGEST_REST = 0.1, 5, 0.1
# A memory, and its cosine where one is known.
Near = tuple[int, float | None]
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
        await self._linking.link(found)
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
        if not await self._standing([one.memory]):
            return NOTHING
        await self._embedded(one.seq)
        new = (await self._standing([one.memory])).get(one.memory)
        if new is None:
            return NOTHING
        policy = self._config().reconciling
        near = await self._candidates(new, one, policy)
        known = await self._records(near)
        mode: Mode = one.on_conflict or policy.conflicts  # type: ignore[assignment]
        if reconciled(new, known, policy, dedup=one.dedup, mode=mode) is None:
            return NOTHING
        judged, outcome = await self._recorded(one, new, near, mode, policy)
        if judged.finding is None:
            return NOTHING
        self._recorded_up_to = outcome.seq
        await self._writer.projected(outcome.seq)
        if isinstance(judged.finding, Same) and judged.finding.added:
            # The next one is compared with the words as they are now, as it would be if it had come later.
            await self._embedded(outcome.seq - judged.following)
        return Found(judged.finding, outcome.seq - judged.following, outcome.seq)

    async def _embedded(self, seq: int) -> None:
        """Wait until everything up to an event has its vectors, as long as there is a model that may make them."""
        semantics, clock = self._semantics, asyncio.get_running_loop().time
        began = clock()
        while not self._by_words_alone:
            version, embedder = semantics.version, semantics.embedder
            if embedder.id and await asyncio.to_thread(semantics.store.progress, embedder.id) >= seq:
                return
            # A model that fails tells nobody, so it is looked at again after a while.
            with suppress(TimeoutError):
                await asyncio.wait_for(semantics.learned_since(version), LOOK_AGAIN)
            if embedder.condition.state != "ready" and clock() - began > PATIENCE:
                _log.warning("going by words alone: %s", embedder.condition.reason)
                self._in_vain = semantics.version

    @property
    def _by_words_alone(self) -> bool:
        embedder, version = self._semantics.embedder, self._semantics.version
        state = embedder.condition.state
        return version == self._in_vain or state == "failed" or (not embedder.id and state != "looking")

    async def _recorded(
        self, one: News, new: Memory, near: Sequence[Near], mode: Mode, policy: ReconcilingPolicy
    ) -> tuple[Judged, Outcome]:
        judged = Judged()

        def decide(view: View) -> Decision:
            current = view.get(new.id)
            if current is None or current.content_hash != new.content_hash or current.replaced:
                return Decision(outcome=UNCHANGED, subject=new.id)
            known = [Known(memory, cosine) for id_, cosine in near if (memory := view.get(id_))]
            judged.finding = reconciled(current, known, policy, dedup=one.dedup, mode=mode)
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

    async def _records(self, near: Sequence[Near]) -> list[Known]:
        found = {memory.id: memory for memory in await by_ids(self._readers.live, [id_ for id_, _ in near])}
        return [Known(found[id_], cosine) for id_, cosine in near if id_ in found]

    async def _candidates(self, new: Memory, one: News, policy: ReconcilingPolicy) -> list[Near]:
        """Who may be concerned, the nearest first. A stored memory meets only those that were there before it."""
        near = await self._near(new, one, policy)
        by_words = await self._by_words(new, one, policy)
        known = {id_ for id_, _ in near}
        return [*near, *((id_, None) for id_ in by_words if id_ not in known)]

    async def _near(self, new: Memory, one: News, policy: ReconcilingPolicy) -> list[Near]:
        texts, embedder = texts_of(new, None), self._semantics.embedder
        # Of a long text only pieces have vectors, and a model that cannot read a script finds all of it alike.
        if not embedder.id or len(texts) > 1 or (embedder.scripts != "all" and not is_latin(new.content)):
            return []
        vectors = await asyncio.to_thread(self._semantics.store.known, embedder.id, [texts[0].hash])
        count, floor = NEAREST, min(policy.related, policy.same_words)
        while vectors:
            vector = vectors[texts[0].hash]
            closest = await self._semantics.closest(embedder.id, one.namespace, vector, count, floor)
            live = await self._standing([id_ for id_, _ in closest if _came_before(id_, new, one)])
            if len(live) >= policy.candidates or len(closest) < count:
                kept: list[Near] = [(id_, cosine) for id_, cosine in closest if id_ in live]
                return kept[: policy.candidates]
            count *= WIDER
        return []

    async def _standing(self, ids: Sequence[int]) -> dict[int, Memory]:
        """Those of them that are held against others, or others against them."""
        found = await by_ids(self._readers.live, ids)
        return {
            memory.id: memory
            for memory in found
            if memory.state in LIVE_STATES and not memory.replaced and not is_turn(memory)
        }

    async def _by_words(self, new: Memory, one: News, policy: ReconcilingPolicy) -> list[int]:
        """Those that speak of the same subject; where there are vectors, only of what a life has one of."""
        words = facet_words(new.content)
        if self._by_words_alone:
            words += query_words(new.content)
        sought = sought_terms(words)
        live = within_filter(Filter(namespace=one.namespace, states=LIVE_STATES, replaced=False))
        held = await self._readers.live.run(lambda db: holders(db, sought, one.namespace, WORD_CAP, live))
        shared = Counter(id_ for ids in held for id_ in ids if _came_before(id_, new, one))
        ids = sorted(shared, key=lambda id_: (-shared[id_], -id_))[:BY_WORDS]
        found = await self._standing(ids)
        mine = read(new.content)
        same = [id_ for id_ in ids if id_ in found and same_subject(mine, read(found[id_].content))]
        return same[: policy.candidates]


def _came_before(id_: int, new: Memory, one: News) -> bool:
    return id_ < new.id if one.seq == new.id else id_ != new.id
