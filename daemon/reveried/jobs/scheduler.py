"""Starts each job when its minute has come, and once for all the minutes that were missed."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import tzinfo
from typing import Protocol

from reveried.config.schedules import JobsPolicy, schedules
from reveried.ports import Clock

SECOND = 1_000_000
# A timer stands still while the machine sleeps; looking at the clock this often notices.
LONGEST_NAP = 60.0
LATE = 90 * SECOND
VERY_LATE = 3_600 * SECOND


class Run(Protocol):
    def __call__(self, name: str, *, reason: str, scheduled: int) -> Awaitable[object]: ...


class Scheduler:
    def __init__(self, run: Run, clock: Clock, policy: Callable[[], JobsPolicy], zone: tzinfo | None = None) -> None:
        self._run = run
        self._clock = clock
        self._policy = policy
        self._zone = zone
        self._since: dict[str, int] = {}
        self._woken = asyncio.Event()
        self._began = clock.now()

    def begin(self, last: dict[str, int], otherwise: int | None) -> None:
        """What has been run before; a job that never ran is looked for since the log began."""
        self._since = dict(last)
        self._began = self._began if otherwise is None else otherwise

    def wake(self) -> None:
        """The schedules may have changed."""
        self._woken.set()

    async def keep(self) -> None:
        while True:
            self._woken.clear()
            pause = await self.turn()
            try:
                await asyncio.wait_for(self._woken.wait(), pause)
            except TimeoutError:
                continue

    async def turn(self) -> float:
        """Run what is due, then say how many seconds there is nothing to do."""
        from reveried.jobs.times import latest_run  # here, not above: cron's rules are slow to load

        for name, schedule in schedules(self._policy()).items():
            now = self._clock.now()
            minute = latest_run(schedule, self._since_of(name), now, self._zone)
            if minute is not None:
                self._since[name] = minute
                await self._run(name, reason="missed" if now - minute > LATE else "schedule", scheduled=minute)
        coming = [moment - self._clock.now() for moment in self.coming().values()]
        return min([max(moment / SECOND, 0.01) for moment in coming] + [LONGEST_NAP])

    def coming(self) -> dict[str, int]:
        """The next minute of every job that runs by itself."""
        from reveried.jobs.times import next_run

        now = self._clock.now()
        return {name: next_run(schedule, now, self._zone) for name, schedule in schedules(self._policy()).items()}

    def late(self) -> list[str]:
        """Jobs whose minute came a while ago and was not run: the one before them may take long, or it is stuck."""
        from reveried.jobs.times import latest_run

        now, found = self._clock.now(), []
        for name, schedule in schedules(self._policy()).items():
            minute = latest_run(schedule, self._since_of(name), now, self._zone)
            if minute is not None and now - minute > VERY_LATE:
                found.append(name)
        return found

    def _since_of(self, name: str) -> int:
        since = self._since.setdefault(name, self._began)
        if since > self._clock.now():
            # A clock set back must not leave a job waiting for a time that is years away.
            since = self._since[name] = self._clock.now()
        return since
