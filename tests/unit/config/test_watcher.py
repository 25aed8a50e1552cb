"""However an editor saves, the change is told once the file is there."""

import asyncio
import os
import stat
import subprocess
import sys
from contextlib import aclosing, asynccontextmanager

import pytest

from reveried.config.watcher import watch

PATIENCE = 20


class Watching:
    def __init__(self, path, stop):
        self.changes = watch(path, stop)
        self.next = asyncio.create_task(anext(self.changes, "ended"))

    async def told(self):
        outcome = await asyncio.wait_for(self.next, PATIENCE)
        self.next = asyncio.create_task(anext(self.changes, "ended"))
        return outcome != "ended"


@asynccontextmanager
async def watching(path):
    stop = asyncio.Event()
    watched = Watching(path, stop)
    # The watch stands when the first step of the iterator has run.
    await asyncio.sleep(0)
    async with aclosing(watched.changes):
        yield watched, stop
        stop.set()
        await asyncio.wait_for(watched.next, PATIENCE)


def write_in_place(path):
    path.write_text("log: {level: debug}\n")


def replace_by_rename(path):
    aside = path.with_suffix(".tmp")
    aside.write_text("log: {level: error}\n")
    os.replace(aside, path)


def delete(path):
    path.unlink()


def delete_and_recreate(path):
    path.unlink()
    path.write_text("log: {level: warning}\n")


@pytest.mark.parametrize("change", [write_in_place, replace_by_rename, delete, delete_and_recreate])
async def test_a_change_is_told_however_it_is_made(tmp_path, change):
    path = tmp_path / "config.yaml"
    path.write_text("")
    async with watching(path) as (watched, _):
        change(path)
        assert await watched.told()


async def test_a_file_is_followed_through_one_change_after_another(tmp_path):
    path = tmp_path / "config.yaml"
    async with watching(path) as (watched, _):
        for change in (write_in_place, replace_by_rename, write_in_place, delete, write_in_place):
            change(path)
            assert await watched.told()


async def test_a_file_in_a_directory_that_did_not_exist_is_seen_when_it_appears(tmp_path):
    path = tmp_path / "later" / "config.yaml"
    async with watching(path) as (watched, _):
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        write_in_place(path)
        assert await watched.told()


async def test_a_burst_of_writes_is_told_once(tmp_path):
    path = tmp_path / "config.yaml"
    async with watching(path) as (watched, stop):
        for _ in range(20):
            write_in_place(path)
        assert await watched.told()
        stop.set()
        assert not await watched.told()


async def test_other_files_of_the_directory_are_not_its_business(tmp_path):
    path = tmp_path / "config.yaml"
    (tmp_path / "sub").mkdir()
    async with watching(path) as (watched, _):
        (tmp_path / "other.yaml").write_text("x")
        (tmp_path / "sub" / "config.yaml").write_text("x")
        beside = asyncio.create_task(anext(watch(tmp_path / "other.yaml", stop := asyncio.Event())))
        await asyncio.sleep(0)
        (tmp_path / "other.yaml").write_text("y")
        await asyncio.wait_for(beside, PATIENCE)
        stop.set()
        assert not watched.next.done()


async def test_watching_ends_when_told_to_stop(tmp_path):
    async with watching(tmp_path / "config.yaml") as (watched, stop):
        stop.set()
        assert not await watched.told()


async def test_cancelling_the_watch_does_not_stop_the_rest_of_the_daemon(tmp_path):
    stop = asyncio.Event()
    task = asyncio.create_task(anext(watch(tmp_path / "config.yaml", stop)))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not stop.is_set()


def test_importing_the_watcher_does_not_load_the_library_behind_it():
    script = "import sys, reveried.config.watcher; sys.exit('watchfiles' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script]).returncode == 0
