"""A damaged log is found, named, read as far as it can be, and never written to again."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from logfile import behind_its_back, rows
from reverie.errors import InvalidField, ReadOnly
from reveried.app.upkeep import VECTORS_DAMAGED
from reveried.domain.recalling.embedded import ITSELF
from reveried.state.soundness import with_sum
from running import RunningDaemon

Start = Callable[..., RunningDaemon]
A_VECTOR = "INSERT INTO vectors VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
VECTOR = ("model", 1, 0, "default", ITSELF, None, b"text", b"vector")
TEXTS = ["the first bell", "the second bell", "the third bell"]


@pytest.fixture
def stopped(start: Start) -> RunningDaemon:
    daemon = start()
    with daemon.client() as client:
        for text in TEXTS:
            client.store(text)
    assert daemon.stop() == 0
    return daemon


def _change(daemon: RunningDaemon, statement: str, *values: Any) -> None:
    with behind_its_back(daemon.data) as db:
        assert db.execute(statement, values).rowcount == 1


def _flip_a_payload_byte(daemon: RunningDaemon) -> None:
    ((payload,),) = rows(daemon.data, "SELECT payload FROM events WHERE seq = 2")
    changed = payload.replace(b"second", b"sicond")
    assert changed != payload
    _change(daemon, "UPDATE events SET payload = ? WHERE seq = 2", changed)


HARMS: dict[str, tuple[Callable[[RunningDaemon], None], str]] = {
    "a payload byte": (_flip_a_payload_byte, "event 2: its payload"),
    "the time": (lambda daemon: _change(daemon, "UPDATE events SET at = at + 1 WHERE seq = 2"), "event 2: the chain"),
    "the actor": (lambda daemon: _change(daemon, "UPDATE events SET actor = 'x' WHERE seq = 2"), "event 2: the chain"),
    "a missing row": (lambda daemon: _change(daemon, "DELETE FROM events WHERE seq = 2"), "event 2: missing"),
    "an emptied payload": (
        lambda daemon: _change(daemon, "UPDATE events SET payload = NULL WHERE seq = 2"),
        "event 2: its payload is gone",
    ),
}


@pytest.mark.parametrize("name", HARMS)
def test_a_changed_log_is_found_and_from_then_on_only_read(stopped: RunningDaemon, name: str) -> None:
    harm, complaint = HARMS[name]
    harm(stopped)
    stopped.start()
    with stopped.client() as client:
        report = client.verify()
        assert not report.ok
        assert report.problems[0].startswith(complaint)
        _serves_reads_and_refuses_writes(stopped)
        # The finding is no matter of luck or of this life: a restart does not forget it.
    stopped.kill()
    stopped.start()
    _serves_reads_and_refuses_writes(stopped)


def _serves_reads_and_refuses_writes(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        assert client.get(1).content == TEXTS[0]
        assert [memory.id for memory in client.recall("third bell").memories][:1] == [3]
        writes: list[Callable[[], object]] = [
            lambda: client.store("one more bell"),
            lambda: client.reinforce(1),
            lambda: client.erase(1),
        ]
        for write in writes:
            with pytest.raises(ReadOnly, match="event 2"):
                write()
        assert any("read-only" in line for line in client.status().degraded)
        assert not client.doctor().ok
    assert rows(daemon.data, "SELECT max(seq) FROM events") == [(3,)]


def test_a_mended_log_is_written_to_again(stopped: RunningDaemon) -> None:
    ((payload,),) = rows(stopped.data, "SELECT payload FROM events WHERE seq = 2")
    _flip_a_payload_byte(stopped)
    stopped.start()
    with stopped.client() as client:
        assert not client.verify().ok
    stopped.stop()
    _change(stopped, "UPDATE events SET payload = ? WHERE seq = 2", payload)
    stopped.start()
    with stopped.client() as client:
        assert client.verify().ok
        assert client.store("a bell at last").outcome == "stored"


def test_a_log_that_is_no_database_ends_the_start_with_65(stopped: RunningDaemon) -> None:
    (stopped.data / "log.db").write_bytes(b"not a database, not at all" * 500)
    code, said = stopped.refuses_to_start()
    assert code == 65
    assert "log.db cannot be read" in said
    assert "backup" in said
    assert "Traceback" not in said
    assert (stopped.data / "log.db").read_bytes().startswith(b"not a database"), "the evidence is kept"


@pytest.mark.parametrize("with_state", [True, False])
def test_an_event_of_an_unknown_type_is_never_skipped(stopped: RunningDaemon, with_state: bool) -> None:
    with behind_its_back(stopped.data) as db:
        db.execute(
            "INSERT INTO events SELECT 4, at, 'memory.dreamt', namespace, 1, actor, NULL, payload, digest, chain"
            " FROM events WHERE seq = 3"
        )
    if not with_state:
        (stopped.data / "state.db").unlink()
    stopped.start()
    with stopped.client() as client:
        assert [client.get(id_).content for id_ in (1, 2, 3)] == TEXTS
        with pytest.raises(ReadOnly, match=r"memory\.dreamt"):
            client.store("one more bell")


def _without_its_last_event(daemon: RunningDaemon) -> None:
    _change(daemon, "DELETE FROM events WHERE seq = 3")


def _with_another_last_event(daemon: RunningDaemon) -> None:
    _change(daemon, "UPDATE events SET chain = zeroblob(32) WHERE seq = 3")


@pytest.mark.parametrize(
    ("harm", "complaint"),
    [(_without_its_last_event, "event 3: missing"), (_with_another_last_event, "event 3: another one")],
)
def test_a_log_that_lost_its_end_is_not_taken_for_a_shorter_one(
    stopped: RunningDaemon, harm: Callable[[RunningDaemon], None], complaint: str
) -> None:
    harm(stopped)
    for _ in range(2):  # a restart does not forget it
        stopped.start()
        with stopped.client() as client:
            assert client.verify().problems[0].startswith(complaint)
            assert client.get(3).content == TEXTS[2], "the state may be all that is left of it"
            for write in (lambda: client.store("one more bell"), client.rebuild):
                with pytest.raises(ReadOnly, match=complaint):
                    write()
        stopped.stop()
    for name in ("state.db", "archive.db"):  # how one says that the older log is meant
        (stopped.data / name).unlink()
    if harm is _without_its_last_event:
        stopped.start()
        with stopped.client() as client:
            assert client.verify().ok
            assert client.store("a bell at last").outcome == "stored"


def test_a_log_that_is_gone_is_not_taken_for_an_empty_one(stopped: RunningDaemon) -> None:
    (stopped.data / "log.db").unlink()
    code, said = stopped.refuses_to_start()
    assert code == 65
    assert "it is gone, though its state is here" in said
    assert (stopped.data / "state.db").exists()


@pytest.mark.parametrize("name", ["log.db", "state.db", "archive.db"])
def test_a_file_whose_complaint_cannot_be_read_is_damaged_like_any_other(start: Start, name: str) -> None:
    """SQLite quotes the table's definition, which is no text any more."""
    daemon = start()
    daemon.kill()
    path = daemon.data / name
    content = path.read_bytes()
    path.write_bytes(content.replace(b" NOT NULL", b" N\xa0T NULL"))
    assert path.read_bytes() != content
    if name == "log.db":
        assert daemon.refuses_to_start()[0] == 65
    else:
        daemon.start()
        with daemon.client() as client:
            assert client.verify().ok


