"""What is kept of a file answers as the file does, whatever was written; and keeps no word of what is gone."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reveried.domain.recalling.words import query_words, sought_terms
from reveried.state.gist_reads import KeptGists, gists, neighbours, sides_of
from reveried.state.keeping import Keeping
from reveried.state.kept import Kept
from reveried.state.reads import Filter
from reveried.state.searching import holders
from reveried.state.vitals import vitals
from unit.domain.histories import TAGS, TEXTS, Act, acts, stored
from unit.state.workspace import Workspace, workspace

QUERY = " ".join((*TEXTS, *TAGS))
ROOMS = (1_000_000, 6_000)


class File:
    """One of the two files, read with what is kept of it and without."""

    def __init__(self, path: Path, room: int) -> None:
        self._db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.kept = Keeping(room)

    def fetch(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self._db.execute(sql, parameters).fetchall()

    def told(self, kept: Keeping, ids: Sequence[int], cap: int) -> list[object]:
        sought = sought_terms(query_words(QUERY))
        found = gists(self, kept.gists, ids, Filter(namespace="default", states=("active", "stale"), replaced=False))
        said = {id_: gist.session for id_, gist in found.items() if gist.session is not None}
        lists = [list(one) for one in holders(self, sought, "default", cap, kept=kept.holders)]
        return [found, sides_of(self, kept.gists, said), vitals(self, kept.vitals, ids), lists]

    def close(self) -> None:
        self._db.close()


def flush(space: Workspace, files: Sequence[File]) -> None:
    """As the writer does it: whoever keeps something hears of what changed when it can be read."""
    changes = space.store.fold.live_changes(), space.store.fold.archive_changes()
    space.flush()
    for file, some in zip(files, changes, strict=True):
        file.kept.forget(some)


@given(st.lists(acts, min_size=1, max_size=40), st.sampled_from(ROOMS), st.sampled_from([2, 100]), st.randoms())
def test_what_is_kept_answers_as_the_file_does(history: list[Act], room: int, cap: int, dice: Any) -> None:
    with workspace() as space:
        files = [File(space.store.live_path, room), File(space.store.archive_path, room)]
        for n in range(6):  # a memory that has something to lose before anything happens to it
            space.world.record(stored(f"{TEXTS[n]} {n}", session_id=TAGS[n % 2], tags_manual=(TAGS[n % 3],)))
        flush(space, files)
        for file in files:
            file.told(file.kept, space.world.ids, cap)
        for act in history:
            if act.what != "flush":
                space.world.act(act)
            if dice.random() < 0.5:
                flush(space, files)
            ids = dice.sample(space.world.ids, dice.randint(0, len(space.world.ids)))
            for file in files:
                assert file.told(file.kept, ids, cap) == file.told(Keeping(0), ids, cap)
        for file in files:
            file.close()


def test_no_word_of_what_is_erased_is_kept() -> None:
    with workspace() as space:
        for n in range(3):
            space.world.record(stored(f"harbour lantern {n}", session_id="s"))
        file, archive = File(space.store.live_path, 1_000_000), File(space.store.archive_path, 1_000_000)
        flush(space, [file, archive])
        file.told(file.kept, space.world.ids, 100)
        assert space.world.ids[0] in file.kept.gists.gists.known(space.world.ids)
        space.world.run(Act("erase", 0))
        flush(space, [file, archive])
        assert file.kept.gists.gists.known(space.world.ids).keys() == {*space.world.ids[1:]}
        assert len(file.kept.vitals) == 2
        file.close()
        archive.close()


def test_a_read_memory_is_weighed_anew_and_its_words_are_not_read_again() -> None:
    with workspace() as space:
        space.world.record(stored("harbour lantern"))
        file, archive = File(space.store.live_path, 1_000_000), File(space.store.archive_path, 1_000_000)
        flush(space, [file, archive])
        file.told(file.kept, [1], 100)
        space.world.run(Act("recall"))
        flush(space, [file, archive])
        assert (len(file.kept.gists.gists), len(file.kept.vitals)) == (1, 0)
        file.close()
        archive.close()


@pytest.mark.parametrize("members", [1, 2, 5, 30])
def test_sides_are_the_neighbours_in_the_table(members: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reveried.state.gist_reads.LONG_SESSION", 10)
    with workspace() as space:
        for n in range(members * 2):
            space.world.record(stored(f"note {n}", session_id=f"s{n % 2}"))
        space.flush()
        file = File(space.store.live_path, 0)
        said = {id_: ("default", f"s{n % 2}") for n, id_ in enumerate(space.world.ids)}
        assert sides_of(file, KeptGists(0), said) == neighbours(file, space.world.ids)
        file.close()


def test_what_was_read_before_a_write_is_not_kept_after_it() -> None:
    kept: Kept[int, str] = Kept(100, len)
    mark = kept.mark()
    kept.forget([2])
    kept.keep(mark, {1: "read before"})
    assert kept.known([1]) == {}
    kept.keep(kept.mark(), {1: "read after"})
    assert kept.known([1, 2]) == {1: "read after"}


def test_no_more_is_kept_than_there_is_room_for() -> None:
    kept: Kept[int, str] = Kept(100, len)
    for n in range(50):
        kept.keep(kept.mark(), {n: "x" * 10})
    assert 0 < len(kept) <= 10
    assert 49 in kept.known(range(50)), "the newest went before the oldest"
    kept.keep(kept.mark(), {99: "y" * 101})
    assert len(kept) == 0
