"""What reconciling finds about two memories, recorded as its reactor does it, and what somebody then decides."""

from collections.abc import Callable
from typing import Any

from modelled.things import Thing
from reverie.protocol import requests as ask
from reveried.app.commands import Command, Step, View
from reveried.domain.consolidating.compressing import REASON
from reveried.domain.decide import Decision
from reveried.domain.events import MemoryArchived, MemoryMerged
from reveried.domain.memory import COMPRESSED
from reveried.domain.reconciling.conflicts import Contradiction
from reveried.domain.reconciling.decisions import decision, gained
from reveried.domain.reconciling.duplicates import unique_sentences
from reveried.domain.reconciling.policy import ReconcilingPolicy
from reveried.domain.reconciling.reconcile import Conflict, Same, settled
from simulating.commands import Commands
from simulating.stage import NAMESPACES

MODES: Any = ("keep_existing", "use_new", "merge", "ask", "temporal")
POLICY = ReconcilingPolicy()


class Findings(Commands):
    async def _find(self) -> None:
        pair = self._pair()
        if pair is None:
            return
        new, known = pair
        how = self._luck.choice(("conflict", "conflict", "duplicate", "subset", "merged", COMPRESSED))
        if how == "conflict":
            await self._contradict(new, known)
        elif not (new.pinned or new.gained or (how == COMPRESSED and (new.conflicts or known.conflicts))):
            await self._same(new, known, how)

    def _pair(self) -> tuple[Thing, Thing] | None:
        namespace = self._luck.choice(NAMESPACES)
        live = [
            one
            for one in self._model.things.values()
            if one.holds and not (one.whole or one.tells) and one.namespace == namespace
        ]
        if len(live) < 2:
            return None
        new, known = self._luck.sample(live, 2)
        return new, known

    async def _same(self, new: Thing, known: Thing, how: str) -> None:
        def decide(view: View) -> Decision:
            return _compressed(view, new.id, known.id) if how == COMPRESSED else _same(view, new.id, known.id, how)

        told, _ = await self._written(self._step(new.namespace, decide))
        assert told in (how, "merged")  # a finding that is answered again is told by its event
        self._model.same(new, known, how, self._clock.now())

    async def _contradict(self, new: Thing, known: Thing) -> None:
        hit, mode = Contradiction("negation", self._luck.choice((0.6, 0.7, 0.75, 0.8))), self._luck.choice(MODES)

        def decide(view: View) -> Decision:
            one, other = view.get(new.id), view.get(known.id)
            assert one is not None
            assert other is not None
            return decision(one, Conflict(other, hit, 0.7, settled(one, other, hit, mode, POLICY)), mode, POLICY)

        told, _ = await self._written(self._step(new.namespace, decide))
        assert told == "conflict"
        await self._life.writer.projected(self._life.log.head)
        ((number,),) = await self._life.readers.live.fetch("SELECT max(id) FROM conflicts")
        self._model.contradicts(number, new, known, hit.confidence, mode, self._clock.now())

    def _step(self, namespace: str, decide: Callable[[View], Decision]) -> Callable[[str], Any]:
        def write(key: str) -> Any:
            step = Step(decide=decide, key=key)
            return self._life.writer.submit(Command(namespace=namespace, actor="reconciling", steps=(step,)))

        return write

    async def _resolve(self) -> None:
        known = [*self._model.disputes, self._luck.randrange(1, 300)]
        number, mode, namespace = self._luck.choice(known), self._luck.choice(MODES), self._luck.choice(NAMESPACES)
        caller = self._caller(namespace)
        told, _ = await self._written(
            lambda key: self._conflicts.resolve(ask.Resolve(id=0, conflict=number, mode=mode, key=key), caller)
        )
        expected = self._model.resolve(number, namespace, mode, self._clock.now())
        assert told == expected, f"resolve {number} by {mode}: {told}, not {expected}"


def _same(view: View, new: int, known: int, how: Any) -> Decision:
    one, other = view.get(new), view.get(known)
    assert one is not None
    assert other is not None
    added = unique_sentences(one.content, other.content, POLICY) if how == "merged" else ""
    return decision(one, Same(other, how, added, 0.9), "temporal", POLICY)


def _compressed(view: View, new: int, known: int) -> Decision:
    """As `consolidate` has it, which needs vectors to find the two."""
    one, other = view.get(new), view.get(known)
    assert one is not None
    assert other is not None
    added = unique_sentences(one.content, other.content, POLICY)
    merged = MemoryMerged(into=known, how=COMPRESSED, added=added, **gained(one, other, 0.9))
    return Decision(outcome=COMPRESSED, subject=new, events=(merged, MemoryArchived(reason=REASON)))
