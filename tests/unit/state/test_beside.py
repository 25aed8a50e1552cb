"""A replay with a second process ends in the same files as one that works alone, whatever becomes of that process."""

import os
import signal
import sqlite3
from pathlib import Path

import pytest

from reveried.log import database
from reveried.state import beside, rebuild
from reveried.state.catalog import ARCHIVED, LIVE
from reveried.state.rebuild import replay
from unit.domain.histories import TEXTS, Act
from unit.state.workspace import Workspace, workspace

LIFE = [
    Act("store"),
    Act("store", text=TEXTS[2]),
    Act("store", other=1, text="Sailed to the lighthouse with Ada Lovelace."),
    Act("recall", 0, 1),
    Act("recall", 1, 2),
    Act("reinforce", 1),
    Act("tag", 1, tag="x"),
    Act("archive", 0),
    Act("supersede", 1, 2),
    Act("narrate"),
]


@pytest.fixture
def helped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beside, "WORTH_A_PROCESS", 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})


def rows_of(path: Path) -> dict[str, list[tuple[object, ...]]]:
    db = database.open_reader(path)
    try:
        names = [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]
        ours = [name for name in names if not name.startswith(("fulltext", "sqlite_"))]
        schema = db.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY name").fetchall()
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return {"schema": schema} | {name: db.execute(f"SELECT * FROM {name}").fetchall() for name in ours}
    finally:
        db.close()


def replayed(space: Workspace, place: Path) -> tuple[str, list[object]]:
    place.mkdir()
    live, archive = place / "state.db", place / "archive.db"
    reader = database.open_reader(space.log.path)
    try:
        done = replay(reader, live, archive)
    finally:
        reader.close()
    assert sorted(path.name for path in place.iterdir()) == ["archive.db", "state.db"]
    return done.digest, [rows_of(live), rows_of(archive)]


def test_two_processes_make_the_same_files_as_one(tmp_path: Path, helped: None) -> None:
    with workspace() as space:
        space.live_through(LIFE)
        together = replayed(space, tmp_path / "together")
        with pytest.MonkeyPatch.context() as alone:
            alone.setattr(beside, "WORTH_A_PROCESS", 1_000)
            assert replayed(space, tmp_path / "alone") == together
        assert together[0] == space.digest()
        assert together[1][0]["links"], "the life has links to bring"  # type: ignore[index]


def test_a_process_that_cannot_start_is_done_without(
    tmp_path: Path, helped: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beside.sys, "executable", str(tmp_path / "missing"))
    with workspace() as space:
        space.live_through(LIFE)
        assert replayed(space, tmp_path / "replayed")[0] == space.digest()


def test_a_process_that_dies_is_done_without(
    tmp_path: Path, helped: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    start = beside._started

    def killed(log: sqlite3.Connection, path: Path, upto: int) -> object:
        process = start(log, path, upto)
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
        return process

    monkeypatch.setattr(beside, "_started", killed)
    with workspace() as space:
        space.live_through(LIFE)
        assert replayed(space, tmp_path / "replayed")[0] == space.digest()
    assert "it is done again" in caplog.text


def test_every_projection_is_filled_by_one_half() -> None:
    assert {*rebuild.OF_RECORDS, *beside.FOLLOWING} == set(LIVE)
    assert not [projection.name for projection in ARCHIVED if projection.follows]
