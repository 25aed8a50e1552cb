"""A full disk refuses writes, keeps reading, and needs nobody to resume."""

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import reverie
from reverie.errors import ReverieError, StorageFull
from running import RunningDaemon

SIZE = 6 * 1024 * 1024


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=0700", "none", str(place)]
    if os.getuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("only root can mount a small file system")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def _started(disk: Path, min_free: str) -> RunningDaemon:
    home = disk.parent / "home"
    home.mkdir()
    running = RunningDaemon(home, config=f"storage:\n  min_free: {min_free}\n")
    running.data = disk / "data"
    running.start()
    return running


def _stored_at_last(client: reverie.Client, text: str) -> int:
    """The daemon looks now and then whether there is room again."""
    until = time.monotonic() + 15
    while True:
        try:
            return client.store(text).id
        except StorageFull:
            assert time.monotonic() < until, "it never resumed"


def _fill(client: reverie.Client) -> None:
    for number in range(400):
        id_ = client.store(f"ballast {number} " + "heavy words " * 1_000).id
        if number % 3 == 0:
            client.archive(id_)


@pytest.mark.parametrize("min_free", ["1MB", "0"])
def test_a_full_disk_refuses_writes_keeps_reading_and_resumes_by_itself(small_disk: Path, min_free: str) -> None:
    daemon = _started(small_disk, min_free)
    try:
        with daemon.client() as client:
            kept = client.store("the first word before the flood").id
            ballast = small_disk / "ballast"
            # Half of it: a proof makes the state a second time, and needs room for that once the ballast is gone.
            ballast.write_bytes(b"\0" * (SIZE // 2))
            with pytest.raises(StorageFull):
                _fill(client)
            assert client.get(kept).content == "the first word before the flood"
            assert client.recall("first word").memories[0].id == kept
            with pytest.raises(StorageFull):
                client.store("still no room " + "heavy words " * 1_000)
            ballast.unlink()
            resumed = _stored_at_last(client, "room again")
            assert client.get(resumed).content == "room again"
            assert client.events(after=resumed - 1).events[0].seq == resumed
            report = client.verify()
            assert (report.problems, report.live_digest) == ([], report.replayed_digest)
        assert daemon.ended is None
        assert "Traceback" not in daemon.journal.read_text()
    except ReverieError as error:
        raise AssertionError(f"{error} ({daemon.ended}): {daemon.journal.read_text()[-2000:]}") from error
    finally:
        daemon.end()


def test_a_copy_and_a_rebuild_that_find_no_room_are_refused_and_leave_nothing(small_disk: Path) -> None:
    daemon = _started(small_disk, "0")
    try:
        with daemon.client() as client:
            for number in range(40):
                client.store(f"memory {number} " + "of many words " * 100)
            disk = os.statvfs(small_disk)
            (small_disk / "ballast").write_bytes(bytes(disk.f_bavail * disk.f_frsize - 40_000))
            for chore in (client.backup, client.rebuild, client.verify):
                with pytest.raises(StorageFull):
                    chore()
            left = [path.name for path in daemon.data.rglob("*") if "partial" in path.name or "new" in path.name]
            assert left == []
            (small_disk / "ballast").unlink()
            assert client.backup().events >= 40
            assert client.rebuild().events >= 40
        assert daemon.ended is None
    finally:
        daemon.end()
