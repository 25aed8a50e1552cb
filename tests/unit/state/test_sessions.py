"""A session goes on, ends and is told of; what no table holds yet counts as well."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from reveried.domain.events import (
    Event,
    MemoryCompressed,
    MemoryErased,
    MemoryPinned,
    Recorded,
    SessionEnded,
    SessionStarted,
)
from reveried.state.sessions import SessionRow, Sessions, session_now

STARTED, ENDED = SessionStarted(session_id="s"), SessionEnded(session_id="s", ids=(1,))


def placed(seq: int, event: Event, subject: int | None = None, namespace: str = "default") -> Recorded:
    return Recorded(seq, seq * 10, namespace, subject, "tests", None, event.type, event)


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(Sessions.ddl)
        yield db


LIFE = [placed(1, STARTED), placed(4, ENDED, 4), placed(6, STARTED), placed(8, ENDED, 8)]
COMPRESSED = placed(9, MemoryCompressed(session_id="s", ids=(1,)), 9)
ROWS = [
    SessionRow("default", "s", 10),
    SessionRow("default", "s", 10, 40, 4),
    SessionRow("default", "s", 10, None, 4),
    SessionRow("default", "s", 10, 80, 8),
    SessionRow("default", "s", 10, 80, 8, 9),
]


@pytest.mark.parametrize("applied", range(6))
def test_a_session_is_the_same_whether_its_events_are_applied_or_pending(db: sqlite3.Connection, applied: int) -> None:
    events = [*LIFE, COMPRESSED]
    Sessions().apply(db, events[:applied], (), bulk=False)
    for upto in range(max(applied, 1), 6):
        assert session_now(db, events[applied:upto], "default", "s") == ROWS[upto - 1]


def test_another_session_and_another_namespace_are_none_of_it(db: sqlite3.Connection) -> None:
    others = [
        placed(1, STARTED, namespace="other"),
        placed(2, SessionStarted(session_id="t")),
        placed(3, MemoryErased(), 1),
        placed(5, MemoryPinned(), 1),
    ]
    assert session_now(db, others, "default", "s") is None
    Sessions().apply(db, others, (), bulk=False)
    assert session_now(db, [], "default", "s") is None
    assert [row.is_open for row in (ROWS[0], ROWS[1], SessionRow("default", "s"))] == [True, False, False]


@pytest.mark.parametrize(("erased", "left"), [(8, (None, 9)), (9, (8, None)), (7, (8, 9))])
def test_an_erased_account_is_forgotten(
    db: sqlite3.Connection, erased: int, left: tuple[int | None, int | None]
) -> None:
    Sessions().apply(db, [*LIFE, COMPRESSED, placed(10, MemoryErased(), erased)], (), bulk=False)
    row = session_now(db, [], "default", "s")
    assert row is not None
    assert (row.account, row.compressed_into) == left
