"""Every request keeps its bytes for good, and the daemon reads back what a client wrote."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from reverie.protocol.requests import REQUESTS, Ping, Request, op_of
from reverie.protocol.results import EventView
from reverie.protocol.wire import ErrorBody, Reply, decode_reply, encode_request
from reveried.server.codec import Undecodable, decode_request

FILE = Path(__file__).parents[2] / "golden" / "protocol.jsonl"
VECTORS: list[dict[str, Any]] = [json.loads(line) for line in FILE.read_text().splitlines()]
BY_OP = {op_of(request): request for request in REQUESTS}


def asked(vector: dict[str, Any]) -> Request:
    return msgspec.convert(vector["request"], BY_OP[vector["op"]])


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["op"])
def test_a_request_is_encoded_to_its_golden_bytes(vector: dict[str, Any]) -> None:
    assert encode_request(asked(vector)).hex() == vector["hex"]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["op"])
def test_the_daemon_reads_the_golden_bytes_back(vector: dict[str, Any]) -> None:
    # An encoder may write the size of a map in a byte or in three; `also` are the bytes of one that does otherwise.
    for written in (vector["hex"], vector.get("also", vector["hex"])):
        body = bytes.fromhex(written)
        assert decode_request(body) == asked(vector)
        assert msgspec.msgpack.decode(body) == vector["request"]


def test_every_operation_has_a_golden_vector() -> None:
    assert {vector["op"] for vector in VECTORS} == set(BY_OP)
    assert all(vector["request"]["op"] == vector["op"] for vector in VECTORS)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["op"])
def test_fields_of_a_later_version_are_ignored(vector: dict[str, Any]) -> None:
    body = msgspec.msgpack.encode({**vector["request"], "of_a_later_version": [1, {"two": 3}]})
    assert decode_request(body) == asked(vector)


@pytest.mark.parametrize(
    ("body", "id_", "code", "field", "hopeless"),
    [
        (b"\xc1", None, "invalid_request", None, True),
        (b"", None, "invalid_request", None, True),
        (b"\x82\xa2op\xa1\xff\xa2id\x07", None, "invalid_request", None, False),
        (b"\x83\xa2op\xa6recall\xa2id\x07\xa5query\xa1\xff", 7, "invalid_request", None, False),
        (msgspec.msgpack.encode([1]), None, "invalid_request", None, False),
        (msgspec.msgpack.encode({"op": "dream", "id": 7}), 7, "unknown_op", "op", False),
        (msgspec.msgpack.encode({"id": 7}), 7, "unknown_op", "op", False),
        (msgspec.msgpack.encode({"op": "get", "id": 7}), 7, "invalid_request", None, False),
        (msgspec.msgpack.encode({"op": "get", "id": 7, "memory": "x"}), 7, "invalid_request", "memory", False),
        (msgspec.msgpack.encode({"op": "get", "id": 7, "memory": 1 << 63}), 7, "invalid_request", "memory", False),
        (msgspec.msgpack.encode({"op": "ping", "id": "x"}), None, "invalid_request", "id", False),
        (msgspec.msgpack.encode({"op": "store", "id": 1, "memory": {"content": 5}}), 1, "invalid_request",
         "memory.content", False),
    ],
)  # fmt: skip
def test_what_is_no_request_is_refused_with_its_id_and_field(
    body: bytes, id_: int | None, code: str, field: str | None, hopeless: bool
) -> None:
    with pytest.raises(Undecodable) as refusal:
        decode_request(body)
    assert (refusal.value.id, refusal.value.error.code) == (id_, code)
    assert (refusal.value.error.field, refusal.value.hopeless) == (field, hopeless)


@pytest.mark.parametrize(
    "reply",
    [
        Reply(id=1, ok=True, result=msgspec.Raw(msgspec.msgpack.encode({"head": 3}))),
        Reply(id=1, ok=False, error=ErrorBody(code="busy", message="later", retryable=True)),
        Reply(ok=False, error=ErrorBody(code="forbidden", message="no", field="f", hint="h")),
        Reply(
            id=2,
            event=EventView(seq=1, at=2, type="memory.erased", namespace="n", subject=1, actor="a", payload=None),
        ),
    ],
)
def test_a_reply_comes_back_as_it_was(reply: Reply) -> None:
    again = decode_reply(msgspec.msgpack.encode(reply))
    assert (again.id, again.ok, again.error, again.event) == (reply.id, reply.ok, reply.error, reply.event)
    assert bytes(again.result) == bytes(reply.result)


def test_a_request_without_options_is_small() -> None:
    assert msgspec.msgpack.decode(encode_request(Ping(id=1))) == {"op": "ping", "id": 1}
