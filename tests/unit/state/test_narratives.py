"""Narratives are one chain, of which an erasure takes the words and not the place."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from reveried.domain.events import Event, MemoryErased, NarrativeWritten, Recorded, SessionStarted
from reveried.state.narratives import Narratives, latest_now, narratives_now


def placed(seq: int, event: Event | None, subject: int | None = None, namespace: str = "default") -> Recorded:
    type_ = NarrativeWritten.type if event is None else event.type
    return Recorded(seq, seq * 10, namespace, subject, "tests", None, type_, event)


FIRST = placed(3, NarrativeWritten(summary="We began.", topic="harbor", memories=(1, 2)))
SECOND = placed(5, NarrativeWritten(summary="We went on.", memories=(2,), trust="low"))
ELSEWHERE = placed(6, NarrativeWritten(summary="Far away.", memories=(4,)), namespace="other")


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:")) as db:
        db.executescript(Narratives.ddl)
        yield db


def apply(db: sqlite3.Connection, *events: Recorded) -> None:
    Narratives().apply(db, events, (), bulk=False)


def rows(db: sqlite3.Connection, columns: str) -> list[tuple[object, ...]]:
    return db.execute(f"SELECT {columns} FROM narratives ORDER BY id").fetchall()


def test_each_names_the_one_before_it_in_its_namespace(db: sqlite3.Connection) -> None:
    apply(db, FIRST, SECOND, ELSEWHERE)
    apply(db, FIRST, SECOND)
    assert rows(db, "id, at, previous, trust") == [(3, 30, None, "normal"), (5, 50, 3, "low"), (6, 60, None, "normal")]


def test_an_erased_one_keeps_its_place_and_loses_its_words(db: sqlite3.Connection) -> None:
    apply(db, FIRST, SECOND, placed(7, MemoryErased(), 3), placed(8, SessionStarted(session_id="s")))
    assert rows(db, "id, summary, topic, memories, previous, erased")[0] == (3, "", "", "[]", None, 1)
    assert rows(db, "summary, previous, erased")[1] == ("We went on.", 3, 0)


def test_one_whose_words_are_gone_from_the_log_is_told_like_one_erased_here(db: sqlite3.Connection) -> None:
    apply(db, placed(3, None), SECOND)
    assert rows(db, "id, summary, memories, trust, previous, erased") == [
        (3, "", "[]", "normal", None, 1),
        (5, "We went on.", "[2]", "low", 3, 0),
    ]


def test_the_latest_counts_what_no_table_holds_yet(db: sqlite3.Connection) -> None:
    assert latest_now(db, [], "default") is None
    apply(db, FIRST)
    assert latest_now(db, [ELSEWHERE], "default") == 3
    assert latest_now(db, [SECOND, ELSEWHERE], "default") == 5
    assert latest_now(db, [placed(9, None), placed(10, MemoryErased(), 9)], "default") == 9


def test_those_with_words_count_what_no_table_holds_yet(db: sqlite3.Connection) -> None:
    apply(db, FIRST)
    assert narratives_now(db, [SECOND, ELSEWHERE], "default") == {3: (1, 2), 5: (2,)}
    pending = [SECOND, placed(7, MemoryErased(), 3), placed(8, MemoryErased(), 77)]
    assert narratives_now(db, pending, "default") == {5: (2,)}
    apply(db, *pending)
    assert narratives_now(db, [], "default") == {5: (2,)}
