"""The log keeps its promises: gapless, never back in time, all or nothing, and forgetful when asked to be."""

import base64
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from reveried.domain.events import (
    ConfigChanged,
    MemoryAccessed,
    MemoryErased,
    MemoryPinned,
    MemoryRecalled,
    MemoryReinforced,
    MemoryTagged,
)
from reveried.errors import LogDamaged, StorageFailed, StorageFull
from reveried.log import database
from reveried.log.sqlite import KEYS_A_QUERY, SqliteLog
from reveried.ports import NewEvent
from unit.domain.histories import reworded, stored

CANARY = "xylophonist"


def new(event: object, subject: int | None = None, key: str | None = None, namespace: str = "default") -> NewEvent:
    return NewEvent(namespace, "tests", event, subject, key)  # type: ignore[arg-type]


def append(log: SqliteLog, *events: NewEvent, now: int = 1_000) -> list[int]:
    seqs = [log.stage(event, now).seq for event in events]
    log.commit()
    return seqs


def test_numbers_are_gapless_also_across_a_reopening(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    for expected in ([1, 2], [3, 4]):
        log = SqliteLog(path)
        assert append(log, new(stored("one")), new(stored("two"))) == expected
        log.close()
    log = SqliteLog(path)
    assert [recorded.seq for recorded in log.read(0)] == [1, 2, 3, 4]
    assert log.verify().problems == []
    log.close()


def test_the_first_event_keeps_its_number_and_its_time(log: SqliteLog) -> None:
    assert (log.head, log.stage(new(stored()), 0).at) == (0, 0)


def test_time_never_decreases_when_the_clock_steps_back(log: SqliteLog, tmp_path: Path) -> None:
    append(log, new(stored()), now=5_000)
    append(log, new(MemoryPinned(), 1), now=1_000)
    append(log, new(MemoryPinned(), 1), now=6_000)
    assert [recorded.at for recorded in log.read(0)] == [5_000, 5_000, 6_000]
    log.close()
    again = SqliteLog(tmp_path / "log.db")
    assert again.stage(new(stored()), 2_000).at == 6_000
    again.close()
    log._db = sqlite3.connect(":memory:")


def test_what_is_read_is_what_was_staged(log: SqliteLog) -> None:
    given = [
        new(stored("one", metadata={"a": [1, {"b": None}]})),
        new(MemoryTagged(tags=("x",), request="r"), 1, key="k"),
        new(MemoryRecalled(query="who", ids=(1,), profile="hebbian")),
        new(ConfigChanged(changed={"recall.limit": 3}), namespace=""),
    ]
    recorded = [log.stage(event, 7) for event in given]
    log.commit()
    assert list(log.read(0)) == recorded
    assert [one.event for one in recorded] == [event.event for event in given]
    assert [one.subject for one in recorded] == [1, 1, None, None]


@pytest.mark.parametrize(
    ("after", "upto", "limit", "seqs"),
    [(0, None, None, [1, 2, 3]), (1, 2, None, [2]), (0, None, 2, [1, 2]), (3, None, None, [])],
)
def test_a_part_of_the_log_can_be_read(
    log: SqliteLog, after: int, upto: int | None, limit: int | None, seqs: list[int]
) -> None:
    append(log, *(new(stored(word)) for word in ("one", "two", "three")))
    assert [recorded.seq for recorded in log.read(after, upto, limit)] == seqs


def test_what_is_not_committed_is_not_in_the_log(log: SqliteLog) -> None:
    append(log, new(stored("one")))
    before = log.head, log.chain
    log.stage(new(stored("two")), 9_000)
    assert log.head == 2
    assert len(list(log.read(0))) == 1
    log.discard()
    log.commit()
    assert (log.head, log.chain) == before
    assert log.stage(new(stored("three")), 1_000).at == 1_000


def test_a_failed_commit_takes_back_everything_it_held(log: SqliteLog) -> None:
    append(log, new(stored("one"), key="same"))
    before = log.head, log.chain
    log.stage(new(stored("two")), 1_000)
    log.stage(new(stored("three"), key="same"), 1_000)
    with pytest.raises(StorageFailed, match="UNIQUE constraint failed"):
        log.commit()
    assert (log.head, log.chain) == before
    assert append(log, new(stored("four"))) == [2]
    assert log.verify().problems == []


def test_a_full_disk_stores_nothing_and_the_log_goes_on_when_there_is_room(log: SqliteLog) -> None:
    append(log, new(stored("one")))
    (pages,) = log._db.execute("PRAGMA page_count").fetchone()
    log._db.execute(f"PRAGMA max_page_count={pages}")
    log.stage(new(stored("small")), 1_000)
    log.stage(new(stored("large " * 5_000)), 1_000)
    with pytest.raises(StorageFull, match="nothing was stored"):
        log.commit()
    assert log.head == 1
    assert [recorded.seq for recorded in log.read(0)] == [1]
    log._db.execute("PRAGMA max_page_count=1000000")
    assert append(log, new(stored("large " * 5_000))) == [2]
    assert log.verify().problems == []


def test_an_event_is_found_by_its_key(log: SqliteLog) -> None:
    append(log, new(stored("one"), key="k1"), new(MemoryPinned(request="r"), 1, "k2"))
    found = log.by_key("default", "k2")
    assert found is not None
    assert (found.seq, found.subject, found.event) == (2, 1, MemoryPinned(request="r"))
    assert log.by_key("default", "k3") is None


def test_any_number_of_keys_is_looked_up_at_once(log: SqliteLog) -> None:
    append(log, *(new(stored(f"one {n}"), key=f"k{n}") for n in range(3)))
    asked = [f"none{n}" for n in range(2 * KEYS_A_QUERY)]
    found = log.by_keys("default", ["k2", *asked, "k0"])
    assert {key: one.seq for key, one in found.items()} == {"k0": 1, "k2": 3}
    assert log.by_keys("other", ["k0"]) == log.by_keys("default", []) == {}


def test_events_are_found_by_type(log: SqliteLog) -> None:
    append(log, new(stored("one")), new(MemoryPinned(), 1), new(stored("two")))
    assert [recorded.seq for recorded in log.of_type("memory.stored")] == [1, 3]


def test_erasing_empties_every_event_about_a_memory_and_no_other(log: SqliteLog) -> None:
    append(log, new(stored("secret garden")), new(stored("other thing")), new(MemoryReinforced(amount=3), 1))
    append(log, new(reworded("secret plan"), 1), new(MemoryTagged(tags=("x",)), 1), new(MemoryPinned(), 2))
    append(log, new(MemoryAccessed(ids=(1, 2), how="timeline")))
    erased = log.erase(1, new(MemoryErased(reason="asked"), 1, "key"), 2_000)
    assert (erased.seq, erased.type, log.head) == (8, "memory.erased", 8)
    assert [recorded.seq for recorded in log.read(0) if recorded.event is None] == [1, 3, 4, 5]
    assert log.by_key("default", "key") == erased
    report = log.verify()
    assert (report.problems, report.erased) == ([], 4)


@pytest.mark.parametrize(
    ("query", "ids", "namespace", "redacted"),
    [
        ("anything at all", (1,), "default", True),
        ("where is the GARDEN?", (), "default", True),
        ("reworded", (2,), "default", True),
        ("東京", (), "default", True),
        ("weather tomorrow", (2,), "default", False),
        ("the and for", (), "default", False),
        ("garden", (), "other", False),
    ],
)
def test_queries_that_could_tell_the_words_are_redacted(
    log: SqliteLog, query: str, ids: tuple[int, ...], namespace: str, redacted: bool
) -> None:
    append(log, new(stored("the secret garden 東京駅")), new(stored("bread")), new(reworded("then reworded"), 1))
    append(log, new(MemoryRecalled(query=query, ids=ids, profile="hebbian"), namespace=namespace))
    log.erase(1, new(MemoryErased(), 1), 2_000)
    (recall,) = log.of_type("memory.recalled")
    assert recall.event == MemoryRecalled(query="" if redacted else query, ids=ids, profile="hebbian")
    assert log.verify().problems == []
    log.erase(2, new(MemoryErased(), 2), 3_000)
    assert log.verify().problems == []


def forms(word: str) -> list[bytes]:
    plain = word.encode()
    coded = [base64.b64encode(plain[shift:]).strip(b"=")[:-1] for shift in range(3)]
    return [plain, word.encode("utf-16-le"), plain.hex().encode(), *coded]


def test_no_word_of_an_erased_memory_stays_in_any_file_of_the_log(log: SqliteLog, tmp_path: Path) -> None:
    append(log, *(new(stored(f"filler {number}")) for number in range(20)))
    append(log, new(stored(f"the {CANARY} plays")), new(reworded(f"{CANARY} again"), 21))
    append(log, new(MemoryRecalled(query=f"who is the {CANARY}", ids=(21,), profile="hebbian")))
    assert CANARY.encode() in b"".join(path.read_bytes() for path in tmp_path.iterdir())
    log.erase(21, new(MemoryErased(), 21), 2_000)
    for path in tmp_path.iterdir():
        for form in forms(CANARY):
            assert form not in path.read_bytes(), (path.name, form)
    assert log.verify().problems == []


def test_words_a_kill_left_in_the_write_ahead_log_go_at_the_next_opening(
    log: SqliteLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(log, new(stored(CANARY)))
    monkeypatch.setattr(SqliteLog, "scrub", lambda self: True)
    log.erase(1, new(MemoryErased(), 1), 2_000)
    for name in ("log.db", "log.db-wal"):  # the files as a kill would leave them
        (tmp_path / f"killed-{name}").write_bytes((tmp_path / name).read_bytes())
    assert CANARY.encode() in (tmp_path / "killed-log.db-wal").read_bytes()
    again = SqliteLog(tmp_path / "killed-log.db")
    left = b"".join(path.read_bytes() for path in tmp_path.glob("killed-*"))
    again.close()
    assert CANARY.encode() not in left


def test_an_unknown_event_is_never_skipped(log: SqliteLog) -> None:
    append(log, new(stored("one")), new(stored("two")))
    log._db.execute("UPDATE events SET type = 'memory.dreamt' WHERE seq = 1")
    with pytest.raises(LogDamaged, match=r"'memory\.dreamt'"):
        list(log.read(0))


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(LogDamaged, match="cannot be read"):
        SqliteLog(path)


def test_a_page_that_cannot_be_read_is_reported_as_damage(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    log = SqliteLog(path)
    append(log, *(new(stored("long words " * 200)) for _ in range(50)))
    log.close()
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 2 // 4096 * 4096)
        file.write(b"\xff" * 8192)
    log = SqliteLog(path)
    with pytest.raises(LogDamaged, match="the log cannot be read"):
        list(log.read(0))
    assert any("unreadable" in problem for problem in log.verify().problems)
    log.close()


def test_a_copy_is_whole_private_and_leaves_nothing_beside_it(log: SqliteLog, tmp_path: Path) -> None:
    append(log, new(stored("one")), new(stored("two")))
    out = tmp_path / "copies"
    out.mkdir()
    (out / "copy.db.partial").write_bytes(b"left by a kill")
    log.copy_to(out / "copy.db")
    assert [(path.name, path.stat().st_mode & 0o777) for path in out.iterdir()] == [("copy.db", 0o600)]
    copy = SqliteLog(out / "copy.db")
    assert (copy.chain, list(copy.read(0))) == (log.chain, list(log.read(0)))
    copy.close()


def test_a_checkpoint_follows_the_size_of_the_write_ahead_log(log: SqliteLog, tmp_path: Path) -> None:
    append(log, new(stored("one")))
    wal = tmp_path / "log.db-wal"
    log.checkpoint_if_large(1_000, 1_000_000)
    assert wal.stat().st_size > 0
    log.checkpoint_if_large(0, 1_000_000)
    assert wal.stat().st_size == 0


def test_a_copy_that_cannot_be_written_leaves_nothing(log: SqliteLog, tmp_path: Path) -> None:
    append(log, new(stored("one")))
    with pytest.raises(StorageFailed, match="copying"):
        log.copy_to(tmp_path / "nowhere" / "copy.db")
    assert log.verify().head == 1


def test_a_reader_of_an_old_page_puts_off_what_was_to_be_left_of_nothing(log: SqliteLog) -> None:
    append(log, new(stored(CANARY)))
    log._db.execute("PRAGMA busy_timeout=1")
    with closing(database.open_reader(log.path)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM events").fetchone()
        log.erase(1, new(MemoryErased(), 1), 2_000)
        assert not log.scrub()
        reader.execute("ROLLBACK")
    assert log.scrub()
