"""Batches that fit, links that find their end, and a tally that says what became of everything."""

from typing import Any

import pytest

from reverie.protocol.limits import MAX_BATCH, MAX_FRAME
from reverie.protocol.requests import Arrival, Draft, ImportMany, Life
from reverie.protocol.results import Written, WrittenMany
from reverie.protocol.session import Call, ClientSession
from reverie.transfer.receiving import Importer
from reverie.transfer.records import Found, Skipped


class Daemon:
    """Answers import_many from a script: everything is stored, unless the content says otherwise."""

    def __init__(self) -> None:
        self.batches: list[list[Arrival]] = []
        self.stored: dict[str, tuple[int, Arrival]] = {}

    def import_many(self, arrivals: list[Arrival]) -> WrittenMany:
        ClientSession("t", "default").ask(Call(ImportMany(id=0, arrivals=arrivals), WrittenMany))  # it fits a frame
        self.batches.append(arrivals)
        return WrittenMany(results=[self._written(arrival) for arrival in arrivals])

    def _written(self, arrival: Arrival) -> Written:
        twin = next((id_ for id_, one in self.stored.values() if one.memory.content == arrival.memory.content), None)
        if arrival.memory.content == "refuse me":
            return Written(id=0, outcome="rejected", seq=0, notes=["too long"])
        if arrival.memory.dedup and twin is not None and arrival.key not in self.stored:
            return Written(id=twin, outcome="duplicate", seq=0)
        repeated = arrival.key in self.stored
        id_, _ = self.stored.setdefault(arrival.key, (100 + len(self.stored), arrival))
        return Written(id=id_, outcome="stored", seq=id_, repeated=repeated)


def found(number: int | None = None, content: str | None = None, **more: Any) -> Found:
    words = content or f"memory {number}"
    return Found(place=f"f:{number}", key=f"k{number}", draft=Draft(content=words), ref=number, **more)


@pytest.fixture
def daemon() -> Daemon:
    return Daemon()


def imported(daemon: Daemon, *items: Found | Skipped, namespace: str | None = None) -> Importer:
    importer = Importer(lambda _: daemon, namespace)  # type: ignore[arg-type, return-value]
    for item in items:
        importer.take(item)
    importer.finish()
    return importer


def life_of(daemon: Daemon, number: int) -> Life:
    life = daemon.stored[f"k{number}"][1].life
    assert life is not None
    return life


def test_batches_hold_what_the_daemon_takes(daemon: Daemon) -> None:
    imported(daemon, *(found(number) for number in range(2_500)))
    assert [len(batch) for batch in daemon.batches] == [MAX_BATCH, MAX_BATCH, 500]


def test_long_memories_and_many_values_make_smaller_batches(daemon: Daemon) -> None:
    imported(daemon, *(found(number, f"{number} " + "é" * 90_000) for number in range(20)))
    assert max(len(batch) for batch in daemon.batches) == (MAX_FRAME - 64 * 1024) // (180_000 + 50)
    wide = [found(number + 100) for number in range(200)]
    for one in wide:
        one.draft.metadata = {f"f{field}": [1, 2, 3] for field in range(200)}
    imported(daemon, *wide)
    assert sum(len(batch) for batch in daemon.batches) == 220


@pytest.mark.parametrize(
    "metadata",
    [
        {"n": 1 << 70},
        {"deep": None},
        {f"f{n}": 1 for n in range(1_001)},
        {"list": list(range(10_001))},
        {"x": "\ud800"},
    ],
)
def test_a_record_that_no_message_can_carry_costs_only_itself(daemon: Daemon, metadata: dict[str, Any]) -> None:
    bad = found(1)
    deep: list[Any] = []
    for _ in range(40):
        deep = [deep]
    bad.draft.metadata = {"deep": deep} if "deep" in metadata else metadata
    tally = imported(daemon, found(0), bad, found(2)).tally
    assert [problem.place for problem in tally.problems] == ["f:1"]
    assert len(daemon.stored) == 2


