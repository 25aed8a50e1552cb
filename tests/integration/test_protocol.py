"""Whatever arrives on the socket gets a typed answer or a closed line, soon, and nobody else notices."""

import math
from typing import Any

import msgspec
import pytest

from neighbour import undisturbed
from reverie.protocol.requests import REQUESTS, op_of
from running import RunningDaemon
from wire import HELLO, Wire, packed, store

MIB = 1024 * 1024
TOO_LONG = (MIB + 1).to_bytes(4, "big")
BIG = (1 << 64) - 1


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
    "first",
    [
        {"op": "ping", "id": 1},
        store(1, "too early"),
        {"op": "subscribe", "id": 1},
        {"op": "erase", "id": 1, "memory": 1},
    ],
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


REQUIRED: dict[str, dict[str, object]] = {
    "hello": {"protocol": 1},
    "store": {"memory": {"content": "first"}},
    "store_many": {"memories": [{"content": "second"}, {"content": "third"}]},
    "import_many": {"arrivals": [{"key": "elsewhere:1", "memory": {"content": "fourth"}}]},
    "ingest_part": {"upload": "book", "part": 0, "text": "A beginning. "},
    "ingest": {"text": "An end.", "upload": "book", "parts": 1},
    "ingested": {"document": 5},
    "relations": {"entity": "Ada"},
    "update": {"memory": 1, "content": "changed"},
    "tag": {"memory": 1, "tags": ["x"]},
    "untag": {"memory": 1, "tags": ["x"]},
    "supersede": {"old": 2, "new": 3},
    "recall": {"query": "changed"},
    "context": {"query": "changed"},
    "why": {"query": "changed", "memory": 1},
    "unsubscribe": {"subscription": 1},
    "run": {"job": "sleep"},
    "curve": {"kind": "fact"},
    "resolve": {"conflict": 1, "mode": "ask"},
    "link": {"memory": 1, "other": 4},
    "unlink": {"memory": 1, "other": 4},
    "related": {"memory": 1},
    "path": {"memory": 1, "other": 4},
    "import_links": {"links": [{"a": 1, "b": 4, "kind": "references", "created_at": 1, "verified_at": 1}]},
    "session_begin": {"session_id": "s-1"},
    "session_end": {"session_id": "s-1"},
    "narrative_add": {"summary": "All is well."},
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
            # Nothing contradicts anything here, and that is what it has to say.
            answers[op] = answer["ok"] or (op == "resolve" and answer["error"]["code"] == "not_found")
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
