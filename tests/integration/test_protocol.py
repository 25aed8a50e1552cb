"""Whatever arrives on the socket gets a typed answer or a closed line, soon, and nobody else notices."""

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest

from reverie.protocol.requests import REQUESTS, op_of
from running import RunningDaemon
from wire import HELLO, Wire, packed, store

Start = Callable[..., RunningDaemon]
MIB = 1024 * 1024
TOO_LONG = (MIB + 1).to_bytes(4, "big")
BIG = (1 << 64) - 1
ENOUGH = 200


def _nested(depth: int) -> bytes:
    return b"\x91" * depth + b"\xc0"


def _request(**fields: object) -> dict[str, object]:
    return {"id": 7, **fields}


# What is said after hello -> the code of the refusal, and whether the line is closed after it.
BAD: dict[str, tuple[bytes, str, bool]] = {
    "a frame over the limit": (TOO_LONG, "too_large", True),
    "a frame of four gigabytes": (b"\xff\xff\xff\xff", "too_large", True),
    "an empty frame": (packed(b""), "invalid_request", True),
    "half a value": (packed(b"\x82\xa2op"), "invalid_request", True),
    "a byte MessagePack never uses": (packed(b"\xc1"), "invalid_request", True),
    "an extension type": (packed(b"\x81\xa1a\xd4\x01\x00"), "invalid_request", True),
    "a timestamp extension": (packed(b"\x81\xa1a\xd6\xff\x00\x00\x00\x00"), "invalid_request", True),
    "a tower of arrays": (packed(_nested(5_000)), "invalid_request", True),
    "a tower just too high": (packed(_nested(33)), "invalid_request", True),
    "an array that claims four billion": (packed(b"\xdd\xff\xff\xff\xff"), "invalid_request", True),
    "a map that claims four billion": (packed(b"\xdf\xff\xff\xff\xff"), "invalid_request", True),
    "a string longer than the frame": (packed(b"\xdb\xff\xff\xff\xffabc"), "invalid_request", True),
    "a megabyte of empty maps": (packed(b"\xdd\x00\x0f\xff\xfb" + b"\x80" * (MIB - 5)), "invalid_request", True),
    "ten thousand arrays of a hundred": (
        packed(b"\xdc\x27\x10" + (b"\xdc\x00\x64" + b"\x00" * 100) * 10_000),
        "invalid_request",
        True,
    ),
    "bytes after the message": (packed(msgspec.msgpack.encode(_request(op="ping")) + b"\xc0"), "invalid_request", True),
    "random bytes": (packed(bytes(range(256)) * 16), "invalid_request", True),
    "a number": (packed(42), "invalid_request", False),
    "an array": (packed([1, 2]), "invalid_request", False),
    "an empty map": (packed({}), "unknown_op", False),
    "no op": (packed(_request()), "unknown_op", False),
    "an op that is not one": (packed(_request(op="dream")), "unknown_op", False),
    "an op of the wrong type": (packed(_request(op=5)), "unknown_op", False),
    "an op of a megabyte": (packed(_request(op="x" * 1_000_000)), "unknown_op", False),
    "no id": (packed({"op": "ping"}), "invalid_request", False),
    "a text as id": (packed({"op": "ping", "id": "7"}), "invalid_request", False),
    "a missing field": (packed(_request(op="get")), "invalid_request", False),
    "a field of the wrong type": (packed(_request(op="get", memory="one")), "invalid_request", False),
    "text that is not UTF-8": (packed(b"\x83\xa2op\xa3get\xa2id\x07\xa1x\xa2\xff\xfe"), "invalid_request", False),
    "a number no database holds": (packed(_request(op="get", memory=BIG)), "invalid_request", False),
    "such a number to write": (packed(_request(op="reinforce", memory=BIG)), "invalid_request", False),
    "such a number in a memory": (packed(store(7, "x", expires_at=BIG)), "invalid_request", False),
    "a key without end": (packed(store(7, "x", key="k" * 100_000)), "invalid_request", False),
    "an importance that is no number": (packed(store(7, "x", importance=math.nan)), "invalid_field", False),
    "an endless priority": (packed(store(7, "x", priority=math.inf)), "invalid_field", False),
    "metadata with a key that is no text": (packed(store(7, "x", metadata={"a": {None: 1}})), "invalid_field", False),
    "a limit out of bounds": (packed(_request(op="list", limit=BIG >> 1)), "invalid_field", False),
    "a cursor from nowhere": (packed(_request(op="timeline", cursor=f"{BIG}:1")), "invalid_field", False),
    "a path that ends early": (packed(_request(op="rebuild", out="/tmp/a\0b")), "invalid_field", False),
    "a subscription that is not there": (packed(_request(op="unsubscribe", subscription=3)), "invalid_field", False),
    "another protocol": (packed({**HELLO, "protocol": 2}), "unsupported_protocol", True),
    "a namespace of a kilobyte": (packed({**HELLO, "namespace": "n" * 1000}), "invalid_field", False),
}  # fmt: skip


