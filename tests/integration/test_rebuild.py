"""State is disposable: deleted, damaged, outdated or wanted as it once was, it comes back from the log alone."""

import asyncio
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import reverie
from logfile import behind_its_back, rows
from reverie.errors import InvalidField
from running import RunningDaemon

Start = Callable[..., RunningDaemon]
STATE = ("state.db", "archive.db")
QUESTIONS = ("harbour lights", "lamp oil", "winter fog")


def _live(client: reverie.Client) -> str:
    """Some of everything, so that every projection has something to lose."""
    ids = [
        client.store(f"harbour lights, reading {number}: lamp oil low", tags=[f"lamp-{number}"]).id
        for number in range(12)
    ]
    client.update(ids[0], content="harbour lights, reading 0: winter fog")
    client.reinforce(ids[1])
    client.tag(ids[2], ["fog"])
    client.archive(ids[3])
    client.archive(ids[4])
    client.restore(ids[4])
    client.supersede(ids[5], ids[6])
    client.delete(ids[7])
    client.erase(ids[8])
    client.pin(ids[9])
    return client.verify().live_digest


def _answers(client: reverie.Client) -> list[list[int]]:
    found = [[memory.id for memory in client.recall(question, limit=20).memories] for question in QUESTIONS]
    archived = [memory.id for memory in client.recall(QUESTIONS[0], only_archived=True).memories]
    return [*found, archived, [memory.id for memory in client.list(limit=50).memories]]


def _remove(daemon: RunningDaemon) -> None:
    for name in STATE:
        (daemon.data / name).unlink()


def _outdate(daemon: RunningDaemon) -> None:
    with behind_its_back(daemon.data, "state.db") as db:
        db.execute("PRAGMA user_version=999")


def _garble(daemon: RunningDaemon) -> None:
    (daemon.data / "state.db").write_bytes(b"this is no database" * 1000)


def _garble_the_archive(daemon: RunningDaemon) -> None:
    (daemon.data / "archive.db").write_bytes(b"\0" * 8192)


def _forget_the_archive(daemon: RunningDaemon) -> None:
    (daemon.data / "archive.db").unlink()


def _set_back(daemon: RunningDaemon) -> None:
    with behind_its_back(daemon.data, "archive.db") as db:
        db.execute("UPDATE progress SET seq = 1")


@pytest.mark.parametrize("harm", [_remove, _outdate, _garble, _garble_the_archive, _forget_the_archive, _set_back])
def test_harmed_state_is_made_anew_at_the_start(start: Start, harm: Callable[[RunningDaemon], None]) -> None:
    daemon = start()
    with daemon.client() as client:
        _live(client)
        before = _answers(client)
    daemon.stop()
    harm(daemon)
    daemon.start()
    with daemon.client() as client:
        assert _answers(client) == before
        report = client.verify()
        assert report.problems == []
        assert report.live_digest == report.replayed_digest


def test_the_digest_is_the_same_after_the_state_was_deleted(start: Start) -> None:
    daemon = start()
    with daemon.client() as client:
        before = _live(client)
    daemon.stop()
    _remove(daemon)
    daemon.start()
    with daemon.client() as client:
        assert client.verify().live_digest == before


def test_leftovers_of_an_interrupted_rebuild_are_removed(start: Start) -> None:
    daemon = start()
    daemon.kill()
    scratch = daemon.data / "verify-abc"
    scratch.mkdir()
    leftovers = [daemon.data / "state.db.new", daemon.data / "archive.db.new-journal", scratch / "state.db"]
    for path in leftovers:
        path.write_bytes(b"half a state")
    daemon.start()
    assert [path for path in (*leftovers, scratch) if path.exists()] == []


async def test_a_rebuild_under_load_fails_no_request_and_loses_nothing(daemon: RunningDaemon) -> None:
    done = asyncio.Event()

    async def write(client: reverie.AsyncClient, name: str) -> list[int]:
        ids: list[int] = []
        while not done.is_set():
            stored = await client.store(f"{name} saw ship {len(ids)} pass the point")
            assert (await client.get(stored.id)).content == f"{name} saw ship {len(ids)} pass the point"
            await client.recall("ship passing")
            ids.append(stored.id)
        return ids

    async with daemon.async_client() as client:
        writing = [asyncio.create_task(write(client, name)) for name in ("ada", "bo", "cy")]
        for _ in range(3):
            rebuilt = await client.rebuild()
            assert rebuilt.events > 0
        done.set()
        ids = [id_ for found in await asyncio.gather(*writing) for id_ in found]
        report = await client.verify()
        assert report.problems == []
        assert report.live_digest == report.replayed_digest
    assert rows(daemon.data, "SELECT count(*) FROM memories", file="state.db") == [(len(ids),)]


def _moments(client: reverie.Client) -> list[tuple[int, int, str]]:
    """Event number, time and digest after each of several changes."""
    found = []
    first = client.store("the ferry leaves at nine").id
    changes: list[Callable[[], object]] = [
        lambda: client.update(first, content="the ferry leaves at ten"),
        lambda: client.archive(client.store("the old pier was sold").id),
        lambda: client.reinforce(first),
        lambda: client.delete(first),
    ]
    for change in changes:
        change()
        report = client.verify()
        found.append((report.head, client.events(after=report.head - 1).events[0].at, report.live_digest))
    return found


def test_any_past_state_can_be_had_by_number_and_by_time(daemon: RunningDaemon, tmp_path: Path) -> None:
    with daemon.client() as client:
        for seq, at, digest in _moments(client):
            by_number = client.rebuild(to=seq, out=str(tmp_path / f"number-{seq}.db"))
            by_time = client.rebuild(to_time=at, out=str(tmp_path / f"time-{seq}.db"))
            assert (by_number.digest, by_number.upto) == (digest, seq)
            assert (by_time.digest, by_time.upto) == (digest, seq)


def test_a_past_state_is_a_read_only_file_that_shows_what_was(daemon: RunningDaemon, tmp_path: Path) -> None:
    with daemon.client() as client:
        id_ = client.store("the ferry leaves at nine").id
        archived = client.store("the old pier was sold").id
        then = client.archive(archived).seq
        client.update(id_, content="the ferry leaves at ten")
        client.rebuild(to=then, out=str(tmp_path / "then.db"))
    assert stat.S_IMODE((tmp_path / "then.db").stat().st_mode) == 0o400
    assert rows(tmp_path, "SELECT id, content FROM memories", file="then.db") == [(id_, "the ferry leaves at nine")]
    assert rows(tmp_path, "SELECT id, state FROM archived", file="then.db") == [(archived, "archived")]
    assert [path.name for path in tmp_path.glob("then.db?*")] == []


@pytest.mark.parametrize("out", ["{there}", "relative.db", "{home}/no/such/place.db", "{home}/a\0b.db"])
def test_a_past_state_never_overwrites_or_goes_astray(daemon: RunningDaemon, tmp_path: Path, out: str) -> None:
    there = tmp_path / "precious.txt"
    there.write_text("keep me")
    with daemon.client() as client:
        client.store("something")
        with pytest.raises(InvalidField):
            client.rebuild(out=out.format(there=there, home=tmp_path))
    assert there.read_text() == "keep me"


def test_a_past_state_in_place_is_refused(daemon: RunningDaemon) -> None:
    with closing(daemon.client()) as client:
        client.store("something")
        with pytest.raises(InvalidField, match="a file of its own"):
            client.rebuild(to=1)
