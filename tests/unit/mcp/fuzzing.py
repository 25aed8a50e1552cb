"""Lines that no honest client sends, and some that it does, the same for the same seed."""

import json
import random
from collections.abc import Iterator
from typing import Any

METHODS = (
    "initialize", "server/discover", "ping", "tools/list", "tools/call", "resources/list", "resources/read",
    "resources/templates/list", "prompts/list", "prompts/get", "notifications/cancelled", "no/such", "",
)  # fmt: skip
TOOLS = ("memory_search", "memory_get", "memory_context", "memory_why", "memory_save", "memory_sing", None, 3)
ODD: tuple[Any, ...] = (
    None, True, -1, 0, 1, 2**31, 2**63, 2**64, 10**400, 1.5, 1e308, "", "x", "\x00", "é漢😀", "a" * 5000, [], [[]], {},
    {"a": {"b": [None]}}, "2025-11-25", "memory://1", "../../etc/passwd", "%s%n", "NEAR(\"*\" AND", "[id:1]",
)  # fmt: skip
KEYS = ("name", "arguments", "uri", "cursor", "protocolVersion", "requestId", "_meta", "task", "query", "id", "content")


def lines(count: int, seed: int) -> Iterator[bytes]:
    chance = random.Random(seed)
    for _ in range(count):
        line = chance.choice((_message, _message, _message, _bent, _bytes, _batch))(chance)
        yield line.replace(b"\n", b" ") + b"\n"


def _params(chance: random.Random) -> Any:
    if chance.random() < 0.1:
        return chance.choice(ODD)
    params = {chance.choice(KEYS): chance.choice(ODD) for _ in range(chance.randrange(4))}
    if chance.random() < 0.5:
        given = {chance.choice(KEYS): chance.choice(ODD) for _ in range(chance.randrange(3))}
        params |= {"name": chance.choice(TOOLS), "arguments": given}
    return params


def _value(chance: random.Random) -> dict[str, Any]:
    message: dict[str, Any] = {"jsonrpc": chance.choice(("2.0", "2.0", "2.0", "1.0", None)), "params": _params(chance)}
    message["method"] = chance.choice(METHODS) if chance.random() < 0.95 else chance.choice(ODD)
    if chance.random() < 0.8:
        message["id"] = chance.randrange(1_000_000) if chance.random() < 0.7 else chance.choice(ODD)
    return message


def _message(chance: random.Random) -> bytes:
    return json.dumps(_value(chance), ensure_ascii=chance.random() < 0.5).encode()


def _batch(chance: random.Random) -> bytes:
    return json.dumps([_value(chance) for _ in range(chance.randrange(4))]).encode()


def _bent(chance: random.Random) -> bytes:
    """A message with some bytes changed, cut or doubled."""
    data = bytearray(_message(chance))
    for _ in range(chance.randrange(1, 6)):
        at = chance.randrange(len(data))
        data[at : at + chance.randrange(3)] = chance.randbytes(chance.randrange(3)) or b"{"
    return bytes(data)


def _bytes(chance: random.Random) -> bytes:
    return chance.choice((chance.randbytes(chance.randrange(200)), b"[" * 3000, b'{"a":' * 2000, b'"\\ud800"'))
