"""The power goes in the middle of the work: every acknowledged event is on the disk when it comes back.

A file system in a file is shut down with EXT4_IOC_SHUTDOWN, which drops whatever was not synced, then mounted again.
"""

import asyncio
import fcntl
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from logfile import rows
from running import RunningDaemon

EXT4_IOC_SHUTDOWN, NO_LOG_FLUSH = 0x8004587D, b"\2\0\0\0"
SIZE = 96 * 1024 * 1024


class Disk:
    """An ext4 file system whose power can be cut."""

    def __init__(self, place: Path) -> None:
        self._image = place / "disk.img"
        self.mounted = place / "mnt"
        self.mounted.mkdir()
        with self._image.open("wb") as file:
            file.truncate(SIZE)
        self._run("mkfs.ext4", "-q", "-F", str(self._image))
        self.mount()

    def _run(self, *command: str) -> None:
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise OSError(f"{command[0]}: {done.stderr.strip()}")

    def mount(self) -> None:
        self._run("mount", "-o", "loop", str(self._image), str(self.mounted))

    def cut_the_power(self) -> None:
        descriptor = os.open(self.mounted, os.O_RDONLY)
        try:
            fcntl.ioctl(descriptor, EXT4_IOC_SHUTDOWN, NO_LOG_FLUSH)
        finally:
            os.close(descriptor)

    def unmount(self) -> None:
        self._run("umount", str(self.mounted))


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    if os.getuid() != 0 or not shutil.which("mkfs.ext4"):
        pytest.skip("needs root and mkfs.ext4")
    try:
        disk = Disk(tmp_path)
    except OSError as error:
        pytest.skip(f"no file system in a file here: {error}")
    yield disk
    subprocess.run(["umount", "-l", str(disk.mounted)], capture_output=True)


async def _write_until_dark(daemon: RunningDaemon, disk: Disk, cycle: int, wanted: int) -> dict[str, int]:
    """What was acknowledged before the power went; what comes after it proves nothing."""
    acknowledged: dict[str, int] = {}
    dark = False

    async def write(number: int) -> None:
        nonlocal dark
        async with daemon.async_client(timeout=2) as client:
            turn = 0
            while not dark:
                key = f"{cycle}-{number}-{turn}"
                written = await client.store(f"writer {number} turn {turn} of cycle {cycle}", key=key)
                if not dark:
                    acknowledged[key] = written.seq
                if len(acknowledged) >= wanted and not dark:
                    dark = True
                    disk.cut_the_power()
                turn += 1

    await asyncio.gather(*(write(number) for number in range(4)), return_exceptions=True)
    return acknowledged


async def test_a_power_cut_loses_nothing_acknowledged(
    tmp_path: Path, disk: Disk, full: bool, say: Callable[[str], None]
) -> None:
    cycles = 100 if full else 15
    daemon = RunningDaemon(tmp_path)
    daemon.data = disk.mounted / "data"
    acknowledged: dict[str, int] = {}
    for cycle in range(cycles):
        await asyncio.to_thread(daemon.start)
        acknowledged |= await _write_until_dark(daemon, disk, cycle, wanted=5 + 17 * cycle % 60)
        daemon.kill()
        disk.unmount()
        disk.mount()
        await asyncio.to_thread(daemon.start)
        found = dict(rows(daemon.data, "SELECT key, seq FROM events WHERE key IS NOT NULL"))
        lost = {key for key, seq in acknowledged.items() if found.get(key) != seq}
        assert lost == set()
        with daemon.client() as client:
            report = client.verify()
            assert (report.problems, report.live_digest) == ([], report.replayed_digest)
        daemon.stop()
    daemon.end()
    say(f"{cycles} power cuts: {len(acknowledged)} acknowledged, 0 lost")