def test_a_state_that_was_changed_while_nobody_looked_is_made_anew_before_it_is_served(stopped: RunningDaemon) -> None:
    with behind_its_back(stopped.data, "state.db") as db:
        db.execute("UPDATE memories SET content = 'a bell that never rang' WHERE id = 2")
    stopped.start()
    with stopped.client() as client:
        assert client.get(2).content == TEXTS[1]


def test_a_state_that_was_changed_after_a_kill_is_named_and_made_anew(start: Start) -> None:
    daemon = start()
    with daemon.client() as client:
        for text in TEXTS:
            client.store(text)
        client.list()
    daemon.kill()
    with behind_its_back(daemon.data, "state.db") as db:
        db.execute("UPDATE memories SET content = 'a bell that never rang' WHERE id = 2")
    daemon.start()
    with daemon.client() as client:
        deadline = time.monotonic() + 30
        while any("the state" in line for line in client.status().degraded):
            assert time.monotonic() < deadline, "it was never proved"
            time.sleep(0.05)
        assert client.get(2).content == TEXTS[1]
        assert client.verify().ok


def test_a_damaged_vectors_file_is_begun_anew(stopped: RunningDaemon) -> None:
    for garbled in (b"BLOB NOU NULL", b"BLOB N\xa0T NULL", b"BLOB NOT NULL"):
        path = stopped.data / "vectors.db"
        path.write_bytes(path.read_bytes().replace(b"BLOB NOT NULL", garbled))
        stopped.start()
        with stopped.client() as client:
            assert client.get(1).content == TEXTS[0]
            assert client.erase(client.store("a word for a while").id).outcome == "erased"
        assert stopped.stop() == 0


def test_a_vector_that_a_kill_left_behind_changed_is_found_and_all_are_made_anew(start: Start) -> None:
    daemon = start()
    daemon.kill()
    with behind_its_back(daemon.data, "vectors.db") as db:
        db.execute(A_VECTOR, (*VECTOR, 0))
    daemon.start()
    assert daemon.wait() == 75
    daemon.start()
    with daemon.client() as client:
        assert client.verify().ok
    assert rows(daemon.data, "SELECT count(*) FROM vectors", file="vectors.db") == [(0,)]


def test_whoever_asks_for_the_proof_is_told_of_a_changed_vector(start: Start) -> None:
    daemon = start()
    with daemon.client() as client, behind_its_back(daemon.data, "vectors.db") as db:
        db.execute(A_VECTOR, with_sum(*VECTOR))
        db.commit()
        assert client.verify().ok
        db.execute("UPDATE vectors SET vector = x'00'")
        db.commit()
        assert client.verify().problems == [VECTORS_DAMAGED]
    assert daemon.stop() == 0
    daemon.start()
    with daemon.client() as client:
        assert client.verify().ok


def test_an_end_of_the_log_that_was_kept_elsewhere_is_missed_when_it_is_gone(stopped: RunningDaemon) -> None:
    stopped.start()
    with stopped.client() as client:
        report = client.verify()
        assert client.verify(expect=f"{report.head}:{report.chain}").ok
        assert client.verify(expect=f"{report.head}:{report.chain[:8]}").ok
        (forged,) = client.verify(expect=f"{report.head}:{'0' * 64}").problems
        assert forged == f"event {report.head}: not the one that the log once ended with"
        (missing,) = client.verify(expect=f"{report.head + 1}:{report.chain}").problems
        assert missing == f"event {report.head + 1}: missing, though the log once ended with it"
        with pytest.raises(InvalidField, match="no end of a log"):
            client.verify(expect="yesterday")
        assert client.store("one more bell").outcome == "stored", "a mistyped note makes nothing read-only"
