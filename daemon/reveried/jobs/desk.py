"""What callers may ask about jobs: when they ran and will run, and to run one now or only say what it would do."""

from collections.abc import Callable

from reverie.protocol.requests import Jobs, Run
from reverie.protocol.results import JobChange, JobsReport, JobStatus, RunReport
from reveried.app.commands import Caller
from reveried.app.readers import Readers
from reveried.app.views import fitting
from reveried.config.schedules import NEVER, JobsPolicy
from reveried.errors import Internal, InvalidField
from reveried.jobs.catalog import JOBS
from reveried.jobs.runner import Ran, Runner
from reveried.jobs.scheduler import Scheduler
from reveried.state.jobs import LastRun, last_runs

MOST_CHANGES = 5_000


class Desk:
    def __init__(
        self, runner: Runner, scheduler: Scheduler, readers: Readers, policy: Callable[[], JobsPolicy]
    ) -> None:
        self._runner = runner
        self._scheduler = scheduler
        self._readers = readers
        self._policy = policy

    async def jobs(self, request: Jobs, caller: Caller) -> JobsReport:
        await self._readers.up_to_date(caller)
        last, coming = await last_runs(self._readers.live), self._scheduler.coming()
        return JobsReport(jobs=[self._status(name, last.get(name), coming.get(name)) for name in JOBS])

    def _status(self, name: str, last: LastRun | None, coming: int | None) -> JobStatus:
        status = JobStatus(
            job=name,
            summary=JOBS[name],
            schedule=getattr(self._policy(), name, NEVER),
            running=self._runner.running == name,
            next_run=coming,
        )
        if status.running:
            status.done, status.total = self._runner.advance.done, self._runner.advance.total
        if last is not None:
            status.started, status.finished, status.reason = last.started, last.finished, last.reason
            status.changed, status.notes, status.failed = last.changed, last.notes, last.failed
        return status

    async def troubles(self) -> list[str]:
        """Jobs that failed when they last ran, or that should have run by now and did not."""
        last, late = await last_runs(self._readers.live), self._scheduler.late()
        failed = [f"{name} failed: {run.failed}" for name, run in last.items() if run.failed and name in JOBS]
        return failed + [f"{name} is late" for name in late if name != self._runner.running]

    async def run(self, request: Run, caller: Caller) -> RunReport:
        if not 0 <= request.limit <= MOST_CHANGES:
            raise InvalidField(f"limit is {request.limit}; it must be 0 to {MOST_CHANGES}", field="limit")
        ran = await self._runner.run(request.job, reason="asked", dry_run=request.dry_run)
        if ran is None:
            raise Internal("a run that was asked for has no minute that could have been run before")
        return _report(ran, request)


def _report(ran: Ran, request: Run) -> RunReport:
    listed = [
        JobChange(
            id=change.id,
            namespace=change.namespace,
            what=change.what,
            before=change.before,
            after=change.after,
            reason=change.reason,
        )
        for change in ran.changes[: request.limit]
    ]
    return RunReport(
        job=ran.job,
        dry_run=request.dry_run,
        total=len(ran.changes),
        changes=fitting(listed),
        changed=ran.changed,
        notes=ran.notes,
        failed=ran.failed,
        seconds=(ran.finished - ran.started) / 1_000_000,
    )
