"""A full disk in the middle of any chore: refused with a code, nothing lost, and no restart needed for room to help."""

import os
import random
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from integration.test_full_disk import _stored_at_last
from reverie.errors import StorageFull
from running import RunningDaemon

SIZE = 24 * 1024 * 1024
CHORES: dict[str, Callable[[Any], object]] = {
    "backup": lambda client: client.backup(),
    "rebuild": lambda client: client.rebuild(),
    "verify": lambda client: client.verify(),
    "erase": lambda client: client.erase(client.list(limit=1).memories[0].id),
    **{job: (lambda client, job=job: _ran(client, job)) for job in ("prune", "maintain", "snapshot", "decay", "purge")},
}
CONFIG = "storage: {min_free: 0}\nprune: {max_size: 500KB}\n"


def _ran(client: Any, job: str) -> None:
    """A job that could not be finished for want of room says so in its record."""
    if failed := client.run(job).failed:
        assert "full" in failed, failed
        raise StorageFull(failed)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=0700", "none", str(place)]
    if os.getuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("only root can mount a small file system")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_every_chore_on_a_full_disk_is_refused_or_done_and_done_when_there_is_room(
    small_disk: Path, full: bool, record_proof: Callable[[str, str], None]
) -> None:
    daemon = RunningDaemon(small_disk.parent / "home", config=CONFIG)
    daemon.data = small_disk / "data"
    daemon.start()
    luck, ends = random.Random(7), Counter[str]()
    ballast = small_disk / "ballast"
    try:
        with daemon.client(timeout=60) as client:
            for number in range(150):
                client.store(f"memory {number} " + "of many words " * 30)
            for _ in range(10 if full else 3):
                for name, chore in CHORES.items():
                    _fill(ballast, luck.choice((0, 20_000, 200_000, 800_000)))
                    try:
                        chore(client)
                        ends["done all the same"] += 1
                    except StorageFull:
                        ends["refused"] += 1
                    assert daemon.ended is None, f"{name} ended the daemon"
                    ballast.unlink()
                    _stored_at_last(client, f"room again after {name} and {ends.total()} chores")
                    report = client.verify()
                    assert (report.problems, report.live_digest) == ([], report.replayed_digest)
            for chore in CHORES.values():
                chore(client)
        assert "Traceback" not in daemon.journal.read_text()
    finally:
        daemon.end()
    record_proof(
        "a full disk", f"{ends.total()} chores: {dict(ends)}; 0 restarts, all of them done when there was room"
    )


def _fill(ballast: Path, room: int) -> None:
    """Until no more than `room` is left."""
    disk = os.statvfs(ballast.parent)
    ballast.write_bytes(bytes(max(disk.f_bavail * disk.f_frsize - room, 0)))
