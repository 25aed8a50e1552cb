"""Whatever makes an answer poorer is named twice: by `status`, and by the reply that it makes poorer.

The ways are those of `app/degraded.py`; a new one fails here until it has a proof.
"""

import os
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

import reverie
from logfile import behind_its_back
from reverie.errors import ConfigInvalid, ReadOnly, ReverieError, StorageFull
from reveried.app.degraded import WAYS
from reveried.domain.events import SessionStarted
from reveried.log.sqlite import SqliteLog
from reveried.ports import NewEvent
from running import RunningDaemon

FAULTY = str(Path(__file__).parents[1] / "unit" / "embed" / "faulty")
HASHING = "embedding: {runtime: hashing}\n"
DAY = 86_400_000_000
SMALL_DISK = 8 * 1024 * 1024
# What the proof of one way found: the line of `status`, and the words of the reply.
Named = tuple[str, str]
Proof = Callable[[Path], Named]


@contextmanager
def served(home: Path, config: str = "", **environ: str) -> Iterator[tuple[RunningDaemon, reverie.Client]]:
    daemon = RunningDaemon(home, config=config, environ=environ)
    try:
        daemon.start()
        with daemon.client() as client:
            yield daemon, client
    finally:
        daemon.end()


def until(client: reverie.Client, part: str) -> str:
    """The line of `status` that says so; the daemon tells nobody when a thing begins to fail."""
    ends = time.monotonic() + 60
    while not (found := [line for line in client.status().degraded if part in line]):
        assert time.monotonic() < ends, f"status never said {part!r}: {client.status().degraded}"
        time.sleep(0.02)
    return found[0]


def refused(call: Callable[[], object], kind: type[ReverieError]) -> str:
    with pytest.raises(kind) as refusal:
        call()
    return refusal.value.message


def no_meaning(home: Path) -> Named:
    with served(home, "embedding: {model: /nowhere/at/all}\n") as (_, client):
        line = until(client, "/nowhere/at/all")
        return line, str(client.recall("bell").semantic_reason)


def filling(home: Path) -> Named:
    with served(home) as (daemon, client):
        for start in range(0, 2_000, 500):
            client.store_many([f"remark {number} on the bell" for number in range(start, start + 500)])
        daemon.config.write_text(daemon.config.read_text().replace("runtime: none", "runtime: hashing"))
        with suppress(ConfigInvalid):
            client.reload()
        line = until(client, "being embedded")
        return line, str(client.recall("bell").semantic_reason)


def new_without_vectors(home: Path) -> Named:
    """The disk is too full for vectors, and not for what was stored."""
    with small_disk(home), served(home, HASHING + "storage: {min_free: 0}\n") as (daemon, client):
        client.store("the first bell")
        _embedded(client)
        # Which file gets the last free page is chance, so the disk is filled until it is not that of the vectors.
        for leave in range(400_000, 200_000, -10_000):
            _fill_up(daemon, client, leave)
            if line := _lacking_vectors(client):
                break
        return line, str(client.recall("first bell").semantic_reason)


def _lacking_vectors(client: reverie.Client) -> str:
    """The line of `status`, or nothing as soon as every memory has its vectors."""
    while client.status().embedder["to_do"]:
        if found := [line for line in client.status().degraded if "have no vectors yet" in line]:
            return found[0]
        time.sleep(0.02)
    return ""


def left_out(home: Path) -> Named:
    with served(home, HASHING, PYTHONPATH=FAULTY) as (_, client):
        client.store_many(["the sound bell", "the abort bell"])
        line = until(client, "by words alone")
        _embedded(client, but=1)
        answer = client.recall("sound bell")
        while not answer.semantic:  # the worker that ended is started again first
            answer = client.recall("sound bell")
        return line, str(answer.semantic_reason)


def no_second_opinion(home: Path) -> Named:
    with served(home, "recall: {rerank: nobody/nothing}\n") as (_, client):
        client.store("the bell rings")
        reason = str(client.recall("bell").rerank_reason)
        return until(client, "not ranked again"), reason


