"""What a command leads to: each step is decided on what is known by now, and its events are staged for the commit."""

from collections import Counter
from collections.abc import Sequence

from reveried.app.commands import Command, Outcome, Outcomes, Step, Submitted, outcome_again, outcome_of
from reveried.domain.events import JobRan, MemoryAccessed, MemoryRecalled, MemoryReviewed, Recorded
from reveried.errors import ReadOnly, Rejected, ReverieError
from reveried.log.sqlite import SqliteLog
from reveried.ports import Clock, NewEvent
from reveried.state.fold import Fold

READ_JUST_NOW = 60_000_000


class Deciding:
    """On the writer's thread alone. `recorded` counts what readers of a namespace have yet to see."""

    def __init__(self, log: SqliteLog, clock: Clock) -> None:
        self._log = log
        self._clock = clock
        self._used_keys: dict[tuple[str, str], Recorded] = {}
        self.erased: list[int] = []
        self.recorded: Counter[str] = Counter()

    def begin(self, batch: Sequence[Submitted], fold: Fold) -> None:
        """The fold is that of the files of the moment: a rebuild puts others in their place."""
        self._fold = fold
        self._used_keys = self._keys_in_the_log(batch)

    def _keys_in_the_log(self, batch: Sequence[Submitted]) -> dict[tuple[str, str], Recorded]:
        """Looked up for the whole batch: nearly always none of them was used before."""
        asked: dict[str, list[str]] = {}
        for submitted in batch:
            command = submitted.command
            asked.setdefault(command.namespace, []).extend(step.key for step in command.steps if step.key is not None)
        return {
            (namespace, key): first
            for namespace, keys in asked.items()
            for key, first in self._log.by_keys(namespace, keys).items()
        }

    def decide(self, command: Command) -> Outcomes | ReverieError:
        try:
            # A key used before, for something else, refuses the whole command before any step of it is staged.
            repeats = [self._again(command, step) for step in command.steps]
            return tuple(
                repeat or self._step(command, step) for step, repeat in zip(command.steps, repeats, strict=True)
            )
        except (Rejected, ReadOnly) as refusal:
            return refusal

    def _again(self, command: Command, step: Step) -> Outcome | None:
        if step.key is None:
            return None
        first = self._used_keys.get((command.namespace, step.key))
        return None if first is None else outcome_again(step, command.namespace, first)

    def _step(self, command: Command, step: Step) -> Outcome:
        decision = step.decide(self._fold)
        others = [NewEvent(command.namespace, command.actor, event, subject) for subject, event in decision.others]
        recorded: list[Recorded] = []
        for event in decision.events:
            # What follows the event that a record begins with is about that record.
            subject = recorded[0].subject if recorded else decision.subject
            new = NewEvent(command.namespace, command.actor, event, subject, None if recorded else step.key)
            recorded += self._erase([new, *others]) if command.erases else [self._record(new)]
        if not command.erases:
            recorded += map(self._record, others)
        if step.key is not None and recorded:
            self._used_keys[command.namespace, step.key] = recorded[0]
        return outcome_of(decision, recorded, self._log.head)

    def _record(self, new: NewEvent) -> Recorded:
        recorded = self._log.stage(new, self._clock.now())
        self._take_in(recorded)
        return recorded

    def _erase(self, erasures: list[NewEvent]) -> list[Recorded]:
        recorded = self._log.erase_all(erasures, self._clock.now())
        for one in recorded:
            self._take_in(one)
        self.erased += [one.subject for one in recorded if one.subject is not None]
        return recorded

    def _take_in(self, recorded: Recorded) -> None:
        if not isinstance(recorded.event, JobRan | MemoryReviewed) and not self._leaves_answers(recorded):
            self.recorded[recorded.namespace] += 1
        self._fold.apply(recorded)

    def _leaves_answers(self, recorded: Recorded) -> bool:
        """Reading something again at once changes neither its state nor, to speak of, how well it is kept."""
        if not isinstance(recorded.event, MemoryRecalled | MemoryAccessed):
            return False
        return all(
            memory is None
            or (memory.state != "stale" and recorded.at - (memory.last_accessed_at or 0) <= READ_JUST_NOW)
            for memory in self._fold.about(recorded)
        )
