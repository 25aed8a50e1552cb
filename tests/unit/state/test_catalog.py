"""What every projection must keep, whichever it is; a new one is tested by being in the catalogue."""

import sqlite3
from collections.abc import Sequence

import pytest
from hypothesis import given, settings

from reveried.domain.events import EVENTS, Recorded
from reveried.state.catalog import ARCHIVED, LIVE, ddl_of
from reveried.state.fold import Fold
from reveried.state.fulltext import open_vocabulary
from reveried.state.projection import Change, Projection, project
from unit.domain.histories import TEXTS, Act, histories
from unit.state.workspace import workspace

STORE, OTHER = Act("store"), Act("store", text=TEXTS[2])
SAID = Act("store", other=1, text="Sailed to the lighthouse.")
HISTORIES = [
    [STORE],
    [STORE, OTHER, Act("update", text="new words")],
    [STORE, OTHER, Act("archive"), Act("tag", 1, tag="x")],
    [STORE, OTHER, Act("supersede", 0, 1), Act("delete", 1)],
    [
        STORE,
        SAID,
        Act("begin"),
        Act("end"),
        Act("compress"),
        Act("narrate"),
        Act("narrate", text="later"),
        Act("unsay"),
    ],
]
every_projection = pytest.mark.parametrize(
    ("projections", "place"),
    [pytest.param(group, at, id=f"{name}-{one.name}") for name, group in (("live", LIVE), ("archived", ARCHIVED))
     for at, one in enumerate(group)],
)  # fmt: skip


class Table:
    """One database in memory, as a file of the state is, and what the projections under test know in it."""

    def __init__(self, projections: tuple[Projection, ...], *, indexes: bool = True) -> None:
        self.projections = projections
        self.db = sqlite3.connect(":memory:", isolation_level=None)
        self.db.executescript(ddl_of(projections, indexes=indexes))

    def apply(self, events: Sequence[Recorded], changes: Sequence[Change], *, bulk: bool = False) -> None:
        project(self.projections, self.db, events, changes, bulk=bulk)

    def known(self, place: int) -> list[object]:
        open_vocabulary(self.db)
        return [row for query in self.projections[place].digest_queries for row in self.db.execute(query)]


def folded(acts: list[Act]) -> tuple[list[Recorded], list[Change]]:
    """A batch over empty tables; for the archive the same changes serve, so that it has rows to hold."""
    with workspace() as space:
        for act in acts:
            if act.what != "flush":
                space.world.act(act)
        empty = Table(LIVE), Table(ARCHIVED)
        fold = Fold(empty[0].db, empty[1].db, 0)
        for recorded in space.store.fold.events:
            fold.apply(recorded)
        return fold.events, [*fold.live_changes(), *fold.archive_changes()]


# These histories run no job, receive no document, name nobody, link and contradict nothing: that has tests of its own.
OF_OTHER_HISTORIES = ("jobs", "documents", "entities", "conflicts", "links")
OF_TELLING = ("sessions", "narratives")


@every_projection
@pytest.mark.parametrize("acts", HISTORIES, ids=lambda acts: acts[-1].what)
def test_the_same_batch_seen_again_leaves_the_same_rows(
    projections: tuple[Projection, ...], place: int, acts: list[Act]
) -> None:
    events, changes = folded(acts)
    table = Table(projections)
    table.apply(events, changes)
    first = table.known(place)
    table.apply(events, [Change(change.id, change.after, change.after) for change in changes])
    assert table.known(place) == first
    elsewhere = OF_OTHER_HISTORIES if acts is HISTORIES[-1] else OF_OTHER_HISTORIES + OF_TELLING
    assert first or projections[place].name in elsewhere, "all else leaves rows"


@every_projection
def test_a_batch_taken_back_leaves_no_rows(projections: tuple[Projection, ...], place: int) -> None:
    _, changes = folded(HISTORIES[1])
    table = Table(projections)
    table.apply((), changes)
    table.apply((), [Change(change.id, change.after, None) for change in changes])
    assert table.known(place) == []


@settings(max_examples=25, deadline=None)
@given(histories)
def test_a_bulk_load_ends_in_the_same_rows(history: list[Act]) -> None:
    events, changes = folded(history)
    for projections in (LIVE, ARCHIVED):
        plain, bulk = Table(projections), Table(projections, indexes=False)
        plain.apply(events, changes)
        bulk.apply(events, changes, bulk=True)
        for projection in projections:
            projection.finish_bulk(bulk.db)
        for place, _ in enumerate(projections):
            assert bulk.known(place) == plain.known(place)


@every_projection
def test_scrubbing_changes_nothing_that_is_known(projections: tuple[Projection, ...], place: int) -> None:
    table = Table(projections)
    table.apply(*folded(HISTORIES[2]))
    before = table.known(place)
    projections[place].scrub(table.db)
    assert table.known(place) == before


def test_every_projection_has_its_own_name_tables_and_digest() -> None:
    for group in (LIVE, ARCHIVED):
        assert len({projection.name for projection in group}) == len(group)
        assert all(projection.ddl.strip() and projection.digest_queries for projection in group)


def test_a_projection_that_does_not_say_how_to_apply_a_change_is_a_defect() -> None:
    class Forgetful(Projection):
        name = "forgetful"

    with pytest.raises(AssertionError, match="forgetful does not say"):
        Forgetful().apply(sqlite3.connect(":memory:"), (), (), bulk=False)


@every_projection
def test_a_projection_is_told_only_of_events_that_there_are(projections: tuple[Projection, ...], place: int) -> None:
    assert projections[place].follows <= set(EVENTS)
