"""The power goes in the middle of the work: every acknowledged event is on the disk when it comes back.

A file system in a file is shut down with EXT4_IOC_SHUTDOWN, which drops whatever was not synced, then mounted again.
That the loss is real is shown by a control: the same rows, written without a sync for each commit, must be lost.
"""

import asyncio
import fcntl
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from logfile import rows
from reveried.log import database
from reveried.log.sqlite import DDL
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


def _seen(data: Path) -> tuple[int, int]:
    """The end of the log, and the last event that the state has seen, as the disk has them before anybody opens it."""
    ((head,),) = rows(data, "SELECT coalesce(max(seq), 0) FROM events")
    seen = [rows(data, "SELECT seq FROM progress", file=name)[0][0] for name in ("state.db", "archive.db")]
    return head, max(seen)


async def test_a_power_cut_loses_nothing_acknowledged(
    tmp_path: Path, disk: Disk, full: bool, record_proof: Callable[[str, str], None]
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
        head, seen = _seen(daemon.data)
        assert seen <= head, "the state must never know more than the log"
        await asyncio.to_thread(daemon.start)
        found = dict(rows(daemon.data, "SELECT key, seq FROM events WHERE key IS NOT NULL"))
        lost = {key for key, seq in acknowledged.items() if found.get(key) != seq}
        assert lost == set()
        with daemon.client() as client:
            report = client.verify()
            assert (report.problems, report.live_digest) == ([], report.replayed_digest)
        daemon.stop()
    daemon.end()
    record_proof("power cuts", f"{cycles} cuts, {len(acknowledged)} acknowledged, 0 lost, state never ahead of the log")


@pytest.mark.parametrize("synchronous", ["FULL", "NORMAL"])
def test_the_same_rows_without_a_sync_for_each_commit_are_lost(
    disk: Disk, synchronous: str, full: bool, record_proof: Callable[[str, str], None]
) -> None:
    """A bare writer of the log's own table: what FULL keeps and NORMAL loses is the setting, not the test."""
    cycles, rows_each, lost = 20 if full else 4, 40, 0
    for cycle in range(cycles):
        path = disk.mounted / f"{synchronous}-{cycle}.db"
        database.create(path, DDL)
        db = database.open_writer(path, synchronous)
        for seq in range(1, rows_each + 1):
            db.execute(
                "INSERT INTO events VALUES (?, 1, 'memory.stored', 'default', ?, 'tests', NULL, ?, x'00', x'00')",
                (seq, seq, b"words " * 20),
            )
        disk.cut_the_power()
        with suppress(sqlite3.DatabaseError):
            db.close()
        disk.unmount()
        disk.mount()
        ((kept,),) = rows(disk.mounted, "SELECT count(*) FROM events", file=path.name)
        lost += rows_each - kept
    assert (lost > 0) is (synchronous == "NORMAL")
    record_proof(f"power cuts, control with {synchronous}", f"{cycles} cuts, {cycles * rows_each} rows, {lost} lost")
