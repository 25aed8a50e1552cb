"""A whole daemon but its socket, in this process, with a clock that a test can turn."""

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from reveried.app.accesses import Accesses
from reveried.app.commands import Command, Step
from reveried.app.directory import DataDirectory
from reveried.app.opening import open_state
from reveried.app.progress import Progress
from reveried.app.proposing import Proposer
from reveried.app.readers import Readers
from reveried.app.semantics import Semantics
from reveried.app.settings import Settings
from reveried.app.summaries import Summaries
from reveried.app.upkeep import Upkeep
from reveried.app.writer import Writer
from reveried.config.schema import Config
from reveried.domain.decide import Decision
from reveried.domain.events import Event, JobRan
from reveried.domain.memory import Memory
from reveried.embed.choosing import NoEmbedder
from reveried.embed.resolve import Missing
from reveried.jobs.runner import Ran, Runner
from reveried.jobs.work import Advance, Work
from reveried.log import database
from reveried.log.backups import Backups
from reveried.log.sqlite import SqliteLog
from reveried.ports import Embedder
from reveried.state.digest import state_digest
from reveried.state.memories import COLUMNS, from_row
from reveried.state.rebuild import replay
from reveried.summarising.chat import Chat
from unit.domain.histories import stored

DAY = 86_400_000_000
BEGAN = 1_780_000_000_000_000


class Turned:
    def __init__(self) -> None:
        self.time = BEGAN

    def now(self) -> int:
        return self.time

    def pass_days(self, days: float) -> None:
        self.time += round(days * DAY)


class Life:
    def __init__(self, path: Path, clock: Turned, config: Config, embedder: Embedder | None = None) -> None:
        self.clock = clock
        self.directory = DataDirectory(path)
        self.settings = Settings(path / "config.yaml", config)
        self.log = SqliteLog(self.directory.log)
        opened = open_state(self.directory, self.log, lambda _: None)
        self.store, self.vectors = opened.store, opened.vectors
        backups = Backups(self.directory.backups)
        self.progress = Progress(self.log.head, self.store.applied)
        self.writer = Writer(self.log, self.store, clock, self.settings.get, self.progress, backups, self.vectors)
        self.readers = Readers(self.directory.log, self.directory.live, self.directory.archive, self.writer)
        self.accesses = Accesses(self.writer)
        upkeep = Upkeep(self.directory, self.writer, self.readers, backups, clock)
        self.semantics = Semantics(embedder or NoEmbedder(Missing("none")), self.vectors, 0.0, 1_000_000)
        work = Work(
            proposer=Proposer(self.semantics, self.readers, self.settings.get),
            writer=self.writer,
            readers=self.readers,
            upkeep=upkeep,
            backups=backups,
            directory=self.directory,
            semantics=self.semantics,
            summaries=Summaries(Chat(lambda: self.settings.current.summariser, {}), self.settings.get),
            config=config,
            now=0,
            advance=Advance(),
        )
        self.runner = Runner(work, self.settings, clock)

    async def tell(self, *events: Event, subject: int | None = None) -> int:
        decision = Decision(outcome="told", subject=subject, events=events)
        command = Command(namespace="default", actor="tests", steps=(Step(decide=lambda _: decision),))
        (outcome,) = await self.writer.submit(command)
        return outcome.id

    async def remember(self, content: str, **fields: Any) -> int:
        return await self.tell(stored(content, created_at=self.clock.now(), **fields))

    async def run(self, job: str, *, dry_run: bool = False) -> Ran:
        ran = await self.runner.run(job, reason="asked", dry_run=dry_run)
        assert ran is not None
        assert ran.failed == ""
        return ran

    async def memories(self) -> dict[int, Memory]:
        await self.writer.projected(self.log.head)
        pools = (self.readers.live, self.readers.archive)
        rows = [row for pool in pools for row in await pool.fetch(f"SELECT {COLUMNS} FROM memories")]
        return {memory.id: memory for memory in map(from_row, rows)}

    async def events(self, type_: type[Event]) -> list[Any]:
        found = await self.writer.run(lambda: list(self.log.read(0)))
        return [recorded.event for recorded in found if isinstance(recorded.event, type_)]

    async def runs(self) -> list[JobRan]:
        return await self.events(JobRan)

    async def equals_its_replay(self) -> bool:
        # A job that was cut off may have left a command in the queue: a task comes after it, with everything projected.
        await self.writer.run(lambda: None)
        live, archive = database.open_reader(self.directory.live), database.open_reader(self.directory.archive)
        log = database.open_reader(self.directory.log)
        try:
            with tempfile.TemporaryDirectory(dir=self.directory.path) as scratch:
                again = replay(log, Path(scratch, "s.db"), Path(scratch, "a.db")).digest
            return state_digest(live, archive) == again
        finally:
            for db in (live, archive, log):
                db.close()


@asynccontextmanager
async def life(
    path: Path, clock: Turned, config: Config | None = None, embedder: Embedder | None = None
) -> AsyncIterator[Life]:
    living = Life(path, clock, config or Config(), embedder)
    living.writer.start()
    await living.readers.open()
    try:
        yield living
    finally:
        await living.accesses.flush()
        await living.readers.close()
        await living.writer.stop()
        living.vectors.close()
        living.directory.close()
