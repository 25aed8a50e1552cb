"""Jobs start in their minute, in the user's own time: never twice, and once for all that was missed."""

import asyncio
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from reveried.config.schedules import JobsPolicy, schedules
from reveried.jobs.catalog import JOBS, job_named
from reveried.jobs.scheduler import Scheduler
from reveried.jobs.times import latest_run, next_run

BERLIN = ZoneInfo("Europe/Berlin")
MINUTE = 60_000_000
HOUR = 60 * MINUTE
ONLY_DECAY = dict.fromkeys(set(JOBS) - {"decay"}, "never")


def micros(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp()) * 1_000_000


class Turned:
    def __init__(self, text: str) -> None:
        self.time = micros(text)

    def now(self) -> int:
        return self.time


class Table:
    """Notes what a scheduler starts."""

    def __init__(self, clock: Turned, schedule: str, zone: ZoneInfo = BERLIN) -> None:
        self.clock = clock
        self.policy = JobsPolicy(decay=schedule, **ONLY_DECAY)
        self.started: list[tuple[str, int]] = []
        self.ran = asyncio.Event()
        self.scheduler = Scheduler(self._run, clock, lambda: self.policy, zone)

    async def _run(self, name: str, *, reason: str, scheduled: int) -> None:
        self.started.append((reason, scheduled))
        self.ran.set()

    async def live(self, minutes: int) -> None:
        for _ in range(minutes):
            await self.scheduler.turn()
            self.clock.time += MINUTE


def test_every_job_has_a_schedule_and_a_module() -> None:
    assert list(schedules(JobsPolicy())) == list(JOBS)
    assert all(job_named(name) for name in JOBS)


async def test_a_job_starts_in_each_of_its_minutes_and_in_no_other() -> None:
    table = Table(Turned("2026-06-01T09:59:30+02:00"), "*/30 * * * *")
    await table.live(91)
    due = ["2026-06-01T10:00+02:00", "2026-06-01T10:30+02:00", "2026-06-01T11:00+02:00", "2026-06-01T11:30+02:00"]
    assert table.started == [("schedule", micros(text)) for text in due[: len(table.started)]]
    assert len(table.started) >= 3


@pytest.mark.parametrize("schedule", ["30 2 * * *", "*/30 * * * *", "15 * * * *"])
async def test_setting_the_clocks_back_runs_no_minute_of_the_clock_twice(schedule: str) -> None:
    table = Table(Turned("2026-10-25T00:50:00+02:00"), schedule)
    await table.live(5 * 60)
    shown = [datetime.fromtimestamp(moment / 1_000_000, BERLIN).strftime("%H:%M") for _, moment in table.started]
    assert shown
    assert len(shown) == len(set(shown))


async def test_setting_the_clocks_forward_skips_no_daily_run() -> None:
    table = Table(Turned("2026-03-29T00:30:00+01:00"), "30 2 * * *")
    await table.live(4 * 60)
    assert len(table.started) == 1


@pytest.mark.parametrize("schedule", ["*/30 * * * *", "15 * * * *", "0 2,3 * * *", "30 2 * * *"])
async def test_setting_the_clocks_forward_runs_no_moment_twice(schedule: str) -> None:
    table = Table(Turned("2026-03-28T23:50:00+01:00"), schedule)
    await table.live(6 * 60)
    moments = [moment for _, moment in table.started]
    assert moments
    assert len(moments) == len(set(moments))


async def test_a_changed_schedule_wakes_a_sleeping_scheduler() -> None:
    table = Table(Turned("2026-06-10T09:02:30+02:00"), "0 4 * * *")
    table.scheduler.begin({"decay": micros("2026-06-10T09:00+02:00")}, None)
    keeping = asyncio.ensure_future(table.scheduler.keep())
    await asyncio.sleep(0)  # it has looked once, and sleeps for a minute
    assert table.started == []
    table.policy = JobsPolicy(decay="2 9 * * *", **ONLY_DECAY)
    table.scheduler.wake()
    await asyncio.wait_for(table.ran.wait(), 1)
    assert table.started == [("schedule", micros("2026-06-10T09:02+02:00"))]
    keeping.cancel()


async def test_missed_runs_are_made_up_once() -> None:
    table = Table(Turned("2026-06-10T09:07:00+02:00"), "*/30 * * * *")
    table.scheduler.begin({"decay": micros("2026-06-01T10:00+02:00")}, None)
    await table.live(10)
    assert table.started == [("missed", micros("2026-06-10T09:00+02:00"))]


async def test_a_job_that_never_ran_is_made_up_for_the_time_since_the_log_began() -> None:
    table = Table(Turned("2026-06-10T09:07:00+02:00"), "0 4 * * *")
    table.scheduler.begin({}, micros("2026-06-09T22:00+02:00"))
    await table.live(3)
    assert table.started == [("missed", micros("2026-06-10T04:00+02:00"))]


async def test_a_clock_set_back_does_not_stop_a_job_for_years() -> None:
    table = Table(Turned("2026-06-10T09:01:00+02:00"), "*/30 * * * *")
    table.scheduler.begin({"decay": micros("2036-06-10T09:00+02:00")}, None)
    await table.live(61)
    assert len(table.started) == 2


async def test_a_changed_schedule_holds_from_the_next_turn() -> None:
    table = Table(Turned("2026-06-10T09:01:00+02:00"), "0 4 * * *")
    pause = await table.scheduler.turn()
    assert pause == 60.0
    table.policy = JobsPolicy(decay="2 9 * * *", **ONLY_DECAY)
    assert 0 < await table.scheduler.turn() <= 60.0
    assert table.scheduler.coming() == {"decay": micros("2026-06-10T09:02+02:00")}
    await table.live(3)
    assert table.started == [("schedule", micros("2026-06-10T09:02+02:00"))]


def test_the_latest_minute_is_none_before_the_first() -> None:
    now = micros("2026-06-10T09:01:00+02:00")
    assert latest_run("0 4 * * *", now - HOUR, now, BERLIN) is None
    assert next_run("0 4 * * *", now, BERLIN) == micros("2026-06-11T04:00+02:00")