class Neighbour(threading.Thread):
    """A well-behaved client that keeps asking, and keeps the time of every answer."""

    def __init__(self, daemon: RunningDaemon) -> None:
        super().__init__(daemon=True)
        self._daemon = daemon
        self._done = threading.Event()
        self._enough = threading.Event()
        self.seconds: list[float] = []

    def run(self) -> None:
        with self._daemon.client() as client:
            while not self._done.is_set():
                started = time.perf_counter()
                client.ping()
                client.list(limit=1)
                self.seconds.append(time.perf_counter() - started)
                if len(self.seconds) == ENOUGH:
                    self._enough.set()
                self._done.wait(0.002)

    def stop(self) -> float:
        """The 99th percentile of its waits."""
        assert self._enough.wait(30)
        self._done.set()
        self.join()
        return sorted(self.seconds)[int((len(self.seconds) - 1) * 0.99)]


@contextmanager
def undisturbed(daemon: RunningDaemon, *, within: float = 0.25) -> Iterator[None]:
    """Inside this block a neighbour must be served well and the daemon must not grow."""
    with daemon.client() as client:
        client.list()
        client.status()
    before = daemon.resident_bytes
    neighbour = Neighbour(daemon)
    neighbour.start()
    yield
    slowest = neighbour.stop()
    assert daemon.ended is None
    assert slowest < within
    assert daemon.resident_bytes - before < 32 * MIB


def test_every_kind_of_nonsense_gets_a_typed_answer_and_disturbs_nobody(daemon: RunningDaemon) -> None:
    with undisturbed(daemon):
        for name, (data, code, closes) in BAD.items():
            with Wire(daemon.socket) as wire:
                wire.send_raw(data)
                answer = wire.receive()
                assert answer is not None, name
                assert (answer["ok"], answer["error"]["code"]) == (False, code), name
                assert answer["error"]["message"], name
                if closes:
                    wire.socket.settimeout(2)
                    assert wire.receive() is None, name
                else:
                    assert wire.ask({"op": "ping", "id": 9})["ok"], name
    with daemon.client() as client:
        assert client.status().head == 0


@pytest.mark.parametrize(
    "first", [{"op": "ping", "id": 1}, store(1, "too early"), {"op": "subscribe", "id": 1}, {"op": "erase", "id": 1, "memory": 1}]
)
def test_without_hello_nothing_is_served(daemon: RunningDaemon, first: dict[str, Any]) -> None:
    with Wire(daemon.socket, hello=False) as wire:
        answer = wire.ask(first)
        assert (answer["id"], answer["error"]["code"]) == (1, "hello_required")
        assert wire.receive() is None


