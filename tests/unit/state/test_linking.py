"""The links are what the log says of them, however its events are cut into batches."""

import sqlite3
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from reveried.domain.events import (
    Event,
    Link,
    MemoryErased,
    MemoryLinked,
    MemoryMerged,
    MemoryRecalled,
    MemoryReinforced,
    MemoryRestored,
    MemoryReviewed,
    MemorySuperseded,
    MemoryUnlinked,
    Recorded,
)
from reveried.domain.forgetting.units import DAY
from reveried.domain.linking.strength import COMPANIONS
from reveried.state import linking
from reveried.state.linking import TRIMMED_EVERY, Links
from reveried.state.links import COLUMNS, LinkRow

SAID = tuple[int | None, Event]


def recorded(said: Sequence[SAID]) -> list[Recorded]:
    return [
        Recorded(seq, seq * 1_000_000, "default", subject, "tests", None, event.type, event)
        for seq, (subject, event) in enumerate(said, 1)
    ]


class Table:
    def __init__(self, *, indexes: bool = True) -> None:
        self.db = sqlite3.connect(":memory:", isolation_level=None)
        self.db.executescript(Links.ddl)
        for index in Links.indexes if indexes else ():
            self.db.execute(index)

    def take(self, events: Sequence[Recorded]) -> "Table":
        Links().apply(self.db, events, (), bulk=False)
        return self

    @classmethod
    def of_bulk(cls, *batches: Sequence[Recorded]) -> "Table":
        table, links = cls(indexes=False), Links()
        for events in batches:
            links.apply(table.db, events, (), bulk=True)
        links.finish_bulk(table.db)
        return table

    def rows(self) -> list[LinkRow]:
        return [LinkRow(*row) for row in self.db.execute(f"SELECT {COLUMNS} FROM links ORDER BY a, b, kind")]

    def everything(self) -> list[object]:
        return [row for query in Links.digest_queries for row in self.db.execute(query)]


def linked(to: int, kind: str = "related_to", how: str = "proposed", **fields: float) -> MemoryLinked:
    return MemoryLinked(links=(Link(to=to, kind=kind, **fields),), how=how)  # type: ignore[arg-type]


def recalled(*ids: int) -> SAID:
    return None, MemoryRecalled(query="q", ids=ids, profile="p")


def rows_after(*said: SAID) -> list[LinkRow]:
    return Table().take(recorded(said)).rows()


def merged(into: int) -> MemoryMerged:
    return MemoryMerged(into=into, how="duplicate", added="")


ids = st.integers(1, 6)
kinds = st.sampled_from(["related_to", "similar_to", "references", "precedes", "follows"])
acts = st.one_of(
    st.builds(
        lambda one, to, kind, how: (one, linked(to, kind, how)),
        ids, ids, kinds, st.sampled_from(["asked", "proposed"]),
    ).filter(lambda said: said[0] != said[1].links[0].to),
    st.builds(
        lambda a, b, kind, why: (a, MemoryUnlinked(links=((a, b, kind),), reason=why)),
        ids, ids, kinds, st.sampled_from(["asked", "unverified"]),
    ),
    st.builds(lambda found: recalled(*found), st.lists(ids, max_size=6, unique=True)),
    st.builds(lambda one: (one, MemoryReinforced(amount=3)), ids),
    st.builds(lambda one, into: (one, merged(into)), ids, ids).filter(lambda said: said[0] != said[1].into),
    st.builds(lambda one, by: (one, MemorySuperseded(by=by)), ids, ids).filter(lambda said: said[0] != said[1].by),
    st.builds(lambda one: (one, MemoryRestored()), ids),
    st.builds(lambda one: (one, MemoryErased()), ids),
    st.builds(lambda of: (None, MemoryReviewed(ids=tuple(of), what="links")), st.lists(ids, max_size=3, unique=True)),
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(acts, max_size=25), st.integers(0, 25))
def test_any_cut_of_the_log_and_any_batch_seen_twice_leave_the_same_links(history: list[SAID], cut: int) -> None:
    events = recorded(history)
    whole = Table().take(events).everything()
    assert Table().take(events[:cut]).take(events[cut:]).everything() == whole
    assert Table().take(events[:cut]).take(events[cut:]).take(events[cut:]).everything() == whole


@pytest.mark.parametrize("most_held", [0, 3, 1_000])
@settings(max_examples=100, deadline=None)
@given(st.lists(acts, max_size=25), st.integers(0, 25))
def test_a_bulk_load_that_makes_room_now_and_then_leaves_the_same_links(
    most_held: int, history: list[SAID], cut: int
) -> None:
    events = recorded(history)
    with pytest.MonkeyPatch.context() as limits:
        limits.setattr(linking, "MOST_HELD", most_held)
        assert Table.of_bulk(events[:cut], events[cut:]).everything() == Table().take(events).everything()


def test_a_link_said_again_is_weighed_anew_and_keeps_its_beginning() -> None:
    (row,) = rows_after((2, linked(1, weight=0.2, confidence=0.2)), (1, linked(2, weight=0.5, confidence=0.5)))
    assert (row.a, row.b, row.weight, row.created_at, row.verified_at) == (1, 2, 0.5, 1_000_000, 2_000_000)