def healing(home: Path) -> Named:
    daemon, client = _killed(home, "UPDATE memories SET content = 'never rang' WHERE id = 2")
    with client:
        line = until(client, "made anew")
        client.list(limit=1)
        daemon.end()
        return line, str(client.doubt)


def unproved(home: Path) -> Named:
    daemon, client = _killed(home)
    with client:
        client.list(limit=1)
        doubt = str(client.doubt)
        line = until(client, "not proved yet")
        daemon.end()
        return line, doubt


def read_only(home: Path) -> Named:
    with served(home) as (daemon, client):
        client.store("the first bell")
        daemon.stop()
        with behind_its_back(daemon.data) as db:
            db.execute("UPDATE events SET actor = 'somebody' WHERE seq = 1")
        daemon.start()
        client.verify()
        return until(client, "read-only"), refused(lambda: client.store("one more"), ReadOnly)


def stalled(home: Path) -> Named:
    with small_disk(home), served(home, "storage: {min_free: 0}\n") as (daemon, client):
        client.store("the first bell")
        _ballast(daemon, leave=400_000)
        with suppress(StorageFull):  # these fit into the log, and what is made of them fits nowhere
            client.store_many([f"remark {number} on the bell" for number in range(400)])
        line = until(client, "trails the log")
        client.list(limit=1)
        return line, str(client.doubt)


def no_room(home: Path) -> Named:
    with served(home, "storage: {min_free: 100000GB}\n") as (_, client):
        return until(client, "nothing can be stored"), refused(lambda: client.store("bell"), StorageFull)


def log_full(home: Path) -> Named:
    with small_disk(home), served(home, "storage: {min_free: 0}\n") as (daemon, client):
        _ballast(daemon, leave=40_000)
        reply = refused(lambda: client.store("heavy words " * 8_000), StorageFull)
        return until(client, "nothing can be stored"), reply


def unfinished_erasure(home: Path) -> Named:
    with served(home) as (_, client):
        id_ = client.store("the bell that is to be forgotten").id
        copy = sqlite3.connect(client.backup().path, isolation_level=None)
        copy.execute("BEGIN EXCLUSIVE")
        reply = refused(lambda: client.erase(id_), StorageFull)
        line = until(client, "has not reached every backup")
        copy.close()
        return line, reply


def configuration(home: Path) -> Named:
    with served(home) as (daemon, client):
        daemon.config.write_text("server: {max_connections: many}\n")
        reply = refused(client.reload, ConfigInvalid)
        return until(client, "was not accepted"), reply


def stumbled(home: Path) -> Named:
    """The vectors are gone, so the log is compared from its beginning; there it cannot be read any more."""
    with served(home) as (daemon, client):
        client.store("the first bell")
        daemon.stop()
        with behind_its_back(daemon.data) as db:
            db.execute("UPDATE events SET payload = x'00' WHERE seq = 1")
        (daemon.data / "vectors.db").unlink()
        daemon.start()
        line = until(client, "comparing stopped")
        until(client, "read-only")
        return line, refused(lambda: client.store("one more"), ReadOnly)


