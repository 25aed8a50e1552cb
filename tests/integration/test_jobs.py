"""Jobs of a real daemon: killed inside, and finished by the next."""

from pathlib import Path

import pytest

from job_crash import JOBS, JobCrashes

POINTS = 5


@pytest.mark.parametrize("job", JOBS)
async def test_a_job_killed_anywhere_leaves_a_state_equal_to_its_replay_and_the_next_run_completes_it(
    tmp_path: Path, job: str
) -> None:
    crashes = JobCrashes(tmp_path, job, seed=5)
    for _ in range(POINTS):
        await crashes.point()
    assert crashes.inside > 0
