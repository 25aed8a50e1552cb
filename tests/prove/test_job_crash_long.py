"""Fifty kills inside each job, at moments that only chance chooses."""

from collections.abc import Callable
from pathlib import Path

import pytest

from job_crash import JOBS, JobCrashes

POINTS = 50


@pytest.mark.parametrize("job", JOBS)
async def test_fifty_kills_inside_a_job_leave_a_state_equal_to_its_replay_and_the_next_run_completes_it(
    tmp_path: Path, job: str, say: Callable[[str], None]
) -> None:
    crashes = JobCrashes(tmp_path, job, seed=50)
    for _ in range(POINTS):
        await crashes.point()
    assert crashes.inside > POINTS // 4
    say(crashes.summary())
