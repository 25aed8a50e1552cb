"""The sans-I/O session: what goes out is what was asked, what comes in is matched whatever its chunks and order."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie import calls
from reverie.errors import BadReply, InvalidField, TooLarge
from reverie.protocol.framing import FrameReader, frame
from reverie.protocol.results import Pong
from reverie.protocol.session import Answer, ClientSession, Item, Pushed, Refusal
from unit.client.peer import event, ok, refused


def session() -> ClientSession:
    return ClientSession("tester", "team")


def decoded(data: bytes) -> dict[str, Any]:
    (body,) = FrameReader().feed(data)
    fields: dict[str, Any] = msgspec.msgpack.decode(body)
    return fields


def framed(reply: dict[str, Any]) -> bytes:
    return frame(msgspec.msgpack.encode(reply))


def test_the_greeting_says_who_asks_and_for_whom() -> None:
    number, data = session().hello()
    assert decoded(data) == {"op": "hello", "id": number, "protocol": 1, "client": "tester", "namespace": "team"}


def test_every_request_gets_its_own_id_and_the_call_stays_as_it_was() -> None:
    talk, call = session(), calls.ping()
    first, second = talk.ask(call), talk.ask(call)
    assert decoded(first[1])["id"] == first[0] != second[0] == decoded(second[1])["id"]
    assert call.request.id == 0


@given(order=st.permutations(range(1, 6)), cut=st.integers(1, 40))
def test_any_order_and_any_chunking_give_the_same_answers(order: list[int], cut: int) -> None:
    talk = session()
    for _ in order:
        talk.ask(calls.ping())
    data = b"".join(framed(ok({"id": number}, {"head": number * 10})) for number in order)
    items: list[Item] = []
    for start in range(0, len(data), cut):
        items += talk.receive(data[start : start + cut])
    assert items == [Answer(number, Pong(head=number * 10)) for number in order]


def test_a_doubt_is_that_of_the_last_answer() -> None:
    talk = session()
    for doubt in ("not proved yet", None):
        number, _ = talk.ask(calls.ping())
        talk.receive(framed(ok({"id": number}, {"head": 1}) | ({"doubt": doubt} if doubt else {})))
        assert talk.doubt == doubt


def test_refusals_and_events_are_told_apart() -> None:
    talk = session()
    number, _ = talk.ask(calls.ping())
    refusal, pushed = talk.receive(framed(refused({"id": number}, "busy")) + framed(event(7, 42)))
    assert isinstance(refusal, Refusal)
    assert (refusal.id, refusal.error.code) == (number, "busy")
    assert isinstance(pushed, Pushed)
    assert (pushed.subscription, pushed.event.seq) == (7, 42)


@pytest.mark.parametrize(
    "data",
    [
        framed({"id": 99, "ok": True, "result": {"head": 1}}),
        framed({"id": 1, "ok": True, "result": {"head": "many"}}),
        framed({"id": 1, "ok": True}),
        b"\xff\xff\xff\xff",
        frame(b"\xc1"),
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
    ],
    ids=["nobody asked", "wrong type", "no result", "huge frame", "not msgpack", "another protocol"],
)
def test_what_no_daemon_says_is_a_bad_reply(data: bytes) -> None:
    talk = session()
    talk.ask(calls.ping())
    with pytest.raises(BadReply):
        talk.receive(data)


def test_a_request_over_the_frame_limit_never_leaves() -> None:
    with pytest.raises(TooLarge):
        session().ask(calls.store("x" * 1_100_000))


@pytest.mark.parametrize("value", [object(), 2**70, "\udcff"], ids=["object", "huge number", "half a character"])
def test_what_no_message_can_hold_is_refused_before_it_is_sent(value: object) -> None:
    with pytest.raises(InvalidField):
        session().ask(calls.store("x", metadata={"value": value}))