def test_what_somebody_said_stands_above_what_was_found() -> None:
    (row,) = rows_after((2, linked(1, how="asked")), (2, linked(1, weight=0.1)))
    assert (row.how, row.weight) == ("asked", 1.0)


def test_what_was_refused_is_not_proposed_again_but_can_be_asked_for() -> None:
    no = (2, MemoryUnlinked(links=((1, 2, "related_to"),), reason="asked"))
    assert [row.how for row in rows_after((2, linked(1)), no, (2, linked(1)))] == ["refused"]
    (row,) = rows_after((2, linked(1)), no, (2, linked(1, how="asked")))
    assert (row.how, row.created_at) == ("asked", 3_000_000)


def test_returned_together_is_counted_and_verifies_a_link() -> None:
    found, together = rows_after((5, linked(3)), recalled(5, 3, 9), recalled(3, 5))[:2][::-1]
    assert (together.kind, together.together, together.verified_at) == ("co_recalled", 2, 3_000_000)
    assert (found.kind, found.verified_at) == ("related_to", 3_000_000)


def test_both_must_help_after_the_same_recall() -> None:
    helped = MemoryReinforced(amount=3)
    assert rows_after(recalled(1, 2), (1, helped), (1, helped))[0].affirmed == 0
    assert rows_after(recalled(1, 2), (1, helped), recalled(1, 2), (2, helped))[0].affirmed == 0
    assert rows_after(recalled(1, 2), (1, helped), (2, helped), (2, helped))[0].affirmed == 1
    late = [Recorded(9, 2 * DAY + n, "default", n, "tests", None, helped.type, helped) for n in (1, 2)]
    assert Table().take(recorded([recalled(1, 2)])).take(late).rows()[0].affirmed == 0


def test_a_memory_has_only_so_many_companions_and_forgets_the_oldest() -> None:
    met = range(2, COMPANIONS + TRIMMED_EVERY * 2 + 2)
    rows = rows_after(*(recalled(1, other) for other in met))
    assert len(rows) <= COMPANIONS + TRIMMED_EVERY
    assert [row.b for row in rows] == list(met)[-len(rows) :]


def test_who_stands_for_both_takes_over_the_links() -> None:
    rows = rows_after((3, linked(1)), (3, linked(2)), recalled(1, 3), recalled(1, 2), recalled(1, 2), (3, merged(2)))
    assert [(row.a, row.b, row.kind, row.together) for row in rows] == [
        (1, 2, "co_recalled", 3),
        (1, 2, "related_to", 0),
    ]


def test_a_successor_is_linked_to_what_it_took_the_place_of_until_that_returns() -> None:
    (row,) = rows_after((1, MemorySuperseded(by=2)))
    assert (row.a, row.b, row.kind) == (2, 1, "supersedes")
    assert rows_after((1, MemorySuperseded(by=2)), (1, MemoryRestored())) == []


def test_an_erasure_takes_every_link_along() -> None:
    said = [
        (3, linked(1)),
        (1, linked(2, "references")),
        recalled(1, 2, 3),
        (None, MemoryReviewed(ids=(1,), what="links")),
    ]
    rows = Table().take(recorded([*said, (1, MemoryErased())])).everything()
    assert all(1 not in row[:2] for row in rows)  # type: ignore[index]


def test_who_proved_useful_stays_known_when_the_other_is_merged_into_a_younger_memory() -> None:
    useful = [recalled(3, 5), (5, MemoryReinforced(amount=3)), (3, merged(9))]
    for again, affirmed in ((5, 0), (9, 1)):
        (row,) = Table().take(recorded([*useful, (again, MemoryReinforced(amount=3))])).rows()
        assert (row.a, row.b, row.affirmed) == (5, 9, affirmed)


def test_what_was_erased_later_counts_in_a_replay_as_it_did_when_it_happened() -> None:
    said = recorded([recalled(3, 5), (3, MemoryReinforced(amount=3)), (3, merged(9)), (3, MemoryErased())])
    emptied = [replace(one, event=None) if one.type == MemoryReinforced.type else one for one in said]
    assert Table().take(emptied).rows() == Table().take(said).rows()
    assert Table.of_bulk(emptied).rows() == Table().take(said).rows()


def test_what_took_the_place_of_a_memory_does_not_take_that_of_the_one_it_is_merged_into() -> None:
    said = recorded([(1, MemorySuperseded(by=2)), (1, merged(3))])
    assert [(row.a, row.b, row.kind) for row in Table().take(said).rows()] == [(2, 1, "supersedes")]
    assert [(row.a, row.b) for row in rows_after((1, MemorySuperseded(by=2)), (2, merged(3)))] == [(3, 1)]


@pytest.mark.parametrize("refused", [False, True])
def test_a_memory_that_was_superseded_merged_and_erased_leaves_nothing_that_a_replay_does_not(refused: bool) -> None:
    no = [(1, MemoryUnlinked(links=((2, 1, "supersedes"),), reason="asked"))] if refused else []
    said = recorded([(1, MemorySuperseded(by=2)), *no, (1, merged(3)), (1, MemoryErased())])
    emptied = [replace(one, event=None) if one.type == MemorySuperseded.type else one for one in said]
    assert Table().take(said).rows() == Table().take(emptied).rows() == Table.of_bulk(emptied).rows() == []
