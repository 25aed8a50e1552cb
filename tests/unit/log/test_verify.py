"""Verification finds and names what was changed behind the log's back: 'event 7: ...'."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reveried.domain.events import MemoryErased, MemoryPinned, MemoryRecalled, MemoryTransitioned
from reveried.log.sqlite import SqliteLog
from reveried.log.verify import MAX_PROBLEMS, unlike, verify_rows
from unit.domain.histories import stored
from unit.log.test_sqlite import append, new

EVENTS = 8


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> sqlite3.Connection:
    """A log with every kind of row: erased, redacted, keyed, of several namespaces."""
    path: Path = tmp_path_factory.mktemp("verify") / "log.db"
    log = SqliteLog(path)
    append(log, new(stored("one garden")), new(stored("two"), key="k"), new(stored("three"), namespace="other"), now=10)
    append(log, new(MemoryRecalled(query="garden", ids=(1,), profile="hebbian")), now=20)
    append(log, new(MemoryRecalled(query="other", ids=(2,), profile="hebbian")), new(MemoryPinned(), 2), now=30)
    moved = MemoryTransitioned(ids=(2,), what="tier", before="hot", after="warm", reason="moderate_priority")
    append(log, new(moved), now=40)
    log.erase(1, new(MemoryErased(), 1), 50)
    assert log.head == EVENTS
    copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    log._db.backup(copy)
    log.close()
    return copy


@pytest.fixture
def db(sound: sqlite3.Connection) -> sqlite3.Connection:
    return copied(sound)


def copied(sound: sqlite3.Connection) -> sqlite3.Connection:
    copy = sqlite3.connect(":memory:", isolation_level=None)
    sound.backup(copy)
    return copy


def test_a_sound_log_has_no_problems(db: sqlite3.Connection) -> None:
    report = verify_rows(db)
    (chain,) = db.execute("SELECT chain FROM events WHERE seq = ?", (EVENTS,)).fetchone()
    assert (report.problems, report.events, report.head, report.erased) == ([], EVENTS, EVENTS, 1)
    assert report.chain == chain.hex()


def test_an_empty_log_is_sound(db: sqlite3.Connection) -> None:
    db.execute("DELETE FROM events")
    assert (verify_rows(db).problems, verify_rows(db).head) == ([], 0)


def flip(db: sqlite3.Connection, seq: int, column: str, byte: int, bit: int = 0) -> None:
    (blob,) = db.execute(f"SELECT {column} FROM events WHERE seq = ?", (seq,)).fetchone()
    changed = bytearray(blob)
    changed[byte % len(changed)] ^= 1 << bit
    db.execute(f"UPDATE events SET {column} = ? WHERE seq = ?", (bytes(changed), seq))


def swap(db: sqlite3.Connection, one: int, other: int) -> None:
    for before, after in ((one, -1), (other, one), (-1, other)):
        db.execute("UPDATE events SET seq = ? WHERE seq = ?", (after, before))


def run(sql: str) -> Callable[[sqlite3.Connection], object]:
    return lambda db: db.execute(sql)


@pytest.mark.parametrize(
    ("tamper", "problem"),
    [
        pytest.param(
            lambda db: flip(db, 2, "payload", 40), "event 2: its payload does not match its digest", id="flip"
        ),
        pytest.param(
            lambda db: flip(db, 5, "payload", 40), "event 5: its payload does not match", id="flip in a recall"
        ),
        pytest.param(lambda db: flip(db, 3, "digest", 5), "event 3: the chain is broken here", id="digest"),
        pytest.param(lambda db: flip(db, 8, "chain", 5), "event 8: the chain is broken here", id="last chain value"),
        pytest.param(run("UPDATE events SET actor = 'x' WHERE seq = 6"), "event 6: the chain is broken", id="actor"),
        pytest.param(run("UPDATE events SET at = 1 WHERE seq = 4"), "event 4: recorded before the one", id="time"),
        pytest.param(run("DELETE FROM events WHERE seq = 3"), "event 3: missing (the next one is 4)", id="deleted"),
        pytest.param(run("DELETE FROM events WHERE seq < 3"), "event 1: missing (the next one is 3)", id="beheaded"),
        pytest.param(
            run("UPDATE events SET seq = 20 WHERE seq = 8"), "event 8: missing (the next one is 20)", id="gap"
        ),
        pytest.param(lambda db: swap(db, 2, 3), "event 2: the chain is broken here", id="swapped"),
        pytest.param(
            run("UPDATE events SET payload = NULL WHERE seq = 2"), "event 2: its payload is gone", id="emptied"
        ),
        pytest.param(
            run("UPDATE events SET payload = NULL WHERE seq = 7"), "event 7: its payload is gone", id="unemptiable"
        ),
        pytest.param(
            run("UPDATE events SET payload = x'' WHERE seq = 4"), "event 4: its payload does not", id="blank recall"
        ),
        pytest.param(
            run("UPDATE events SET payload = x'5b315d' WHERE seq = 4"), "event 4: its payload does not", id="no map"
        ),
        pytest.param(
            run("UPDATE events SET payload = '[1]' WHERE seq = 4"), "event 4: unreadable (a column", id="text, no bytes"
        ),
        pytest.param(
            run('UPDATE events SET payload = CAST(\'{"query":{"text":1,"salt":2}}\' AS BLOB) WHERE seq = 4'),
            "event 4: its payload does not",
            id="numbers for texts",
        ),
        pytest.param(
            run("UPDATE events SET actor = CAST(x'ff' AS TEXT) WHERE seq = 5"), "event 5: unreadable", id="not utf-8"
        ),
    ],
)
def test_damage_is_found_and_named(
    db: sqlite3.Connection, tamper: Callable[[sqlite3.Connection], object], problem: str
) -> None:
    db.execute("PRAGMA ignore_check_constraints=1")
    loosened(db)
    tamper(db)
    assert any(found.startswith(problem) for found in verify_rows(db).problems), verify_rows(db).problems


def loosened(db: sqlite3.Connection) -> None:
    """The same rows in a table that takes any type: damage on the disk does not ask for permission."""
    db.execute("CREATE TABLE loose AS SELECT * FROM events")
    db.execute("DROP TABLE events")
    db.execute("ALTER TABLE loose RENAME TO events")


def test_a_cut_off_tail_is_a_sound_but_shorter_log_that_only_a_kept_head_tells_apart(db: sqlite3.Connection) -> None:
    """Every prefix of a chain is a chain; what is missing shows by comparing with a head noted elsewhere.

    An erasure that is cut off shows all the same: the events it emptied are left unaccounted for.
    """
    whole = verify_rows(db).chain
    db.execute("DELETE FROM events WHERE seq = 8")
    cut = verify_rows(db)
    assert cut.problems == ["event 1: its payload is gone, and no erasure accounts for it"]
    assert cut.chain != whole


def test_a_head_noted_elsewhere_tells_what_has_become_of_the_log(db: sqlite3.Connection) -> None:
    (chain,) = db.execute("SELECT chain FROM events WHERE seq = 7").fetchone()
    assert unlike(db, f"7:{chain.hex()[:16]}") == ""
    assert unlike(db, f"6:{chain.hex()[:16]}") == "event 6: not the one that the log once ended with"
    assert unlike(db, f"9:{chain.hex()}") == "event 9: missing, though the log once ended with it"


def test_every_prefix_of_a_log_without_erasures_verifies(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "log.db")
    append(log, *(new(stored(f"number {number}")) for number in range(5)))
    for kept in (4, 2, 0):
        log._db.execute("DELETE FROM events WHERE seq > ?", (kept,))
        report = log.verify()
        assert (report.problems, report.head) == ([], kept)
        assert report.chain != log.chain.hex()
    log.close()


def test_the_walk_stops_after_enough_problems(tmp_path: Path) -> None:
    log = SqliteLog(tmp_path / "log.db")
    append(log, *(new(stored(f"number {number}")) for number in range(50)))
    log._db.execute("UPDATE events SET actor = 'x'")
    assert len(log.verify().problems) == MAX_PROBLEMS
    log.close()


TEXTS = ("type", "namespace", "actor", "key")
NUMBERS = ("seq", "at", "subject")
BLOBS = ("payload", "digest", "chain")


@settings(max_examples=300, deadline=None)
@given(st.data(), st.integers(1, EVENTS), st.sampled_from([*TEXTS, *NUMBERS, *BLOBS]))
def test_any_edit_of_any_column_of_any_row_is_found(
    sound: sqlite3.Connection, data: st.DataObject, seq: int, column: str
) -> None:
    db = copied(sound)
    (before,) = db.execute(f"SELECT {column} FROM events WHERE seq = ?", (seq,)).fetchone()
    after = data.draw(edits(column, before).filter(lambda value: value != before))
    db.execute(f"UPDATE events SET {column} = ? WHERE seq = ?", (after, seq))
    problems = verify_rows(db).problems
    assert problems or same_words(before, after)
    db.close()


def edits(column: str, before: object) -> st.SearchStrategy[object]:
    if column in NUMBERS:
        return st.integers(EVENTS + 1 if column == "seq" else -(1 << 63), (1 << 63) - 1)
    if column in TEXTS:
        return st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20)
    flips = (
        st.tuples(st.integers(0, len(before) - 1), st.integers(1, 255)) if isinstance(before, bytes) else st.nothing()
    )
    return flips.map(lambda flip: flipped(before, *flip)) | st.binary(max_size=64)


def flipped(before: object, at: int, mask: int) -> bytes:
    assert isinstance(before, bytes)
    return before[:at] + bytes([before[at] ^ mask]) + before[at + 1 :]


def same_words(before: object, after: object) -> bool:
    """Another spelling of the same JSON in a redactable payload is no change of what was recorded."""
    if not (isinstance(before, bytes) and isinstance(after, bytes)):
        return False
    try:
        return bool(msgspec.json.decode(before) == msgspec.json.decode(after))
    except msgspec.DecodeError:
        return False
