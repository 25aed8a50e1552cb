"""Planned changes on their way through the writer: few at a time, and only what still holds when its turn comes."""

import asyncio
from collections.abc import Callable, Iterable, Sequence

from reveried.app.commands import Command, Outcomes, Step, View
from reveried.app.writer import Writer
from reveried.domain.decide import UNCHANGED, Decision, ended_conflicts
from reveried.domain.decide import erase as decided_erasure
from reveried.domain.events import Event, MemoryTransitioned
from reveried.domain.memory import Memory
from reveried.errors import Busy
from reveried.jobs.work import Change, Work, chunks, counted

ACTOR = "jobs"
# One command holds the writer for as long as its ids take; requests are decided between two of them.
BATCH = 200
# Each erasure is a commit of its own and rewrites the words' index once per command.
ERASED_AT_ONCE = 20
BUSY_PAUSE = 0.2

Holds = Callable[[Memory, Change], bool]


async def transition(work: Work, changes: Sequence[Change], holds: Holds) -> dict[str, int]:
    """Record the changes that still hold. Someone may have used or pinned a memory since it was planned."""
    counts: dict[str, int] = {}
    for change, ids in _groups(changes).items():
        for part in chunks(ids, BATCH):
            moved = _Moved(change, tuple(part), holds)
            command = Command(namespace=change.namespace, actor=ACTOR, steps=(Step(decide=moved),))
            await submitted(work.writer, command)
            counted(counts, change.after, len(moved.ids))
            work.advance.done += len(part)
    return counts


def _groups(changes: Iterable[Change]) -> dict[Change, list[int]]:
    """The ids of each kind of change; the kind is a change without an id."""
    groups: dict[Change, list[int]] = {}
    for change in changes:
        kind = Change(0, change.namespace, change.what, change.before, change.after, change.reason)
        groups.setdefault(kind, []).append(change.id)
    return groups


class _Moved:
    def __init__(self, change: Change, planned: tuple[int, ...], holds: Holds) -> None:
        self.ids: tuple[int, ...] = ()
        self._change = change
        self._planned = planned
        self._holds = holds

    def __call__(self, view: View) -> Decision:
        change = self._change
        moving = [memory for id_ in self._planned if (memory := view.get(id_)) is not None and self._still(memory)]
        self.ids = tuple(memory.id for memory in moving)
        events: tuple[Event, ...] = ()
        if self.ids:
            fact = MemoryTransitioned(
                ids=self.ids, what=change.what, before=change.before, after=change.after, reason=change.reason
            )
            events = (fact,)
        others = _ended_conflicts(moving) if change.after == "deleted" else ()
        return Decision(outcome="transitioned", subject=None if events else 0, events=events, others=others)

    def _still(self, memory: Memory) -> bool:
        return getattr(memory, self._change.what) == self._change.before and self._holds(memory, self._change)


def _ended_conflicts(gone: Sequence[Memory]) -> tuple[tuple[int, Event], ...]:
    """Each once, though both sides of one may go together."""
    ended: dict[int, tuple[int, Event]] = {}
    for memory in gone:
        for number, one in zip((number for number, _ in memory.conflicts), ended_conflicts(memory), strict=True):
            ended.setdefault(number, one)
    return tuple(ended.values())


async def erase(work: Work, changes: Sequence[Change], holds: Holds) -> dict[str, int]:
    counts: dict[str, int] = {}
    for change, ids in _groups(changes).items():
        for part in chunks(ids, ERASED_AT_ONCE):
            steps = tuple(Step(decide=_erasure(id_, change, holds)) for id_ in part)
            command = Command(namespace=change.namespace, actor=ACTOR, steps=steps, erases=True)
            outcomes = await submitted(work.writer, command)
            counted(counts, change.after, sum(outcome.outcome == "erased" for outcome in outcomes))
            work.advance.done += len(part)
    return counts


def _erasure(id_: int, change: Change, holds: Holds) -> Callable[[View], Decision]:
    def decide(view: View) -> Decision:
        memory = view.get(id_)
        if memory is None or not holds(memory, change):
            return Decision(outcome=UNCHANGED, subject=id_)
        return decided_erasure(memory, "", view.holding(memory), change.reason)

    return decide


async def submitted(writer: Writer, command: Command) -> Outcomes:
    """Wait out a rush: people go first."""
    while True:
        try:
            return await writer.submit(command)
        except Busy:
            await asyncio.sleep(BUSY_PAUSE)
