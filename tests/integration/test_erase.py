"""Erased means gone: not a byte of the words is left in any file, and the log still proves itself."""

import asyncio
import random
from base64 import b64encode
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import reverie
from reverie import calls
from reverie.aio_connection import open_connection
from reverie.errors import NotFound
from reverie.protocol.session import ClientSession
from running import RunningDaemon

Start = Callable[..., RunningDaemon]
CONTENT, TITLE, TAG, META, LATER, ASKED = (f"zqx{name}kvj" for name in ("con", "tit", "tag", "met", "lat", "ask"))
CANARIES = (CONTENT, TITLE, TAG, META, LATER, ASKED)


def _forms(word: str) -> Iterator[bytes]:
    yield word.encode()
    yield word.encode("utf-16-le")
    yield word.encode("utf-16-be")
    yield word.encode().hex().encode()
    yield word.encode().hex().upper().encode()
    for shift in range(3):  # base64 looks different at each alignment; its first and last group mix with neighbours
        yield b64encode(b"\0" * shift + word.encode())[4:-4]


def traces(data: Path, words: tuple[str, ...] = CANARIES) -> list[str]:
    found = []
    for path in sorted(data.rglob("*")):
        if path.is_file():
            bytes_ = path.read_bytes().lower()
            found += [
                f"{word} in {path.name}" for word in words if any(form.lower() in bytes_ for form in _forms(word))
            ]
    return found


def _tell(client: reverie.Client) -> int:
    """The words in every place a caller can put them, with enough around them to fill several pages."""
    for number in range(30):
        client.store(f"an unrelated remark, number {number}, on the weather of the coast")
    id_ = client.store(
        f"the password of the archive is {CONTENT}", title=f"about {TITLE}", tags=[TAG], metadata={"note": META}
    ).id
    client.update(id_, content=f"the password of the archive became {LATER}", metadata={"note": f"{META} again"})
    client.recall(f"what is {CONTENT}")
    client.recall(f"archive {ASKED} password")
    client.recall(TAG)
    client.backup()
    client.store(f"the password of the archive became {LATER}")  # a duplicate: the same words once more
    client.archive(id_)
    client.restore(id_)
    return id_


def test_the_search_would_find_the_words(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        _tell(client)
        client.verify()
    daemon.stop()
    missing = set(CANARIES) - {trace.split()[0] for trace in traces(daemon.data)}
    assert missing == set()


@pytest.mark.parametrize("archived", [False, True])
@pytest.mark.parametrize("ending", ["none", "stop", "kill"])
def test_erasing_leaves_no_byte_of_it_in_any_file(start: Start, archived: bool, ending: str) -> None:
    daemon = start()
    with daemon.client() as client:
        id_ = _tell(client)
        client.verify()  # its words went through scratch files as well
        if archived:
            client.archive(id_)
        assert client.erase(id_).outcome == "erased"
        assert traces(daemon.data) == []
        with pytest.raises(NotFound):
            client.get(id_)
        assert client.recall("password of the archive").memories == []
    if ending != "none":
        daemon.stop() if ending == "stop" else daemon.kill()
        daemon.start()
    with daemon.client() as client:
        report = client.verify()
        assert (report.problems, report.live_digest) == ([], report.replayed_digest)
    assert traces(daemon.data) == []


def test_nothing_is_left_of_memories_that_grew_and_shrank(daemon: RunningDaemon) -> None:
    """Their rows moved from page to page, and SQLite leaves a copy of a row in the page that it leaves."""
    dice = random.Random(5)
    with daemon.client() as client:
        words = {client.store(word).id: word for word in (f"zqx{dice.randrange(16**9):09x}kvj" for _ in range(150))}
        for _ in range(450):
            id_ = dice.choice(list(words))
            words[id_] += dice.choice(("", "", " and more of it" * dice.randrange(60)))
            client.update(id_, content=words[id_][: dice.randrange(20, 900)])
        for id_ in list(words)[::10]:
            assert client.erase(id_).outcome == "erased"
            assert traces(daemon.data, (words[id_][:15],)) == []
        assert client.verify().ok


def test_a_backup_made_before_the_erasure_still_proves_itself(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        id_ = _tell(client)
        client.erase(id_)
        (backup,) = (daemon.data / "backups").glob("log-*.db")
        report = client.verify()
        assert report.ok
    daemon.stop()
    for path in daemon.data.iterdir():
        if path.is_file() and path.name != "lock":
            path.unlink()
    backup.rename(daemon.data / "log.db")
    daemon.start()
    with daemon.client() as client:
        assert client.verify().ok
        with pytest.raises(NotFound):
            client.get(id_)
    assert traces(daemon.data) == []


@pytest.mark.parametrize("seed", range(4))
async def test_a_kill_during_an_erasure_leaves_it_undone_or_complete(start: Start, seed: int) -> None:
    daemon = start()
    with daemon.client() as client:
        id_ = _tell(client)
    connection = await open_connection(daemon.socket, ClientSession("test", "default"))
    asking = asyncio.ensure_future(connection.ask(calls.erase(id_, key="erase-once")))
    await asyncio.sleep(random.Random(seed).random() * 0.02)  # the moment is chance's to choose
    daemon.kill()
    await asyncio.wait((asking,))
    connection.close()
    acknowledged = asking.exception() is None
    daemon.start()
    with daemon.client() as client:
        again = client.erase(id_, key="erase-once")
        assert again.outcome == "erased"
        assert again.repeated or not acknowledged
        assert client.verify().ok
    assert traces(daemon.data) == []


def test_a_started_daemon_finishes_what_a_killed_one_was_erasing(start: Start) -> None:
    """The log has forgotten, the kill came before the backups did: they follow at the next start."""
    daemon = start()
    with daemon.client() as client:
        id_ = _tell(client)
        (backup,) = (daemon.data / "backups").glob("log-*.db")
        untouched = backup.read_bytes()
        client.erase(id_)
    daemon.kill()
    backup.write_bytes(untouched)
    (backup.parent / "erasing").touch()
    assert traces(daemon.data) != []
    daemon.start()
    assert traces(daemon.data) == []


def test_a_ruined_backup_neither_stops_an_erasure_nor_the_daemon(start: Start) -> None:
    daemon = start()
    with daemon.client() as client:
        id_ = _tell(client)
        (daemon.data / "backups" / "log-20200101T000000Z-1.db").write_bytes(b"no database" * 1000)
        assert client.erase(id_).outcome == "erased"
        assert client.ping().head > 0
    daemon.stop()
    daemon.start()
    with daemon.client() as client:
        assert client.verify().ok
