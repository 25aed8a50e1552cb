"""A conflict is open while nobody has settled it, and gone with either side."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from reveried.domain.events import ConflictDetected, ConflictResolved, Event, MemoryErased, MemoryPinned, Recorded
from reveried.state.conflicts import Conflicts

FLAGGED = ConflictDetected(against=1, rule="numbers", confidence=0.6, mode="ask", outcome="flagged")


def placed(seq: int, event: Event, subject: int | None = 2) -> Recorded:
    return Recorded(seq, seq * 10, "default", subject, "tests", None, event.type, event)


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(Conflicts.ddl)
        yield db


def after(db: sqlite3.Connection, *events: Recorded) -> list[tuple[object, ...]]:
    Conflicts().apply(db, events, (), bulk=False)
    return db.execute("SELECT id, new, known, open, resolved_at, resolution, winner FROM conflicts").fetchall()


@pytest.mark.parametrize(
    ("outcome", "open_", "winner"),
    [("flagged", 1, None), ("existing_kept", 0, 1), ("new_used", 0, 2), ("merged", 0, 1)],
)
def test_one_that_was_settled_at_once_has_a_winner(
    db: sqlite3.Connection, outcome: str, open_: int, winner: int | None
) -> None:
    event = ConflictDetected(against=1, rule="numbers", confidence=0.6, mode="ask", outcome=outcome)
    assert after(db, placed(5, event), placed(6, MemoryPinned())) == [(5, 2, 1, open_, None, None, winner)]


@pytest.mark.parametrize(("mode", "open_", "winner"), [("use_new", 0, 2), ("ask", 1, None)])
def test_who_settles_it_closes_it_unless_it_is_to_be_asked_again(
    db: sqlite3.Connection, mode: str, open_: int, winner: int | None
) -> None:
    resolved = placed(7, ConflictResolved(conflict=5, new=2, known=1, mode=mode, winner=winner))
    assert after(db, placed(5, FLAGGED), resolved) == [(5, 2, 1, open_, 70, mode, winner)]


@pytest.mark.parametrize(("erased", "left"), [(1, 0), (2, 0), (3, 1)])
def test_it_is_gone_with_either_side(db: sqlite3.Connection, erased: int, left: int) -> None:
    assert len(after(db, placed(5, FLAGGED), placed(9, MemoryErased(), erased))) == left
