"""A replay gives the live state, up to any event, and says what it did."""

import sqlite3
from pathlib import Path

import pytest

from reveried.errors import LogDamaged
from reveried.log import database
from reveried.log.sqlite import SqliteLog, seq_at
from reveried.state import rebuild
from reveried.state.child import snapshot
from reveried.state.rebuild import replay
from unit.domain.histories import SECOND, Act
from unit.state.workspace import workspace

STORE, OTHER = Act("store"), Act("store", text="another thing entirely")
THIRD = Act("store", text="明日は東京で会議があります", namespace="other")


@pytest.mark.parametrize(
    "acts",
    [
        pytest.param([], id="nothing at all"),
        pytest.param([STORE, OTHER, Act("supersede", 0, 1), Act("flush"), Act("erase")], id="superseded, then erased"),
        pytest.param([STORE, OTHER, Act("supersede", 0, 1), Act("erase", 1)], id="the successor erased"),
        pytest.param([STORE, Act("archive"), Act("flush"), Act("erase")], id="archived, then erased"),
        pytest.param([STORE, OTHER, Act("transition", 0, 1), Act("flush"), Act("erase")], id="moved, then erased"),
        pytest.param([STORE, Act("recall", 0, 0), Act("flush"), Act("erase"), STORE], id="erased and stored again"),
        pytest.param([THIRD, STORE, Act("tag", 0, tag="x", namespace="other")], id="two namespaces"),
    ],
)
def test_a_replay_equals_the_live_state(acts: list[Act]) -> None:
    with workspace() as space:
        space.live_through(acts)
        assert space.digest() == space.replayed()


def test_a_replay_up_to_an_event_equals_the_state_of_that_moment() -> None:
    acts = [STORE, OTHER, Act("archive"), THIRD, Act("restore"), Act("tag", 1, tag="x"), Act("delete")]
    with workspace() as space:
        moments: dict[int, str] = {}
        for act in acts:
            space.live_through([act])
            moments[space.log.head] = space.digest()
        assert len(set(moments.values())) == len(acts)
        assert {seq: space.replayed(seq) for seq in moments} == moments


def test_holding_fewer_records_at_a_time_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with workspace() as space:
        space.live_through([STORE, OTHER, Act("archive"), THIRD, Act("restore"), Act("tag", 1, tag="x"), Act("erase")])
        monkeypatch.setattr(rebuild, "BATCH", 2)
        monkeypatch.setattr(rebuild, "HELD_RECORDS", 1)
        assert space.replayed() == space.digest()


def test_a_replay_reports_its_progress_and_its_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebuild, "BATCH", 2)
    with workspace() as space:
        space.live_through([STORE, OTHER, THIRD])
        reader = database.open_reader(space.log.path)
        seen: list[int] = []
        done = replay(reader, tmp_path / "state.db", tmp_path / "archive.db", report=seen.append)
        reader.close()
        assert (seen, done.events, done.digest) == ([2, 3], 3, space.digest())


def test_an_event_of_an_unknown_type_stops_a_replay_instead_of_being_skipped() -> None:
    with workspace() as space:
        space.live_through([STORE, OTHER])
        db = sqlite3.connect(space.log.path)
        db.execute("UPDATE events SET type = 'memory.dreamt' WHERE seq = 1")
        db.commit()
        db.close()
        with pytest.raises(LogDamaged, match=r"'memory\.dreamt', which this version does not know"):
            space.replayed()


def test_a_moment_names_the_last_event_at_or_before_it(tmp_path: Path) -> None:
    with workspace() as space:
        assert seq_at(space.log._db, space.world.now) == 0
        space.live_through([STORE, OTHER, THIRD])
        last = space.world.now
        moments = [last - 3 * SECOND, last - 2 * SECOND, last - 1, last, last + SECOND]
        assert [seq_at(space.log._db, moment) for moment in moments] == [0, 1, 2, 3, 3]


def test_a_snapshot_holds_live_and_archived_memories_in_one_read_only_file(tmp_path: Path) -> None:
    out = tmp_path / "past.db"
    with workspace() as space:
        space.live_through([STORE, OTHER, Act("archive"), THIRD])
        reader = database.open_reader(space.log.path)
        assert snapshot(reader, out, 3).digest == space.replayed(3)
        reader.close()
    assert out.stat().st_mode & 0o777 == 0o400
    assert [path.name for path in tmp_path.iterdir()] == ["past.db"]
    db = database.open_reader(out)
    assert db.execute("SELECT id FROM memories").fetchall() == [(2,)]
    assert db.execute("SELECT id, state FROM archived").fetchall() == [(1, "archived")]
    db.close()


def test_an_empty_log_opens_and_reads_as_empty(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "log.db")
    assert (log.head, list(log.read(0))) == (0, [])
    log.close()
