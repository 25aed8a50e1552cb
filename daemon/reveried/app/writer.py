"""The one writer. Whatever is queued is decided in order, made durable with one fsync, acknowledged, then projected.

It runs on a thread of its own and owns every read-write connection. Projection follows behind the acknowledgement:
it waits while commands keep coming (up to `max_lag` events) and happens at once when a reader asks for it.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from reveried.app.commands import Command, Outcomes, Submitted
from reveried.app.deciding import Deciding
from reveried.app.progress import Progress
from reveried.app.waiting import Stop, Task, Waiting, groups
from reveried.config.schema import Config
from reveried.errors import Busy, LogDamaged, ReadOnly, ReverieError, ShuttingDown, StorageFailed, StorageFull
from reveried.log import database
from reveried.log.backups import Backups
from reveried.log.sqlite import SqliteLog
from reveried.ports import Clock
from reveried.state.projection import Change
from reveried.state.store import StateStore
from reveried.state.vectors import VectorStore

T = TypeVar("T")
# Projecting a few events costs more than their fsync. Waiting this long for the next command before starting keeps a
# busy client's stores from queueing behind it; nobody waits for the pause itself, since a reader asks explicitly.
LINGER = 0.002
FULL_DISK_RETRY = 0.5

Answer = tuple[Submitted, Outcomes | ReverieError]


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
        self._queue = Waiting()
        self._deciding = Deciding(log, clock)
        self._backups = backups
        self._vectors = vectors
        self._accepting = True
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
        return len(self._queue)

    def submit(self, command: Command) -> "asyncio.Future[Outcomes]":
        if not self._accepting:
            raise ShuttingDown("the daemon is stopping", hint="try again in a moment")
        if self.read_only:
            raise ReadOnly(f"nothing can be written: {self.read_only}", hint="restore log.db from a backup")
        if len(self._queue) >= self._config().server.max_queue:
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
        pause = FULL_DISK_RETRY if self.stalled else LINGER
        items = self._queue.take(pause if self.store.lag else None)
        if not items:
            self._flush()
            return True
        batch: list[Submitted] = []
        tasks: list[Task] = []
        going_on = True
        for item in items:
            match item:
                case Submitted():
                    batch.append(item)
                case Task():
                    tasks.append(item)
                case Stop():
                    going_on = False
        if self.stalled and time.monotonic() >= self._look_again_at:
            self._flush()  # not only when it is quiet: a client that keeps asking must not keep the disk "full"
        for group in groups(batch):
            self._write(group)
        if tasks or self.store.lag >= self._config().storage.max_lag:
            self._flush()
        for task in tasks:
            self._perform(task)
        return going_on

    def _write(self, batch: list[Submitted]) -> None:
        answers: list[Answer] = []
        self._deciding.erased.clear()
        try:
            self._prepare(batch)
            self._deciding.begin(batch, self.store.fold)
            answers.extend((submitted, self._deciding.decide(submitted.command)) for submitted in batch)
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
        self.store.forget(self.log.take_erased())
        self._flush()
        everywhere = self._backups.finish_erasures(self.log, self._clock.now())
        everywhere &= self._vectors.erase(self._deciding.erased)
        if everywhere and self.store.scrubbed and not self.stalled:
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

    def _flush(self) -> None:
        changes = self.store.fold.live_changes(), self.store.fold.archive_changes()
        try:
            applied = self._flushed(changes)
            # Counted when they can be seen and not before: an answer of older tables must not pass for a newer one.
            self._changes.update(self._deciding.recorded)
            self._deciding.recorded.clear()
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


def _settle(future: "asyncio.Future[Any]", result: Any, error: ReverieError | None) -> None:
    if future.done():  # the client went away in the meantime
        return
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(result)
