"""The work that runs beside the daemon, started as the daemon starts it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reveried.errors import Busy
from reveried.log import database
from reveried.state import child
from reveried.state.vectors import VectorStore
from unit.domain.histories import Act
from unit.state.workspace import Workspace, workspace

ACTS = [Act("store"), Act("store", text="another thing entirely"), Act("archive")]


def work(space: Workspace, what: str, **options: object) -> dict[str, Any]:
    done = run(space, what, parent=os.getpid(), **options)
    answer: dict[str, Any] = json.loads(done.stdout)
    assert done.returncode == (1 if "error" in answer else 0)
    return answer


def run(space: Workspace, what: str, **options: object) -> "subprocess.CompletedProcess[bytes]":
    arguments = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
    command = [sys.executable, "-m", "reveried.state.child", what, f"--log={space.log.path}", *arguments]
    return subprocess.run(command, capture_output=True, timeout=60, check=False)


def test_nothing_is_begun_for_a_daemon_that_has_ended(tmp_path: Path) -> None:
    """It may have been killed while its child still started; the files belong to the next one by now."""
    with workspace() as space:
        new = {"live": tmp_path / "live.db", "archive": tmp_path / "archive.db"}
        done = run(space, "replay", parent=1, **new)
        assert (done.returncode, done.stdout, list(tmp_path.iterdir())) == (1, b"", [])


def test_each_kind_of_work_answers_with_one_object(tmp_path: Path) -> None:
    with workspace() as space:
        space.live_through(ACTS)
        VectorStore(space.path / "vectors.db").close()
        files = {"live": space.store.live_path, "archive": space.store.archive_path}
        verified = work(space, "verify", vectors=space.path / "vectors.db", **files)
        assert verified["chain"]["problems"] == []
        assert verified["live_digest"] == verified["replayed_digest"] == space.digest()
        assert verified["vectors_sound"]
        assert work(space, "check")["head"] == 3
        new = {"live": tmp_path / "live.db", "archive": tmp_path / "archive.db"}
        assert work(space, "replay", **new) == {"events": 3, "digest": space.digest()}
        past = work(space, "snapshot", live=tmp_path / "past.db", to_time=space.world.now - 1)
        assert past == {"events": 2, "digest": space.replayed(2)}
        assert sorted(path.name for path in space.path.glob("verify-*")) == []


def test_a_table_that_differs_from_the_log_shows() -> None:
    with workspace() as space:
        space.live_through(ACTS)
        space.store._live.execute("UPDATE memories SET score = 99")
        verified = verify(space)
        assert verified.live_digest != verified.replayed_digest


def test_a_damaged_log_is_named_and_not_replayed() -> None:
    with workspace() as space:
        space.live_through(ACTS)
        space.log._db.execute("UPDATE events SET actor = 'x' WHERE seq = 2")
        verified = verify(space)
        assert verified.chain.problems[0] == "event 2: the chain is broken here"
        assert verified.replayed_digest == ""


def test_files_that_never_stand_at_the_same_event_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "SNAPSHOT_TRIES", 2)
    with workspace() as space:
        space.live_through(ACTS)
        space.store._archive.execute("UPDATE progress SET seq = 9")
        with pytest.raises(Busy, match="never stood at the same event"):
            verify(space)


@pytest.mark.parametrize("looks", [1, 2])
def test_what_is_erased_during_a_look_is_not_taken_for_damage(monkeypatch: pytest.MonkeyPatch, looks: int) -> None:
    """The state was looked at before the erasure, and the log is replayed after it."""
    replayed = child._replayed_digest

    def erased_before(*arguments: Any) -> str:
        monkeypatch.setattr(child, "_replayed_digest", replayed)
        space.live_through([Act("erase")])
        return replayed(*arguments)

    monkeypatch.setattr(child, "LOOKS", looks)
    monkeypatch.setattr(child, "_replayed_digest", erased_before)
    with workspace() as space:
        space.live_through([Act("store"), Act("store", text="another thing entirely")])
        if looks == 1:
            with pytest.raises(Busy, match="words were erased"):
                verify(space)
        else:
            verified = verify(space)
            assert verified.live_digest == verified.replayed_digest


def verify(space: Workspace) -> child.Verified:
    log = database.open_reader(space.log.path)
    try:
        return child.verify(log, space.store.live_path, space.store.archive_path)
    finally:
        log.close()