def test_a_second_hello_moves_the_connection_to_another_namespace(daemon: RunningDaemon) -> None:
    with Wire(daemon.socket, namespace="one") as wire:
        id_ = wire.ask(store(1, "of the first namespace"))["result"]["id"]
        assert wire.ask({**HELLO, "namespace": "two"})["ok"]
        assert wire.ask({"op": "get", "id": 2, "memory": id_})["error"]["code"] == "not_found"


def test_a_key_given_twice_in_a_map_takes_the_last_value_or_is_refused(daemon: RunningDaemon) -> None:
    body = b"\x83\xa2op\xa4ping\xa2id\x07\xa2id\x08"
    with Wire(daemon.socket) as wire:
        assert wire.ask(body)["id"] in (8, None)


SHORT = "server:\n  header_timeout: 0.3\n  body_timeout: 0.3\n  slow_reader_timeout: 0.5\n"


@pytest.mark.parametrize(
    ("dribble", "awaited"),
    [(b"", "hello"), (b"\x00", "header"), (b"\x00\x00\x10", "header"), (b"\x00\x00\x10\x00", "body"), (b"\x00\x00\x10\x00abc", "body")],
)
def test_a_frame_that_never_ends_is_not_waited_for(start: Start, dribble: bytes, awaited: str) -> None:
    daemon = start(config=SHORT)
    with Wire(daemon.socket, hello=awaited != "hello") as wire:
        wire.send_raw(dribble)
        answer = wire.receive()
        assert answer is not None
        assert answer["error"]["code"] == "timed_out"
        assert awaited in answer["error"]["message"]
        assert wire.receive() is None


def test_a_client_that_pauses_between_frames_is_left_in_peace(start: Start) -> None:
    daemon = start(config=SHORT)
    with Wire(daemon.socket) as patient, Wire(daemon.socket) as loris:
        loris.send_raw(b"\x00")
        loris.until_closed()  # longer than any timeout of a frame
        assert patient.ask({"op": "ping", "id": 1})["ok"]


def test_many_that_dribble_do_not_keep_out_one_that_speaks(daemon: RunningDaemon) -> None:
    crowd = [Wire(daemon.socket) for _ in range(100)]
    for wire in crowd:
        wire.send_raw(b"\x00\x00\x10\x00")
    with undisturbed(daemon):
        for _ in range(5):
            for wire in crowd:
                wire.send_raw(b"\x81")
            with Wire(daemon.socket) as honest:
                assert honest.ask({"op": "ping", "id": 1})["ok"]
    for wire in crowd:
        wire.close()


def test_one_connection_too_many_is_told_so_and_a_place_becomes_free_again(daemon: RunningDaemon) -> None:
    crowd = [Wire(daemon.socket) for _ in range(128)]
    with Wire(daemon.socket, hello=False) as extra:
        refusal = extra.receive()
        assert refusal is not None
        assert (refusal["error"]["code"], refusal["error"]["retryable"]) == ("busy", True)
        assert extra.receive() is None
    crowd.pop().close()
    with daemon.client() as client:  # it tries again while the daemon is busy
        assert client.status().connections == 128
    for wire in crowd:
        wire.close()


def test_one_request_too_many_in_flight_is_refused_and_the_others_are_answered(daemon: RunningDaemon) -> None:
    with Wire(daemon.socket) as wire:
        wire.send(*(store(number, f"pipelined {number}") for number in range(1, 41)))
        answers = [wire.receive() for _ in range(40)]
        codes = [answer["error"]["code"] for answer in answers if answer and not answer["ok"]]
        assert codes == ["busy"] * 24
        assert {answer["id"] for answer in answers if answer} == set(range(1, 41))
        assert wire.ask(store(41, "after the rush"))["ok"]


def test_answers_come_as_they_are_ready(daemon: RunningDaemon) -> None:
    with Wire(daemon.socket) as wire:
        wire.send({"op": "verify", "id": 1}, {"op": "ping", "id": 2})
        first, second = wire.receive(), wire.receive()
        assert first is not None
        assert second is not None
        assert (first["id"], second["id"]) == (2, 1)


