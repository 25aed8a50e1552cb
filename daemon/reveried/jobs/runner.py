"""Runs one job at a time and writes down that it did. Whatever goes wrong in a job ends that job, and nothing else."""

import asyncio
import logging

from msgspec import Struct
from msgspec.structs import replace

from reveried.app.commands import Command, Step
from reveried.app.settings import Settings
from reveried.domain.decide import Decision
from reveried.domain.events import JobRan
from reveried.errors import ReverieError
from reveried.jobs.applying import ACTOR, submitted
from reveried.jobs.catalog import job_named
from reveried.jobs.work import Advance, Change, Done, Plan, Work
from reveried.log.reads import EVERYONE
from reveried.log.times import DAY, leap
from reveried.ports import Clock

MINUTE = 60_000_000
_log = logging.getLogger(__name__)


class Ran(Struct, frozen=True, kw_only=True):
    job: str
    changes: list[Change]
    changed: dict[str, int]
    notes: list[str]
    failed: str
    started: int
    finished: int


class Runner:
    def __init__(self, work: Work, settings: Settings, clock: Clock) -> None:
        self._work = work
        self._settings = settings
        self._clock = clock
        self._turn = asyncio.Lock()
        self.running: str | None = None
        self.advance = Advance()
        self.postponed: str | None = None

    def warnings(self) -> list[str]:
        return [self.postponed] if self.postponed else []

    async def run(self, name: str, *, reason: str, scheduled: int | None = None, dry_run: bool = False) -> Ran | None:
        """None when this minute has been run before."""
        job_named(name)
        async with self._turn:
            if scheduled is not None and await self._has_run(name, scheduled):
                return None
            self.running, self.advance = name, Advance()
            try:
                return await self._run(name, reason, scheduled, dry_run)
            finally:
                self.running = None

    async def _has_run(self, name: str, scheduled: int) -> bool:
        writer, key = self._work.writer, _key(name, scheduled)
        return await writer.run(lambda: writer.log.by_key(EVERYONE, key)) is not None

    async def _run(self, name: str, reason: str, scheduled: int | None, dry_run: bool) -> Ran:
        started = self._clock.now()
        plan, done, failed = Plan(), Done(), ""
        try:
            work = await self._prepared(started)
            plan = await job_named(name).plan(work)
            work.advance.total = len(plan.changes)
            done = Done() if dry_run else await job_named(name).carry_out(work, plan)
        except Exception as error:  # noqa: BLE001 (a job that fails must not end the scheduler; it is written down)
            failed = error.message if isinstance(error, ReverieError) else f"{type(error).__name__}: {error}"
            _log.error("job %s failed: %s", name, failed, exc_info=not isinstance(error, ReverieError))
        ran = Ran(
            job=name,
            changes=plan.changes,
            changed=done.changed,
            notes=plan.notes if dry_run or failed else done.notes,
            failed=failed,
            started=started,
            finished=self._clock.now(),
        )
        if not dry_run:
            await self._record(ran, reason, scheduled)
        return ran

    async def _prepared(self, now: int) -> Work:
        """Everything written so far can be read, and the clock has been doubted."""
        work, config = self._work, self._settings.current
        await work.writer.projected(work.writer.log.head)
        silence = await leap(work.readers.log, now, round(config.jobs.jump_days * DAY))
        self.postponed = None
        if silence is not None:
            self.postponed = (
                f"nothing is deleted or purged for a day: the log was silent for {silence // DAY} days, "
                "and the clock may be wrong"
            )
        return replace(work, now=now, config=config, advance=self.advance, postponed=self.postponed)

    async def _record(self, ran: Ran, reason: str, scheduled: int | None) -> None:
        fact = JobRan(
            job=ran.job,
            scheduled=scheduled,
            started=ran.started,
            finished=ran.finished,
            reason=reason,
            changed=ran.changed,
            notes=tuple(ran.notes),
            failed=ran.failed,
        )
        key = None if scheduled is None else _key(ran.job, scheduled)
        step = Step(decide=lambda _: Decision(outcome="ran", events=(fact,)), key=key)
        try:
            await submitted(self._work.writer, Command(namespace=EVERYONE, actor=ACTOR, steps=(step,)))
        except ReverieError as error:
            _log.warning("that job %s ran was not recorded: %s", ran.job, error.message)


def _key(job: str, scheduled: int) -> str:
    return f"job:{job}:{scheduled // MINUTE}"
