"""The blocking client over a real socket, against a peer that misbehaves on request."""

import errno
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import reverie
from reverie import Client
from reverie.errors import BadReply, Busy, DaemonUnavailable, InvalidField, NotFound, TimedOut
from unit.client.peer import HANG_UP, SILENCE, Asked, Peer, event, ok, refused, written

Start = Callable[[Callable[[Asked], Any]], Peer]


def test_it_connects_on_first_use_and_keeps_the_connection(peer: Start) -> None:
    daemon = peer(lambda asked: ok(asked, {"head": 7}))
    with Client(daemon.path, namespace="team", name="tester") as client:
        assert daemon.connections == 0
        assert [client.ping().head for _ in range(3)] == [7, 7, 7]
    assert daemon.connections == 1
    assert (daemon.greeted[0]["client"], daemon.greeted[0]["namespace"]) == ("tester", "team")


def test_a_lost_reply_is_asked_for_again_under_the_same_key(peer: Start) -> None:
    tries = count()
    daemon = peer(lambda asked: HANG_UP if next(tries) < 2 else written(asked, 5))
    with Client(daemon.path) as client:
        assert client.store("tea").id == 5
    assert len(daemon.asked) == 3
    assert len({asked["key"] for asked in daemon.asked}) == 1
    assert daemon.asked[0]["memory"] == daemon.asked[2]["memory"]


def test_two_commands_never_share_a_key(peer: Start) -> None:
    daemon = peer(written)
    with Client(daemon.path) as client, Client(daemon.path) as other:
        client.pin(1)
        client.pin(1)
        other.pin(1)
    assert len({asked["key"] for asked in daemon.asked}) == 3


def test_a_busy_daemon_is_asked_again(peer: Start) -> None:
    tries = count()
    daemon = peer(lambda asked: refused(asked, "busy", retryable=True) if next(tries) < 3 else written(asked))
    with Client(daemon.path) as client:
        client.reinforce(1)
    assert len(daemon.asked) == 4
    assert daemon.connections == 1


def test_a_daemon_that_stays_busy_is_reported_within_the_timeout(peer: Start) -> None:
    daemon = peer(lambda asked: refused(asked, "busy"))
    with Client(daemon.path, timeout=0.1) as client, pytest.raises(Busy):
        client.ping()


def test_refusals_are_typed_and_leave_the_connection_good(peer: Start) -> None:
    def answer(asked: Asked) -> Any:
        return ok(asked, {"head": 1}) if asked["op"] == "ping" else refused(asked, "not_found", "no memory 9")

    daemon = peer(answer)
    with Client(daemon.path) as client:
        with pytest.raises(NotFound, match="no memory 9"):
            client.get(9)
        client.ping()
    assert daemon.connections == 1


def test_silence_ends_in_a_timeout_that_names_the_key_and_the_late_reply_is_never_taken(peer: Start) -> None:
    tries = count()
    daemon = peer(lambda asked: SILENCE if next(tries) == 0 else written(asked, 8))
    with Client(daemon.path, timeout=0.1) as client:
        with pytest.raises(TimedOut) as raised:
            client.store("tea")
        assert daemon.asked[0]["key"] in (raised.value.hint or "")
        assert client.store("tea").id == 8
    assert daemon.connections == 2


def test_a_peer_of_another_protocol_is_named_as_such(peer: Start) -> None:
    daemon = peer(lambda asked: {"id": 1234, "ok": True, "result": 1})
    with Client(daemon.path) as client, pytest.raises(BadReply):
        client.ping()


def test_without_a_daemon_it_says_how_to_start_one(tmp_path: Path) -> None:
    with Client(tmp_path / "absent.sock") as client, pytest.raises(DaemonUnavailable, match=r"absent\.sock"):
        client.ping()


def test_a_path_too_long_for_a_socket_is_an_unreachable_daemon(tmp_path: Path) -> None:
    with Client(tmp_path / ("x" * 150)) as client, pytest.raises(DaemonUnavailable, match="too long"):
        client.ping()


def test_a_daemon_that_accepts_but_never_greets_is_unreachable(tmp_path: Path) -> None:
    path = tmp_path / "mute.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        with Client(path, timeout=0.1) as client, pytest.raises(DaemonUnavailable, match="does not answer"):
            client.ping()


def test_a_full_backlog_is_waited_for(tmp_path: Path) -> None:
    path = str(tmp_path / "full.sock")
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as first:
        listener.bind(path)
        listener.listen(0)
        first.connect(path)
        with Client(path, timeout=0.2) as client, pytest.raises(DaemonUnavailable, match=os.strerror(errno.EAGAIN)):
            client.ping()


def test_a_mistake_of_the_caller_is_refused_before_it_is_sent(peer: Start) -> None:
    daemon = peer(written)
    with Client(daemon.path) as client, pytest.raises(InvalidField):
        client.store_many([{"words": "tea"}])
    assert daemon.asked == []


def test_threads_take_turns_and_get_their_own_answers(peer: Start) -> None:
    daemon = peer(lambda asked: written(asked, asked["memory"]))
    with Client(daemon.path) as client:
        got: list[int] = []
        threads = [threading.Thread(target=lambda n=n: got.append(client.pin(n).id)) for n in range(1, 9)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(got) == list(range(1, 9))


def test_a_forked_child_speaks_on_its_own_line_with_its_own_keys(peer: Start) -> None:
    daemon = peer(written)
    program = (
        f"import os, reverie; client = reverie.Client({daemon.path!r}); client.pin(1); child = os.fork();"
        "client.pin(1); child and os.waitpid(child, 0)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    assert daemon.connections == 2
    assert len({asked["key"] for asked in daemon.asked}) == 3


def test_a_subscription_goes_on_where_a_lost_connection_left_it(peer: Start) -> None:
    def answer(asked: Asked) -> Any:
        if asked.get("from_seq", 1) > 4:
            return HANG_UP
        start = asked.get("from_seq", 3)
        return [ok(asked, {"subscription": 9, "from_seq": start}), event(9, start)]

    daemon = peer(answer)
    seen = []
    with Client(daemon.path) as client:
        for one in client.subscribe():
            seen.append(one.seq)
            daemon.hang_up()
            if len(seen) == 2:
                break
    assert seen == [3, 4]
    assert [asked.get("from_seq") for asked in daemon.asked] == [None, 4]


@pytest.mark.parametrize("heavy", ["asyncio", "sqlite3", "yaml", "numpy", "dataclasses", "subprocess", "json"])
def test_the_blocking_client_does_not_load(heavy: str) -> None:
    program = f"import sys, reverie; reverie.Client; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_the_version_is_that_of_the_distribution() -> None:
    from importlib.metadata import version

    assert reverie.__version__ == version("reverie")


def test_the_package_offers_what_it_names() -> None:
    assert [name for name in reverie.__all__ if not hasattr(reverie, name)] == []
    with pytest.raises(AttributeError):
        _ = reverie.Nothing