def test_a_client_that_never_reads_is_cut_off_and_costs_no_memory(start: Start) -> None:
    daemon = start(config=SHORT)
    with daemon.client() as client:
        for number in range(10):
            client.store(f"{number} " + "long winded " * 8_000)
    with undisturbed(daemon), Wire(daemon.socket, patience=10) as deaf:
        request = packed({"op": "list", "id": 1, "limit": 10})
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            while True:
                deaf.send_raw(request)


def test_a_flood_of_tiny_requests_does_not_drown_the_others(daemon: RunningDaemon) -> None:
    flood = packed({}) * 20_000
    with undisturbed(daemon), Wire(daemon.socket) as wire:
        sending = threading.Thread(target=wire.send_raw, args=(flood,))
        sending.start()
        for _ in range(20_000):
            answer = wire.receive()
            assert answer is not None
        sending.join()


def test_large_frames_one_after_the_other_do_not_starve_the_others(daemon: RunningDaemon) -> None:
    wide = packed(store(1, "x", metadata={"list": [[number] for number in range(9_000)]}))
    with undisturbed(daemon), Wire(daemon.socket) as wire:
        for _ in range(30):
            assert wire.ask(wide[4:])["id"] == 1


REQUIRED: dict[str, dict[str, object]] = {
    "hello": {"protocol": 1},
    "store": {"memory": {"content": "first"}},
    "store_many": {"memories": [{"content": "second"}, {"content": "third"}]},
    "update": {"memory": 1, "content": "changed"},
    "tag": {"memory": 1, "tags": ["x"]},
    "untag": {"memory": 1, "tags": ["x"]},
    "supersede": {"old": 2, "new": 3},
    "recall": {"query": "changed"},
    "unsubscribe": {"subscription": 1},
}
ABOUT_ONE = ("reinforce", "demote", "pin", "unpin", "archive", "restore", "delete", "erase", "get", "history")


def test_every_operation_answers(daemon: RunningDaemon) -> None:
    answers = {}
    with Wire(daemon.socket) as wire:
        for request in REQUESTS:
            op = op_of(request)
            fields = {"memory": 1} if op in ABOUT_ONE else REQUIRED.get(op, {})
            memory = 3 if op in ("delete", "erase") else None
            wire.send({"op": op, "id": 1, **fields, **({"memory": memory} if memory else {})})
            answer = wire.receive()
            while answer is not None and "event" in answer:  # a subscription has begun to speak
                answer = wire.receive()
            assert answer is not None, op
            answers[op] = answer["ok"]
    assert [op for op, ok in answers.items() if not ok] == []


def test_a_page_leads_to_the_next_until_all_was_seen(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        ids = [result.id for result in client.store_many([f"page {number}" for number in range(45)]).results]
        for _ in range(23):
            client.reinforce(ids[0])
        listed: list[int] = []
        page = client.list(limit=10)
        while True:
            listed += [memory.id for memory in page.memories]
            if page.next is None:
                break
            page = client.list(limit=10, before=int(page.next))
        assert listed == sorted(ids, reverse=True)

        for ask, expected in ((client.events, 68), (lambda **options: client.history(ids[0], **options), 24)):
            seqs: list[int] = []
            after = 0
            while True:
                events = ask(after=after, limit=10)
                seqs += [event.seq for event in events.events]
                if events.next is None:
                    break
                after = events.next
            assert len(seqs) == expected
            assert seqs == sorted(set(seqs))


def test_a_page_of_long_memories_is_cut_to_fit_a_frame(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        ids = [client.store(f"{number} " + "é" * 90_000).id for number in range(12)]
        page = client.list(limit=12)
        assert 0 < len(page.memories) < 12
        assert page.next is not None
        rest = client.list(limit=12, before=int(page.next))
        seen = [memory.id for memory in (*page.memories, *rest.memories)]
        assert seen == sorted(ids, reverse=True)[: len(seen)]
