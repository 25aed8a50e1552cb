"""The one writer. Whatever is queued is decided in order, made durable with one fsync, acknowledged, then projected.

It runs on a thread of its own and owns every read-write connection. Projection follows behind the acknowledgement:
it waits while commands keep coming (up to `max_lag` events) and happens at once when a reader asks for it.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from msgspec import Struct

from reveried.app.commands import Command, Outcome, Outcomes, Step, Submitted, outcome_again, outcome_of
from reveried.app.progress import Progress
from reveried.config.schema import Config
from reveried.domain.events import JobRan, MemoryAccessed, MemoryRecalled, MemoryReviewed, Recorded
from reveried.domain.evolving import concerns
from reveried.errors import Busy, LogDamaged, ReadOnly, Rejected, ReverieError, ShuttingDown, StorageFailed, StorageFull
from reveried.log import database
from reveried.log.backups import Backups
from reveried.log.sqlite import SqliteLog
from reveried.ports import Clock, NewEvent
from reveried.state.projection import Change
from reveried.state.store import StateStore
from reveried.state.vectors import VectorStore

T = TypeVar("T")
BATCH = 1_000
# Projecting a few events costs more than their fsync. Waiting this long for the next command before starting keeps a
# busy client's stores from queueing behind it; nobody waits for the pause itself, since a reader asks explicitly.
LINGER = 0.002
FULL_DISK_RETRY = 0.5
READ_JUST_NOW = 60_000_000


class Task(Struct, frozen=True):
    """Something to run on the writer's thread, between two batches, with every event projected."""

    run: Callable[[], Any]
    done: "asyncio.Future[Any]"


Answer = tuple[Submitted, Outcomes | ReverieError]


class Stop(Struct, frozen=True):
    pass


