"""Jobs of a real daemon: killed and finished, made up for, rescheduled; and the archive that they fill."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import reverie
from job_crash import CONFIG, DELETED, JOBS, LIMIT, MEMORIES, JobCrashes, lived_in
from logfile import rows
from reverie.protocol.results import JobStatus
from running import QUIET, RunningDaemon

Start = Callable[..., RunningDaemon]
POINTS, MORE = 2, 15
# Those that write most are killed more often in the long proofs, where time is no matter.
FEWER = {"sleep": 1, "consolidate": 1}


# A copy and a tidying change no memory: they are killed in the long proofs alone.
@pytest.mark.parametrize("job", [job for job in JOBS if job not in ("snapshot", "maintain")])
async def test_a_job_killed_anywhere_leaves_a_state_equal_to_its_replay_and_the_next_run_completes_it(
    tmp_path: Path, job: str
) -> None:
    crashes = JobCrashes(tmp_path, job, seed=5)
    for _ in range(FEWER.get(job, POINTS)):
        await crashes.point()
    for _ in range(MORE):  # a kill that came too late for the job says little
        if crashes.inside:
            break
        await crashes.point()
    assert crashes.inside > 0


def test_what_pruning_archived_is_found_in_the_archive_and_comes_back_whole(start: Start, tmp_path: Path) -> None:
    lived_in(tmp_path)
    daemon = start(config=CONFIG)
    with daemon.client() as client:
        before = client.status().memories
        size = (daemon.data / "state.db").stat().st_size
        named = {change.id for change in client.run("prune", dry_run=True, limit=5000).changes}
        assert client.run("prune").changed["archived"] == len(named)
        after = client.status().memories
        assert after["archived"] == len(named) > 0
        assert sum(after.values()) == sum(before.values()) == MEMORIES
        assert (daemon.data / "state.db").stat().st_size <= LIMIT < size
        one = max(named)
        query = f"lasting memory {one - 1}"
        assert one not in found(client, query)
        assert one in found(client, query, include_archived=True)
        assert found(client, query, only_archived=True)[0] == one
        assert set(found(client, query, only_archived=True, limit=50)) <= named
        client.restore(one)
        assert found(client, query)[0] == one
        assert client.get(one).state == "active"
        assert one not in found(client, query, only_archived=True)
        assert client.run("prune").changed == {}
        report = client.verify()
        assert (report.problems, report.live_digest) == ([], report.replayed_digest)


def found(client: reverie.Client, query: str, **how: object) -> list[int]:
    return [memory.id for memory in client.recall(query, **how).memories]  # type: ignore[arg-type]


def test_tags_come_back_with_what_was_archived(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        id_ = client.store("the spare key hangs behind the clock", tags=["house"]).id
        client.archive(id_)
        assert found(client, "spare key", tags=["house"]) == []
        assert found(client, "spare key", tags=["house"], only_archived=True) == [id_]
        client.restore(id_)
        assert found(client, "spare key", tags=["house"]) == [id_]


def test_an_explained_recall_says_what_becomes_of_a_memory(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        id_ = client.store("the ferry leaves at noon", kind="plan").id
        (plain,) = client.recall("ferry").memories
        (explained,) = client.recall("ferry", explain=True).memories
        assert (plain.stability_days, plain.next_transition) == (None, None)
        coming = explained.next_transition
        assert coming is not None
        assert (coming.state, coming.reason) == ("stale", "retention_below_stale")
        assert 0.99 < explained.signals["retention"] <= 1
        # 60 days of stability, and stale after 1.204 of them.
        days = (coming.at - client.get(id_).stored_at) / 86_400_000_000  # type: ignore[operator]
        assert 72.2 <= days <= 130
        assert explained.stability_days >= 60  # type: ignore[operator]


def test_a_curve_marks_every_access(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        id_ = client.store("the ferry leaves at noon").id
        other = client.store("a boat of another colour").id
        client.get(id_)
        client.recall("ferry")
        client.get(other)
        client.reinforce(id_)
        wait_until(lambda: client.curve(id_).access_count == 2)
        curve = client.curve(id_)
        assert [mark.what for mark in curve.marks].count("accessed") == 2
        assert {"stored", "reinforced", "now"} <= {mark.what for mark in curve.marks}
        assert curve.start_at == client.get(id_).stored_at
        assert client.curve(id_).access_count in (2, 3)


def wait_until(holds: Callable[[], bool], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline


def decay(client: reverie.Client) -> JobStatus:
    return next(job for job in client.jobs().jobs if job.job == "decay")


def test_a_missed_run_is_made_up_once(start: Start, tmp_path: Path) -> None:
    lived_in(tmp_path)
    daemon = start(config=CONFIG + QUIET["jobs"].replace("decay: never", "decay: '0 0 1 * *'"))
    with daemon.client() as client:
        wait_until(lambda: decay(client).finished is not None)
        assert decay(client).reason == "missed"
    for _ in range(2):
        daemon.stop()
        daemon.start()
        with daemon.client() as client:
            assert decay(client).finished is not None
    assert len(rows(daemon.data, "SELECT seq FROM events WHERE type = 'job.ran'")) == 1


def test_a_new_schedule_is_in_force_within_a_second_of_being_saved(daemon: RunningDaemon) -> None:
    seconds = []
    with daemon.client() as client:
        for schedule in ("0 3 1 1 *", "0 3 1 2 *", "0 3 1 3 *"):
            text = daemon.config.read_text().splitlines()
            kept = [line for line in text if not line.startswith("jobs:")]
            daemon.config.write_text("\n".join([*kept, f"jobs: {{decay: '{schedule}'}}", ""]))
            saved = time.monotonic()
            wait_until(lambda wanted=schedule: decay(client).schedule == wanted)  # type: ignore[misc]
            seconds.append(time.monotonic() - saved)
            assert decay(client).next_run is not None
    # The best of three: how busy the machine is with other things is not what is asked here.
    assert min(seconds) < 1.0


def test_a_schedule_that_is_none_is_refused_with_its_field_and_the_old_one_stays(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        daemon.config.write_text("jobs: {prune: '61 4 * * *'}\n")
        with pytest.raises(reverie.errors.ConfigInvalid) as refusal:
            client.reload()
        assert "jobs.prune" in str(refusal.value)
        assert {job.schedule for job in client.jobs().jobs} == {"never"}


def test_the_progress_of_a_run_is_shown_on_a_terminal(start: Start, tmp_path: Path) -> None:
    lived_in(tmp_path)
    daemon = start(config=CONFIG)
    command = f"{sys.executable} -m reverie.cli run purge"
    shown = subprocess.run(
        ["script", "-qec", command, "/dev/null"], env=daemon.environ, capture_output=True, text=True, check=True
    ).stdout
    assert "purge" in shown
    assert f"{DELETED} purged" in shown
    assert "\x1b[K" in shown
