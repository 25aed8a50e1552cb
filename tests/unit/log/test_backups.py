"""Copies of the log forget what the log forgets, also when a kill came between."""

import os
import sqlite3
from pathlib import Path

import pytest

from reveried.domain.events import MemoryErased
from reveried.errors import LogDamaged
from reveried.log.backups import Backups, _tried
from reveried.log.scouring import File
from reveried.log.sqlite import SqliteLog
from reveried.ports import NewEvent
from unit.domain.histories import BORN, stored
from unit.log.test_sqlite import CANARY, append, forms, new


@pytest.fixture
def backups(tmp_path: Path) -> Backups:
    (tmp_path / "backups").mkdir()
    return Backups(tmp_path / "backups")


def erase(log: SqliteLog, subject: int) -> None:
    log.erase(subject, NewEvent("default", "tests", MemoryErased(), subject), BORN)


def every_byte(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in path.rglob("*") if file.is_file())


def test_a_copy_is_named_for_its_moment_and_its_head(log: SqliteLog, backups: Backups) -> None:
    append(log, new(stored("one")), new(stored("two")))
    path = backups.make(log, BORN)
    assert path.name == "log-20231114T221320Z-2.db"
    assert backups.all() == [path]


def test_the_age_of_the_newest_copy(log: SqliteLog, backups: Backups) -> None:
    assert backups.newest_age(1_000.0) is None
    for now, age in ((BORN, 500.0), (BORN + 60_000_000, 100.0)):
        os.utime(backups.make(log, now), (1_000.0 - age, 1_000.0 - age))
    assert backups.newest_age(1_000.0) == 100.0


def test_an_erasure_reaches_every_copy_that_knew_the_memory(log: SqliteLog, backups: Backups, tmp_path: Path) -> None:
    before = backups.make(log, BORN)
    append(log, new(stored("filler")), new(stored(f"the {CANARY}")))
    for later in (1, 2):
        backups.make(log, BORN + later * 1_000_000)
    backups.begin_erasure()
    erase(log, 2)
    backups.finish_erasures(log, BORN)
    everything = every_byte(tmp_path)
    assert not [form for form in forms(CANARY) if form in everything]
    assert not (tmp_path / "backups" / "erasing").exists()
    for path in backups.all():
        copy = SqliteLog(path)
        report = copy.verify()
        assert (report.problems, report.erased) == ([], 0 if path == before else 1)
        copy.close()


def test_an_interrupted_erasure_of_the_copies_goes_on_later(log: SqliteLog, backups: Backups, tmp_path: Path) -> None:
    append(log, new(stored(f"the {CANARY}")), new(stored("second")))
    backups.make(log, BORN)
    backups.begin_erasure()
    erase(log, 1)
    assert CANARY.encode() in every_byte(tmp_path)
    (tmp_path / "backups" / "log-x.db.partial").write_text(CANARY)
    Backups(tmp_path / "backups").finish_erasures(log, BORN)
    assert CANARY.encode() not in every_byte(tmp_path)
    erase(log, 2)
    backups.begin_erasure()
    backups.finish_erasures(log, BORN)
    copy = SqliteLog(backups.all()[0])
    assert [(one.subject, one.type) for one in copy.of_type("memory.erased")] == [
        (1, "memory.erased"),
        (2, "memory.erased"),
    ]
    copy.close()


def test_without_an_erasure_under_way_copies_are_left_alone(log: SqliteLog, backups: Backups) -> None:
    append(log, new(stored("one")))
    path = backups.make(log, BORN)
    erase(log, 1)
    before = path.read_bytes()
    backups.finish_erasures(log, BORN)
    assert path.read_bytes() == before


def test_an_erasure_that_was_cut_off_behind_its_commit_packs_the_log_and_its_copies(
    log: SqliteLog, backups: Backups, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody knows any more which words to look for."""
    append(log, new(stored("one")))
    path = backups.make(log, BORN)
    backups.begin_erasure()
    erase(log, 1)
    packed: list[Path] = []
    plain = File.packed

    def seen(file: File) -> bool:
        packed.append(file.path)
        return plain(file)

    monkeypatch.setattr(File, "packed", seen)
    again = Backups(tmp_path / "backups")
    assert again.finish_erasures(log, BORN)
    assert set(packed) == {log.path, path}
    packed.clear()
    again.begin_erasure()
    assert again.finish_erasures(log, BORN)
    assert packed == []


def test_nothing_stays_beside_a_copy_that_is_gone(log: SqliteLog, backups: Backups, tmp_path: Path) -> None:
    append(log, new(stored("one")))
    path = backups.make(log, BORN)
    for beside in ("-wal", "-shm"):
        path.with_name(f"{path.name}{beside}").write_text(CANARY)
    backups.remove(path)
    (tmp_path / "backups" / "log-x.db-wal").write_text(CANARY)
    kept = backups.make(log, BORN)
    assert list((tmp_path / "backups").iterdir()) == [kept]


def test_a_ruined_copy_is_removed_rather_than_left_with_the_words(log: SqliteLog, backups: Backups) -> None:
    append(log, new(stored("one")))
    backups.make(log, BORN).write_bytes(b"ruined" * 1_000)
    backups.begin_erasure()
    erase(log, 1)
    backups.finish_erasures(log, BORN)
    assert backups.all() == []


def test_a_copy_that_a_second_look_finds_sound_is_kept(log: SqliteLog, backups: Backups) -> None:
    append(log, new(stored("one")))
    path = backups.make(log, BORN)

    def a_read_that_the_disk_failed() -> bool:
        raise LogDamaged("database disk image is malformed")

    assert not _tried(path, a_read_that_the_disk_failed)
    assert backups.all() == [path]


def test_a_copy_that_somebody_holds_is_kept_and_reached_later(log: SqliteLog, backups: Backups) -> None:
    append(log, new(stored("one")))
    path = backups.make(log, BORN)
    held = sqlite3.connect(path, isolation_level=None)
    held.execute("BEGIN EXCLUSIVE")
    backups.begin_erasure()
    erase(log, 1)
    assert not backups.finish_erasures(log, BORN)
    assert backups.all() == [path]
    assert backups.unfinished
    held.execute("ROLLBACK")
    held.close()
    assert backups.finish_erasures(log, BORN)
    assert not backups.unfinished
    assert b"one" not in path.read_bytes()


def test_what_a_kill_left_of_a_copy_goes_with_the_next_one(log: SqliteLog, backups: Backups, tmp_path: Path) -> None:
    append(log, new(stored("one")))
    half = tmp_path / "backups" / "log-20200101T000000Z-1.db.partial"
    half.write_text("half a copy")
    whole = backups.make(log, BORN)
    held = whole.with_name(f"{whole.name}-wal")
    held.touch()
    later = backups.make(log, BORN + 60_000_000)
    assert sorted((tmp_path / "backups").iterdir()) == [whole, held, later], "what belongs to a whole copy stays"