def postponed(home: Path) -> Named:
    """A log that was last written to long ago; the clock may be what is wrong."""
    with served(home) as (daemon, client):
        daemon.stop()
        log = SqliteLog(daemon.data / "log.db")
        log.stage(NewEvent("default", "test", SessionStarted(session_id="old")), time.time_ns() // 1000 - 60 * DAY)
        log.commit()
        log.close()
        daemon.start()
        notes = " ".join(client.run("purge", dry_run=True).notes)
        return until(client, "the clock may be wrong"), notes


def summaries(home: Path) -> Named:
    with served(home, "summariser: {url: 'http://127.0.0.1:9/v1', model: nobody}\n") as (_, client):
        client.store("the bell rings", session_id="monday")
        notes = " ".join(client.session_end("monday").notes)
        return until(client, "summaries are first sentences"), notes


def risky(home: Path) -> Named:
    with served(home, "consolidation: {compress: true, similarity: 0.7}\n") as (_, client):
        return until(client, "consolidation.similarity"), " ".join(client.run("consolidate", dry_run=True).notes)


# Each way, who proves it, and what its reply has in common with its line.
PROOFS: dict[str, tuple[Proof, str]] = {
    "no meaning": (no_meaning, "is no directory"),
    "filling": (filling, "are being embedded"),
    "new without vectors": (new_without_vectors, "have no vectors yet"),
    "left out": (left_out, "by words alone"),
    "no second opinion": (no_second_opinion, "there is no cross-encoder"),
    "healing": (healing, "made anew"),
    "unproved": (unproved, "not proved yet"),
    "read-only": (read_only, "event 1"),
    "stalled": (stalled, "trails the log"),
    "no room": (no_room, "free on the disk"),
    "full": (log_full, "full"),
    "unfinished erasure": (unfinished_erasure, "every"),
    "configuration": (configuration, "max_connections"),
    "stumbled": (stumbled, "payload"),
    "postponed": (postponed, "the clock may be wrong"),
    "summaries": (summaries, "first sentences"),
    "risky settings": (risky, "consolidation.similarity"),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_is_missing_is_named_by_status_and_by_the_reply(
    way: str, tmp_path: Path, record_proof: Callable[[str, str], None]
) -> None:
    proof, common = PROOFS[way]
    line, reply = proof(tmp_path)
    assert common in line
    assert common in reply
    record_proof(f"named: {way}", line[:90])


REASONS = {
    "runtime: none": "embedding.runtime is none",
    "model: nobody/nothing": "there is no model 'nobody/nothing'",
    "model: /nowhere/at/all": "is no directory",
}


@pytest.mark.parametrize("setting", REASONS)
def test_an_answer_without_meaning_says_why(setting: str, tmp_path: Path) -> None:
    with served(tmp_path, f"embedding: {{{setting}}}\n") as (_, client):
        until(client, REASONS[setting])
        client.store("the bell rings")
        for answer in (client.recall("bell"), client.context("bell"), client.why("bell", 1)):
            assert (answer.semantic, REASONS[setting] in str(answer.semantic_reason)) == (False, True)


@pytest.mark.parametrize(
    ("query", "reason"), [("夜の鐘", "does not read this script"), ("  ", "the query has no words")]
)
def test_a_query_that_is_searched_by_words_alone_says_why(tmp_path: Path, query: str, reason: str) -> None:
    with served(tmp_path, "embedding: {runtime: onnx}\n") as (_, client):
        client.store("夜の鐘が鳴る")
        _embedded(client)
        assert reason in str(client.recall(query, floor=0.0).semantic_reason)
        assert client.status().embedder["scripts"] == "latin", "so that nobody need ask to know"


def _embedded(client: reverie.Client, but: int = 0) -> None:
    ends = time.monotonic() + 60
    while (embedder := client.status().embedder)["state"] == "looking" or embedder["to_do"] > but:
        assert time.monotonic() < ends, embedder
        time.sleep(0.02)


def _killed(home: Path, harm: str = "") -> tuple[RunningDaemon, reverie.Client]:
    """A daemon after a kill, with a state that takes a while to prove."""
    daemon = RunningDaemon(home)
    daemon.start()
    with daemon.client() as client:
        for start in range(0, 2_000, 500):
            client.store_many([f"remark {number} on the bell" for number in range(start, start + 500)])
        client.list(limit=1)
    daemon.kill()
    if harm:
        with behind_its_back(daemon.data, "state.db") as db:
            db.execute(harm)
    daemon.start()
    return daemon, daemon.client()


@contextmanager
def small_disk(home: Path) -> Iterator[None]:
    place = home / "data"
    place.mkdir(parents=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK},mode=0700", "none", str(place)]
    if os.getuid() != 0 or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("only root can mount a small file system")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def _fill_up(daemon: RunningDaemon, client: reverie.Client, leave: int) -> None:
    _ballast(daemon, leave)
    refused(lambda: [client.store(f"remark {number} on the bell") for number in range(5_000)], StorageFull)


def _ballast(daemon: RunningDaemon, leave: int) -> None:
    (daemon.data / "ballast").unlink(missing_ok=True)
    disk = os.statvfs(daemon.data)
    (daemon.data / "ballast").write_bytes(bytes(max(0, disk.f_bavail * disk.f_frsize - leave)))
