"""Live state is the fold of the log, however the events were cut into batches and wherever a kill fell."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reveried.errors import StateDamaged, StorageFull
from reveried.log import database
from reveried.state import store as module
from reveried.state.catalog import LIVE
from reveried.state.memories import fetch
from reveried.state.store import StateStore, as_state_damage
from unit.domain.histories import TEXTS, Act, histories
from unit.state.workspace import Workspace, workspace

STORE, OTHER = Act("store"), Act("store", text="another thing entirely")


class Killed(BaseException):
    """Ends the process, as far as the code under test can tell."""


def killed(*_: object, **__: object) -> None:
    raise Killed


@settings(max_examples=200, deadline=None)
@given(histories)
def test_live_state_equals_a_replay_of_the_log_and_the_records_themselves(history: list[Act]) -> None:
    with workspace() as space:
        space.live_through(history)
        assert space.digest() == space.replayed()
        for id_ in space.world.ids:
            assert space.store.fold.get(id_) == space.world.memories.get(id_)


@settings(max_examples=60, deadline=None)
@given(histories, st.integers(1, 6), st.integers(1, 6))
def test_any_split_of_a_history_into_batches_gives_the_same_state(history: list[Act], first: int, second: int) -> None:
    with workspace() as space:
        space.live_through(history)
        digests = set[str]()
        for name, size in (("one", first), ("two", second)):
            store = StateStore(space.path / f"{name}.db", space.path / f"{name}-archive.db")
            for start in range(0, space.log.head, size):
                for recorded in space.log.read(start, limit=size):
                    store.fold.apply(recorded)
                store.flush()
            space.store.close()
            space.store = store
            digests.add(space.digest())
        assert digests == {space.replayed()}


@settings(max_examples=60, deadline=None)
@given(histories, st.data())
def test_redelivering_any_suffix_changes_nothing(history: list[Act], data: st.DataObject) -> None:
    with workspace() as space:
        space.live_through(history)
        before = space.digest()
        space.reopen()
        for recorded in space.log.read(data.draw(st.integers(0, space.log.head))):
            space.store.fold.apply(recorded)
        space.store.flush()
        assert space.digest() == before


@settings(max_examples=150, deadline=None)
@given(histories, histories, st.integers(1, 4), st.sampled_from(["between the commits", "before the release"]))
def test_a_kill_anywhere_in_a_flush_is_made_up_by_catching_up(
    past: list[Act], last: list[Act], size: int, moment: str
) -> None:
    with workspace() as space, pytest.MonkeyPatch.context() as patch:
        space.live_through(past)
        for act in last:
            if act.what != "flush":
                space.world.act(act)
        space.log.commit()
        kill_in_flush(space, patch, moment)
        patch.setattr(module, "CATCH_UP_BATCH", size)
        space.reopen()
        space.store.catch_up(space.log)
        assert space.digest() == space.replayed()


def kill_in_flush(space: Workspace, patch: pytest.MonkeyPatch, moment: str) -> None:
    with patch.context() as inner:
        if moment == "between the commits":
            plain = module._apply
            inner.setattr(module, "_apply", lambda db, *rest: killed() if rest[0] is LIVE else plain(db, *rest))
        else:
            inner.setattr(space.store, "_release", killed)
        try:
            space.store.flush()
        except Killed:
            assert space.store.lag or moment == "before the release"


ONE_ARCHIVED = [STORE, OTHER, Act("archive")]


@pytest.mark.parametrize("moment", ["between the commits", "before the release"])
@pytest.mark.parametrize(
    ("past", "last"),
    [
        pytest.param([STORE, OTHER], [Act("archive")], id="archive"),
        pytest.param(ONE_ARCHIVED, [Act("restore")], id="restore"),
        pytest.param(ONE_ARCHIVED, [Act("update", text="new words")], id="update while archived"),
        pytest.param(ONE_ARCHIVED, [Act("erase")], id="erase while archived"),
        pytest.param(ONE_ARCHIVED, [Act("delete")], id="delete while archived"),
        pytest.param(ONE_ARCHIVED, [Act("restore"), Act("archive")], id="there and back"),
        pytest.param([STORE], [OTHER, Act("archive", 1), Act("reinforce", 1)], id="born and archived at once"),
    ],
)
def test_a_kill_between_the_two_files_loses_nothing(past: list[Act], last: list[Act], moment: str) -> None:
    with workspace() as space, pytest.MonkeyPatch.context() as patch:
        space.live_through(past)
        space.world.run(*last)
        kill_in_flush(space, patch, moment)
        space.reopen()
        space.store.catch_up(space.log)
        assert space.digest() == space.replayed()
        assert space.store.fold.get(1) == space.world.memories.get(1)


def test_a_memory_restored_and_archived_again_while_catching_up_is_not_let_go() -> None:
    """The first catch-up dies before the release, the second meets the next archival in its first batch."""
    with workspace() as space, pytest.MonkeyPatch.context() as patch:
        space.live_through(ONE_ARCHIVED)
        space.world.run(Act("restore"))
        kill_in_flush(space, patch, "before the release")
        space.world.run(Act("archive"))
        space.reopen()
        space.store.catch_up(space.log)
        assert space.digest() == space.replayed()


def test_catching_up_in_smaller_batches_than_the_killed_one_loses_no_archived_memory() -> None:
    with workspace() as space, pytest.MonkeyPatch.context() as patch:
        acts = [Act("store", text=text) for text in TEXTS[:3]]
        space.live_through([*acts, Act("archive", 0), Act("archive", 1)])
        space.world.run(Act("restore", 0), Act("reinforce", 2), Act("reinforce", 2), Act("restore", 1))
        kill_in_flush(space, patch, "between the commits")
        patch.setattr(module, "CATCH_UP_BATCH", 1)
        space.reopen()
        space.store.catch_up(space.log)
        assert space.digest() == space.replayed()
        assert space.store.fold.get(2) == space.world.memories[2]


def test_a_full_disk_between_the_two_files_is_made_up_by_the_next_flush() -> None:
    with workspace() as space:
        space.live_through([STORE, OTHER])
        live = space.store._live
        (pages,) = live.execute("PRAGMA page_count").fetchone()
        live.execute(f"PRAGMA max_page_count={pages}")
        space.world.run(Act("archive"), *(Act("store", text=f"{number} {'long ' * 2000}") for number in range(5)))
        with pytest.raises(StorageFull, match="the disk is full"):
            space.store.flush()
        assert space.store.lag == 6
        live.execute("PRAGMA max_page_count=1000000")
        space.store.reload(space.log)
        space.store.flush()
        assert space.digest() == space.replayed()


def test_a_reload_after_a_half_written_batch_delivers_it_to_the_archive_once() -> None:
    with workspace() as space, pytest.MonkeyPatch.context() as patch:
        space.world.run(STORE, Act("archive"))
        kill_in_flush(space, patch, "between the commits")
        space.store.reload(space.log)
        space.store.flush()
        assert space.digest() == space.replayed()


def test_what_was_folded_but_never_became_durable_is_forgotten() -> None:
    with workspace() as space:
        space.live_through([STORE])
        space.world.act(OTHER)
        assert space.store.fold.get(2) is not None
        space.log.discard()
        space.store.reload(space.log)
        assert space.store.fold.get(2) is None
        assert space.store.fold.get(1) is not None


def test_a_damaged_table_is_reported_as_damaged_state(tmp_path: Path) -> None:
    with workspace() as space:
        space.store._live.execute("DROP TABLE tags")
        space.world.run(STORE)
        with pytest.raises(StateDamaged, match="no such table: tags"):
            space.store.flush()


def test_flushing_nothing_changes_nothing() -> None:
    with workspace() as space:
        space.live_through([STORE])
        assert (space.store.flush(), space.store.lag) == (1, 0)


def test_catching_up_reports_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CATCH_UP_BATCH", 2)
    with workspace() as space:
        space.world.run(*(Act("store", text=text) for text in TEXTS[:5]))
        space.reopen()
        seen: list[int] = []
        space.store.catch_up(space.log, seen.append)
        assert seen == [2, 4, 5]


def test_an_erasure_whose_scrub_was_interrupted_is_scrubbed_at_the_next_start() -> None:
    with workspace() as space, pytest.MonkeyPatch.context() as patch:
        space.live_through([Act("store", text="xylophonist"), OTHER, Act("erase")])
        space.store._live.execute("UPDATE progress SET scrub_due = 1")
        done: list[bool] = []
        plain = StateStore.scrub

        def counted(store: StateStore) -> None:
            plain(store)
            done.append(store.scrubbed)

        patch.setattr(StateStore, "scrub", counted)
        space.reopen()
        space.store.catch_up(space.log)
        assert done == [True]
        assert space.store._live.execute("SELECT scrub_due FROM progress").fetchone() == (0,)


def test_a_reader_that_holds_an_old_page_leaves_the_scrub_due() -> None:
    with workspace() as space:
        space.live_through([Act("store", text="xylophonist"), OTHER])
        reader = database.open_reader(space.store.live_path)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM memories").fetchone()
        space.store._live.execute("PRAGMA busy_timeout=0")
        space.world.run(Act("erase"))
        space.store.flush()
        assert space.store._live.execute("SELECT scrub_due FROM progress").fetchone() == (1,)
        reader.close()
        space.store.catch_up(space.log)
        assert space.store._live.execute("SELECT scrub_due FROM progress").fetchone() == (0,)
        assert b"xylophonist" not in b"".join(path.read_bytes() for path in space.path.glob("state.db*"))


@pytest.mark.parametrize("while_archived", [False, True])
def test_no_erased_word_stays_in_a_state_file(while_archived: bool) -> None:
    with workspace() as space:
        acts = [Act("store", text="xylophonist"), OTHER, *([Act("archive")] if while_archived else [])]
        space.live_through(acts)
        assert b"xylophonist" in every_byte(space.path)
        space.world.run(Act("erase"))
        space.store.flush()
        assert b"xylophon" not in every_byte(space.path)


def every_byte(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in path.rglob("*") if file.is_file())


def test_checkpoints_follow_the_size_of_the_write_ahead_log() -> None:
    with workspace() as space:
        space.live_through([STORE])
        assert database.wal_size(space.store.live_path) > 0
        space.store.checkpoint_if_large(1_000_000, 1_000_000_000)
        assert database.wal_size(space.store.live_path) > 0
        space.store.checkpoint_if_large(0, 0)
        assert database.wal_size(space.store.live_path) == 0


def test_a_live_row_and_an_archived_one_never_both_survive() -> None:
    with workspace() as space:
        space.live_through([STORE, Act("archive"), Act("flush"), Act("restore"), Act("flush")])
        assert fetch(space.store._live, 1) == space.world.memories[1]
        assert fetch(space.store._archive, 1) is None


def test_every_erasure_that_was_put_off_is_looked_for_later() -> None:
    with workspace() as space:
        space.live_through([Act("store", text="xylophonist"), Act("store", text="glockenspielerin"), OTHER])
        with closing(database.open_reader(space.store.live_path)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM memories").fetchone()
            space.store._live.execute("PRAGMA busy_timeout=0")
            for which in (0, 1):
                space.world.run(Act("erase", which))
                space.store.forget(space.log.take_erased())
                space.store.flush()
            assert not space.store.scrubbed
            reader.execute("ROLLBACK")
        space.store.scrub()
        assert space.store.scrubbed
        state = b"".join(path.read_bytes() for path in space.path.glob("state.db*"))
        assert not [word for word in (b"xylophon", b"glockenspiel") if word in state]


def test_only_what_speaks_against_the_file_is_damage(tmp_path: Path) -> None:
    (tmp_path / "state.db").write_bytes(b"no database at all" * 99)
    with pytest.raises(StateDamaged, match="cannot be used"), as_state_damage():
        database.open_reader(tmp_path / "state.db").execute("SELECT count(*) FROM memories")
    with pytest.raises(sqlite3.OperationalError, match="unable to open"), as_state_damage():
        database.open_reader(tmp_path / "absent.db").execute("SELECT count(*) FROM memories")