class Writer:
    def __init__(
        self,
        log: SqliteLog,
        store: StateStore,
        clock: Clock,
        config: Callable[[], Config],
        progress: Progress,
        backups: Backups,
        vectors: VectorStore,
    ) -> None:
        self.log = log
        self.store = store
        self._clock = clock
        self._config = config
        self._progress = progress
        self._loop = asyncio.get_running_loop()
        self._queue: SimpleQueue[Submitted | Task | Stop] = SimpleQueue()
        self._used_keys: dict[tuple[str, str], Recorded] = {}
        self._erased: list[int] = []
        self._backups = backups
        self._vectors = vectors
        self._accepting = True
        self._recorded: Counter[str] = Counter()
        self._changes: Counter[str] = Counter()
        self.read_only: str | None = None
        self.stalled: str | None = None
        self.full: str | None = None  # why the last batch found no room in the log, until one does
        self.damaged: Callable[[ReverieError], None] = lambda _: None
        # Told of every change of the live file and of the archive when it can be read, before anybody else is.
        self.changed: Callable[[Sequence[Change], Sequence[Change]], None] = lambda live, archive: None
        self._look_again_at = 0.0

    # ── called on the event loop ────────────────────────────────────────────────────────────────────────────────

    def start(self) -> "asyncio.Future[None]":
        """Begin. The future ends with the writer: normally after `stop`, or with what made it give up."""
        self.finished = self._loop.run_in_executor(ThreadPoolExecutor(1, "writer"), self._run)
        return self.finished

    @property
    def waiting(self) -> int:
        return self._queue.qsize()

    def submit(self, command: Command) -> "asyncio.Future[Outcomes]":
        if not self._accepting:
            raise ShuttingDown("the daemon is stopping", hint="try again in a moment")
        if self.read_only:
            raise ReadOnly(f"nothing can be written: {self.read_only}", hint="restore log.db from a backup")
        if self._queue.qsize() >= self._config().server.max_queue:
            raise Busy("too many commands are waiting", hint="try again in a moment")
        done: asyncio.Future[Outcomes] = self._loop.create_future()
        self._queue.put(Submitted(command, done))
        return done

    async def run(self, function: Callable[[], T]) -> T:
        """Run a function on the writer's thread, alone, with everything up to now projected."""
        done: asyncio.Future[T] = self._loop.create_future()
        self._queue.put(Task(function, done))
        return await done

    def changes(self, namespace: str) -> int:
        """How many changes readers can see: equal numbers, equal answers."""
        return self._changes[namespace]

    async def projected(self, seq: int) -> None:
        """Wait until readers can see event `seq`."""
        if self._progress.applied < seq:
            await self.run(lambda: None)

    async def stop(self) -> None:
        """Finish what was accepted, project it, and leave clean files behind."""
        self._accepting = False
        self._queue.put(Stop())
        await self.finished

    # ── called on the writer's thread ───────────────────────────────────────────────────────────────────────────

    def _run(self) -> None:
        while self._turn():
            pass
        self._flush()
        self.store.close()
        self.log.close()

    def _turn(self) -> bool:
        first = self._next()
        if first is None:
            self._flush()
            return True
        batch: list[Submitted] = []
        tasks: list[Task] = []
        going_on = True
        for item in self._drained(first):
            match item:
                case Submitted():
                    batch.append(item)
                case Task():
                    tasks.append(item)
                case Stop():
                    going_on = False
        if self.stalled and time.monotonic() >= self._look_again_at:
            self._flush()  # not only when it is quiet: a client that keeps asking must not keep the disk "full"
        for group in _groups(batch):
            self._write(group)
        if tasks or self.store.lag >= self._config().storage.max_lag:
            self._flush()
        for task in tasks:
            self._perform(task)
        return going_on

    def _next(self) -> Submitted | Task | Stop | None:
        try:
            pause = FULL_DISK_RETRY if self.stalled else LINGER
            return self._queue.get(timeout=pause if self.store.lag else None)
        except Empty:
            return None

    def _drained(self, first: Submitted | Task | Stop) -> list[Submitted | Task | Stop]:
        items = [first]
        try:
            while len(items) < BATCH:
                items.append(self._queue.get_nowait())
        except Empty:
            pass
        return items

    def _write(self, batch: list[Submitted]) -> None:
        answers: list[Answer] = []
        self._erased.clear()
        try:
            self._prepare(batch)
            self._used_keys = self._keys_in_the_log(batch)
            answers.extend((submitted, self._decide(submitted.command)) for submitted in batch)
            self._commit()
        except StorageFull as full:
            self.store.reload(self.log)
            answers = [(submitted, full) for submitted in batch]
        except LogDamaged as damage:
            answers = [(submitted, self._only_read(damage)) for submitted in batch]
        except StorageFailed as failed:
            self._answer([(submitted, failed) for submitted in batch])
            raise
        if batch[0].command.erases:
            answers = self._finish_erasure(answers)
        self._answer(answers)
        storage = self._config().storage
        self.log.checkpoint_if_large(storage.checkpoint_pages, storage.wal_limit_bytes)

    def _commit(self) -> None:
        try:
            self.log.commit()
            self.full = None
        except StorageFull as full:
            self.full = full.message
            raise

    def _only_read(self, damage: LogDamaged) -> ReverieError:
        """Nothing more is added to a log that cannot be read; what it still tells stays readable."""
        self.read_only = damage.message
        self.log.discard()
        with suppress(LogDamaged):
            self.store.reload(self.log)
        self._loop.call_soon_threadsafe(self.damaged, damage)
        return ReadOnly(f"nothing can be written: {damage.message}", hint="restore log.db from a backup")

    def _finish_erasure(self, answers: list[Answer]) -> list[Answer]:
        """An erasure is acknowledged when the words are gone from every file, and not a moment sooner."""
        self._flush()
        everywhere = self._backups.finish_erasures(self.log, self._clock.now())
        everywhere &= self._vectors.erase(self._erased)
        if everywhere and self.log.scrub() and self.store.scrubbed and not self.stalled:
            return answers
        unfinished = StorageFull(
            "erased from the log, but not yet from every file", hint="it follows by itself: see `reverie status`"
        )
        return [(submitted, unfinished if isinstance(answer, tuple) else answer) for submitted, answer in answers]

    def _prepare(self, batch: list[Submitted]) -> None:
        if batch[0].command.erases:
            self._backups.begin_erasure()
            return
        free = database.free_space(self.log.path.parent)
        if self.stalled or free < self._config().storage.min_free_bytes:
            raise StorageFull(
                f"only {free // 1_000_000} MB are free on the disk; nothing was stored",
                hint="free some space (or lower storage.min_free); reading goes on, and writing resumes by itself",
            )

    def _keys_in_the_log(self, batch: list[Submitted]) -> dict[tuple[str, str], Recorded]:
        """Looked up for the whole batch: nearly always none of them was used before."""
        asked: dict[str, list[str]] = {}
        for submitted in batch:
            command = submitted.command
            asked.setdefault(command.namespace, []).extend(step.key for step in command.steps if step.key is not None)
        return {
            (namespace, key): first
            for namespace, keys in asked.items()
            for key, first in self.log.by_keys(namespace, keys).items()
        }

    def _decide(self, command: Command) -> Outcomes | ReverieError:
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
        decision = step.decide(self.store.fold)
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
        return outcome_of(decision, recorded, self.log.head)

    def _record(self, new: NewEvent) -> Recorded:
        recorded = self.log.stage(new, self._clock.now())
        self._take_in(recorded)
        return recorded

    def _erase(self, erasures: list[NewEvent]) -> list[Recorded]:
        recorded = self.log.erase_all(erasures, self._clock.now())
        for one in recorded:
            self._take_in(one)
        self._erased += [one.subject for one in recorded if one.subject is not None]
        return recorded

    def _take_in(self, recorded: Recorded) -> None:
        if not isinstance(recorded.event, JobRan | MemoryReviewed) and not self._leaves_answers(recorded):
            self._recorded[recorded.namespace] += 1
        self.store.fold.apply(recorded)

    def _leaves_answers(self, recorded: Recorded) -> bool:
        """Reading something again at once changes neither its state nor, to speak of, how well it is kept."""
        if not isinstance(recorded.event, MemoryRecalled | MemoryAccessed):
            return False
        return all(
            memory is None
            or (memory.state != "stale" and recorded.at - (memory.last_accessed_at or 0) <= READ_JUST_NOW)
            for memory in map(self.store.fold.get, concerns(recorded))
        )

    def _flush(self) -> None:
        changes = self.store.fold.live_changes(), self.store.fold.archive_changes()
        try:
            applied = self._flushed(changes)
            # Counted when they can be seen and not before: an answer of older tables must not pass for a newer one.
            self._changes.update(self._recorded)
            self._recorded.clear()
            self.stalled = None
        except StorageFull as full:
            self.stalled = full.message
            self._look_again_at = time.monotonic() + FULL_DISK_RETRY
            self.store.reload(self.log)
            return
        storage = self._config().storage
        self.store.checkpoint_if_large(storage.checkpoint_pages, storage.wal_limit_bytes)
        self._loop.call_soon_threadsafe(self._progress.advance, self.log.head, applied)

    def _flushed(self, changes: tuple[Sequence[Change], Sequence[Change]]) -> int:
        try:
            return self.store.flush()
        finally:  # one of the two files may have been written before the other could not be
            self.changed(*changes)

    def _perform(self, task: Task) -> None:
        try:
            result = task.run()
        except ReverieError as error:
            self._loop.call_soon_threadsafe(_settle, task.done, None, error)
            return
        self._loop.call_soon_threadsafe(_settle, task.done, result, None)

    def _answer(self, answers: list[Answer]) -> None:
        self._loop.call_soon_threadsafe(self._deliver, answers, self.log.head)

    def _deliver(self, answers: list[Answer], head: int) -> None:
        self._progress.advance(head, self._progress.applied)
        for submitted, answer in answers:
            if isinstance(answer, ReverieError):
                _settle(submitted.done, None, answer)
            else:
                _settle(submitted.done, answer, None)


def _groups(batch: list[Submitted]) -> Iterator[list[Submitted]]:
    """The batch in order; an erasure stands alone, for it commits by itself."""
    group: list[Submitted] = []
    for submitted in batch:
        if submitted.command.erases:
            if group:
                yield group
            yield [submitted]
            group = []
        else:
            group.append(submitted)
    if group:
        yield group


def _settle(future: "asyncio.Future[Any]", result: Any, error: ReverieError | None) -> None:
    if future.done():  # the client went away in the meantime
        return
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(result)
