import threading
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from reverie.client import Client
from reverie.mcp.workers import MOST
from reverie.protocol.session import Call
from unit.client.peer import Asked, Peer, ok, written
from unit.mcp.conftest import Talking
from unit.mcp.talking import Talk


def test_an_unknown_method_is_named(talk: Talk) -> None:
    error = talk.ask("tools/sing")["error"]
    assert (error["code"], error["data"]) == (-32601, {"method": "tools/sing"})


def test_a_notification_is_never_answered(talk: Talk) -> None:
    for method in ("notifications/initialized", "tools/list", "no/such"):
        talk.say({"jsonrpc": "2.0", "method": method})
    assert talk.is_silent()


def test_a_line_that_is_no_json_is_answered_without_an_id(talk: Talk) -> None:
    talk.say(b"{nonsense")
    answer = talk.hear()
    assert (answer["id"], answer["error"]["code"]) == (None, -32700)


def test_a_line_without_an_end_in_sight_is_refused(talk: Talk) -> None:
    talk.bridge.take(None)
    assert talk.hear()["error"]["code"] == -32700


def test_a_slow_answer_holds_up_no_other(talking: Talking) -> None:
    held = threading.Event()

    def answer(request: Asked) -> object:
        if request["op"] == "get":
            assert held.wait(10)
        return written(request, 5) if request["op"] != "list" else ok(request, {"memories": []})

    talk, peer = talking(answer)
    talk.say({"jsonrpc": "2.0", "id": "slow", "method": "tools/call", "params": _call("memory_get")})
    peer.until_asked(1)
    assert talk.ask("ping", id="quick")["id"] == "quick"
    assert talk.ask("tools/call", _call("memory_demote"), id="other")["id"] == "other"
    held.set()
    assert talk.hear()["id"] == "slow"


def _call(tool: str) -> dict[str, object]:
    return {"name": tool, "arguments": {"id": 5}}


def test_what_is_cancelled_gets_no_answer(talking: Talking) -> None:
    held = threading.Event()

    def answer(request: Asked) -> object:
        assert held.wait(10)
        return written(request)

    talk, peer = talking(answer)
    talk.say({"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": _call("memory_get")})
    peer.until_asked(1)
    talk.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 8}})
    held.set()
    assert talk.is_silent()


def test_what_is_cancelled_before_its_turn_is_never_asked(talking: Talking) -> None:
    held = threading.Event()

    def answer(request: Asked) -> object:
        assert held.wait(10)
        return ok(request, {"memories": []}) if request["op"] == "list" else written(request)

    talk, peer = talking(answer)
    for number in range(MOST + 1):
        talk.say({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": _call("memory_demote")})
    peer.until_asked(MOST)
    talk.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": MOST}})
    held.set()
    assert {talk.hear()["id"] for _ in range(MOST)} == set(range(MOST))
    assert talk.is_silent()
    assert len([one for one in peer.asked if one["op"] == "demote"]) == MOST


def test_cancelling_what_was_never_asked_changes_nothing(talk: Talk) -> None:
    for params in ({"requestId": 99}, {"requestId": [1]}, {}):
        talk.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})
    assert talk.ask("ping")["result"] == {}


def test_an_id_that_is_still_open_cannot_be_used_again(talking: Talking) -> None:
    held = threading.Event()
    talk, peer = talking(lambda request: held.wait(10) and written(request))
    talk.say({"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": _call("memory_demote")})
    peer.until_asked(1)
    assert talk.ask("tools/call", _call("memory_demote"), id=8)["error"]["code"] == -32600
    held.set()
    assert "result" in talk.hear()


def test_a_batch_is_answered_together(talking: Talking) -> None:
    talk, _ = talking(lambda request: ok(request, {"memories": []}) if request["op"] == "list" else written(request))
    talk.say(
        [
            {"jsonrpc": "2.0", "id": 1, "method": "ping"},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": _call("memory_demote")},
            7,
        ]
    )
    answers = talk.hear()
    assert [one["id"] for one in answers if "result" in one] in ([1, 2], [2, 1])
    assert [one["error"]["code"] for one in answers if "error" in one] == [-32600]


def test_a_batch_of_notifications_is_not_answered_and_an_empty_one_is_refused(talk: Talk) -> None:
    talk.say([{"jsonrpc": "2.0", "method": "notifications/initialized"}])
    assert talk.is_silent()
    talk.say([])
    assert talk.hear()["error"]["code"] == -32600


def test_a_defect_costs_one_request_and_is_told(peer: Peer, monkeypatch: pytest.MonkeyPatch) -> None:
    traced: Queue[BaseException | None] = Queue()
    monkeypatch.setattr(threading, "excepthook", lambda args: traced.put(args.exc_value))

    class Broken(Client):
        def call(self, call: Call[Any]) -> Any:
            raise RuntimeError("a defect")

    clients = iter([Broken(peer.path), Client(peer.path), Client(peer.path)])
    talk = Talk(lambda: next(clients))
    answer = talk.ask("tools/call", _call("memory_demote"))
    assert answer["error"]["code"] == -32603
    assert str(traced.get(timeout=10)) == "a defect"
    assert talk.ask("tools/call", _call("memory_demote"))["result"]["isError"] is False
    talk.close()


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[Peer]:
    one = Peer(tmp_path, lambda asked: ok(asked, {"memories": []}) if asked["op"] == "list" else written(asked))
    yield one
    one.close()


def test_a_daemon_that_talks_nonsense_costs_one_request(talking: Talking) -> None:
    talk, _ = talking(lambda request: ok(request, {"what": "is this"}))
    assert talk.call("memory_get", id=5)["_meta"]["reverie/error"]["code"] == "bad_reply"
    assert talk.ask("ping")["result"] == {}