def test_a_link_is_sent_with_the_new_number_whichever_comes_first(daemon: Daemon) -> None:
    old = found(5, links={"superseded_by": 9}, life=Life(whole=True))
    child = found(10, links={"parent_id": 9}, life=Life(whole=True))
    imported(daemon, old, found(9), child)
    successor, _ = daemon.stored["k9"]
    assert life_of(daemon, 5).superseded_by == successor
    assert daemon.stored["k10"][1].memory.parent_id == successor


def test_a_chain_against_the_order_of_the_file_is_followed_to_its_end(daemon: Daemon) -> None:
    chain = [found(n, links={"superseded_by": n + 1}, life=Life(whole=True)) for n in range(50)]
    imported(daemon, *chain, found(50))
    for number in range(50):
        assert life_of(daemon, number).superseded_by == daemon.stored[f"k{number + 1}"][0]


def test_what_names_a_memory_that_is_not_there_stays_replaced_by_nobody_in_particular(daemon: Daemon) -> None:
    orphan = found(5, links={"superseded_by": 77, "parent_id": 66}, life=Life(whole=True))
    heir = found(4, links={"superseded_by": 5}, life=Life(whole=True))
    tally = imported(daemon, heir, orphan).tally
    assert life_of(daemon, 5).superseded_by == 0
    assert daemon.stored["k5"][1].memory.parent_id == 66
    assert life_of(daemon, 4).superseded_by == daemon.stored["k5"][0]
    assert tally.counts["open links"] == 2


def test_a_circle_is_opened_and_nothing_is_held_back(daemon: Daemon) -> None:
    one = found(1, links={"superseded_by": 2}, life=Life(whole=True))
    two = found(2, links={"compressed_into": 1}, life=Life(whole=True))
    imported(daemon, one, two)
    assert len(daemon.stored) == 2


def test_twins_of_the_same_file_are_both_kept_and_twins_of_others_are_not(daemon: Daemon) -> None:
    daemon.import_many([Arrival(key="before", memory=Draft(content="known"))])
    items = [found(1, "same"), found(2, "same"), found(3, "known"), found(None, "same")]
    tally = imported(daemon, *items).tally
    assert tally.counts["stored"] == 2
    assert tally.counts["duplicate"] == 2


def test_a_second_run_brings_nothing_new(daemon: Daemon) -> None:
    items = [found(1, "same"), found(2, "same"), found(3, links={"superseded_by": 1}, life=Life(whole=True))]
    imported(daemon, *items)
    counts = imported(daemon, *items).tally.counts
    assert (counts["repeated"], counts["stored"], counts["read"]) == (3, 0, 3)


def test_what_the_daemon_rejects_is_reported_where_it_stands(daemon: Daemon) -> None:
    tally = imported(daemon, found(1), found(2, "refuse me"), Skipped(place="f:9", reason="no JSON")).tally
    assert [(one.place, one.reason) for one in tally.problems] == [("f:9", "no JSON"), ("f:2", "too long")]
    assert tally.counts["bad"] == 2


def test_the_same_record_twice_in_one_file_is_sent_apart(daemon: Daemon) -> None:
    imported(daemon, found(1), found(1))
    assert [len(batch) for batch in daemon.batches] == [1, 1]


def test_times_ahead_of_the_clock_are_taken_as_now(daemon: Daemon) -> None:
    ahead = 1 << 60
    one = found(1, life=Life(whole=True, last_accessed_at=ahead, stored_at=5))
    one.draft.created_at = ahead
    imported(daemon, one)
    arrival = daemon.stored["k1"][1]
    assert arrival.memory.created_at is None
    assert arrival.life is not None
    assert arrival.life.last_accessed_at is not None
    assert arrival.life.last_accessed_at < ahead
    assert arrival.life.stored_at == 5
