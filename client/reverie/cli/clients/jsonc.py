"""JSON as people keep it, with comments, trailing commas and bare keys: read into spans, so that an edit touches only
its own place. Scalars stay as they are written; nothing here rewrites what it does not change."""

import re
from typing import Any, Final, NamedTuple

from reverie.cli.clients.refusal import Unusable

_TRIVIA = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_SCALAR = re.compile(r"[^\s,:{}\[\]\"'/]+")
_STRING = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'", re.DOTALL)
DEEPEST: Final = 200


class Member(NamedTuple):
    """One entry of an object or a list: where it begins (with its key), and where its comma stands."""

    start: int
    key: str
    node: "Node"
    comma: int | None


class Node(NamedTuple):
    start: int
    end: int
    kind: str  # object, array or scalar
    members: tuple[Member, ...] = ()

    def member(self, key: str) -> Member | None:
        found = [member for member in self.members if member.key == key]
        if len(found) > 1:
            raise Unusable(f"it has the key {key!r} twice")
        return found[0] if found else None


def parse(text: str) -> Node:
    start = _skip(text, 0)
    node = _value(text, start, 0)
    end = _skip(text, node.end)
    if end != len(text):
        raise _bad(text, end)
    return node


def plain(text: str, node: Node) -> Any:
    """The node as Python values, scalars as they are written; enough to tell whether two are equal."""
    if node.kind == "object":
        return {member.key: plain(text, member.node) for member in node.members}
    if node.kind == "array":
        return [plain(text, member.node) for member in node.members]
    written = text[node.start : node.end]
    return f'"{_unquoted(written)}"' if written[0] in "\"'" else written


def _value(text: str, at: int, depth: int) -> Node:
    if depth > DEEPEST:
        raise Unusable("it is nested too deeply")
    if text[at : at + 1] in ("{", "["):
        return _container(text, at, depth)
    found = _STRING.match(text, at) or _SCALAR.match(text, at)
    if found is None:
        raise _bad(text, at)
    return Node(at, found.end(), "scalar")


def _container(text: str, start: int, depth: int) -> Node:
    kind, closing = ("object", "}") if text[start] == "{" else ("array", "]")
    members: list[Member] = []
    at = _skip(text, start + 1)
    while text[at : at + 1] != closing:
        if members and members[-1].comma is None:
            raise _bad(text, at)
        begin, key = at, ""
        if kind == "object":
            key, at = _key(text, at)
        node = _value(text, at, depth + 1)
        at = _skip(text, node.end)
        comma = at if text[at : at + 1] == "," else None
        members.append(Member(begin, key, node, comma))
        at = _skip(text, at + 1) if comma is not None else at
    return Node(start, at + 1, kind, tuple(members))


def _key(text: str, at: int) -> tuple[str, int]:
    found = _STRING.match(text, at) or _SCALAR.match(text, at)
    if found is None:
        raise _bad(text, at)
    colon = _skip(text, found.end())
    if text[colon : colon + 1] != ":":
        raise _bad(text, colon)
    return _unquoted(found[0]), _skip(text, colon + 1)


def _unquoted(written: str) -> str:
    if written[0] not in "\"'":
        return written
    return re.sub(r"\\(u[0-9a-fA-F]{4}|.)", _unescaped, written[1:-1], flags=re.DOTALL)


def _unescaped(found: re.Match[str]) -> str:
    code = found[1]
    if code[0] == "u" and len(code) == 5:
        return chr(int(code[1:], 16))
    return {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}.get(code, code)


def _skip(text: str, at: int) -> int:
    found = _TRIVIA.match(text, at)
    return found.end() if found else at


def _bad(text: str, at: int) -> Unusable:
    line = text.count("\n", 0, at) + 1
    return Unusable(f"line {line} is not JSON" if at < len(text) else f"it ends too early, in line {line}")
