"""Where an entry goes into a JSON text and how it leaves: indented as its neighbours, whose comments stay theirs."""

import json
from typing import Any

from reverie.cli.clients.jsonc import Member, Node, parse, plain
from reverie.cli.clients.refusal import Unusable


def inserted(text: str, holder: Node, value: Any, key: str | None = None) -> str:
    base, unit = indent_at(text, holder.start), unit_of(text)
    inside = base + unit
    if holder.members:
        last = holder.members[-1]
        if "\n" not in text[holder.start : last.start]:
            comma = "" if last.comma is not None else ","
            at = last.node.end if last.comma is None else last.comma + 1
            return f"{text[:at]}{comma} {_entry(value, key, None, '')}{text[at:]}"
        inside = indent_at(text, last.start)
        entry = _entry(value, key, inside, unit)
        at = _end_of_line(text, last.node.end if last.comma is None else last.comma + 1)
        kept = text[last.node.end : at]
        if last.comma is None:
            return f"{text[: last.node.end]},{kept}\n{inside}{entry}{text[at:]}"
        return f"{text[:at]}\n{inside}{entry},{text[at:]}"
    closing = holder.end - 1
    return f"{text[:closing].rstrip()}\n{inside}{_entry(value, key, inside, unit)}\n{base}{text[closing:]}"


def _entry(value: Any, key: str | None, indent: str | None, unit: str) -> str:
    rendered = json.dumps(value, ensure_ascii=False) if indent is None else as_text(value, indent, unit)
    return rendered if key is None else f"{json.dumps(key, ensure_ascii=False)}: {rendered}"


def as_text(value: Any, indent: str, unit: str) -> str:
    return json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", f"\n{indent}")


def _end_of_line(text: str, at: int) -> int:
    """Behind a comment that stands on the same line: it belongs to what is before it."""
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    rest = text[at:end].strip()
    return end if rest.startswith("//") or (rest.startswith("/*") and rest.endswith("*/")) else at


def removed(text: str, holder: Node, member: Member) -> str:
    start, end = member.start, member.node.end if member.comma is None else member.comma + 1
    line = text.rfind("\n", 0, start)
    if line >= 0 and not text[line:start].strip():
        start = line
    else:
        start -= len(text[:start]) - len(text[:start].rstrip(" \t"))
    at = holder.members.index(member)
    after = text[:start] + text[end:]
    if member.comma is None and at > 0 and (comma := holder.members[at - 1].comma) is not None:
        after = after[:comma] + after[comma + 1 :]
    before, now = plain(text, holder), plain(after, _same_place(after, holder))
    rest = [value for index, value in enumerate(_values(before)) if index != at]
    if _values(now) != rest:
        raise Unusable("it is written in a way that cannot be edited safely")
    return after


def _values(value: Any) -> list[Any]:
    return list(value.items()) if isinstance(value, dict) else list(value)


def _same_place(text: str, holder: Node) -> Node:
    """The node that begins where `holder` did: an edit inside it does not move its beginning."""
    nodes = [parse(text)]
    while nodes:
        node = nodes.pop()
        if node.start == holder.start:
            return node
        nodes += [member.node for member in node.members]
    raise Unusable("it is written in a way that cannot be edited safely")


def indent_at(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def unit_of(text: str) -> str:
    """How the file indents, by its first indented line."""
    for line in text.splitlines():
        bare = line.lstrip()
        if bare and bare != line and not bare.startswith(("/", "*")):
            return line[: len(line) - len(bare)]
    return "  "
