"""Kills inside each job, at moments that only chance chooses: ten of them, or fifty with PROVE=full."""

from collections.abc import Callable
from pathlib import Path

import pytest

from job_crash import JOBS, JobCrashes

POINTS, FULL_POINTS = 10, 50


@pytest.mark.parametrize("job", JOBS)
async def test_kills_inside_a_job_leave_a_state_equal_to_its_replay_and_the_next_run_completes_it(
    tmp_path: Path, job: str, full: bool, record_proof: Callable[[str, str], None]
) -> None:
    points = FULL_POINTS if full else POINTS
    crashes = JobCrashes(tmp_path, job, seed=50)
    for _ in range(points):
        await crashes.point()
    assert crashes.inside > points // 5
    record_proof(f"kills inside {job}", crashes.summary())
