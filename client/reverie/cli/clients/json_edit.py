"""Changes to a JSON file in one place. Every edit is checked: what was not meant to change must read as before."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from reverie.cli.clients.jsonc import Member, Node, parse, plain
from reverie.cli.clients.refusal import Unusable

Path = Sequence[str]


def put(text: str, path: Path, value: Any) -> str:
    """`value` at `path`, in the place of what stands there; objects on the way are made."""
    source = text if text.strip() else "{}\n"
    node, missing = _walk(parse(source), path)
    if missing:
        for name in reversed(missing[1:]):
            value = {name: value}
        after = _inserted(source, _object(node, path), value, missing[0])
        shown = value
    else:
        shown = value
        rendered = _rendered(value, _indent_at(source, node.start), _unit(source))
        same = plain(source, node) == _plain(value)
        after = source if same else source[: node.start] + rendered + source[node.end :]
    at = path[: len(path) - len(missing) + 1] if missing else path
    return _checked(source, after, at, _plain(shown))


def holds(text: str, path: Path) -> bool:
    return bool(text.strip()) and not _walk(parse(text), path)[1]


def append(text: str, path: Path, value: Any, ours: Callable[[Any], bool]) -> str:
    """`value` as the last of the list at `path`; an earlier one of ours that differs goes."""
    node, missing = _walk(parse(text), path) if text.strip() else (None, list(path))
    if node is None or missing:
        return put(text, path, [value])
    listed = plain(text, node)
    if not isinstance(listed, list):
        raise Unusable(f"{'.'.join(path)} is not a list")
    if [one for one in listed if ours(one)] == [_plain(value)]:
        return text
    text = drop_from(text, path, ours)
    node, missing = _walk(parse(text), path)
    expected = [one for one in listed if not ours(one)] + [_plain(value)]
    return put(text, path, [value]) if missing else _checked(text, _inserted(text, node, value), path, expected)


def drop(text: str, path: Path) -> str:
    """Without the entry at `path`, and without objects that it leaves empty."""
    if not text.strip():
        return text
    holder, missing = _walk(parse(text), path[:-1])
    member = None if missing else _object(holder, path).member(path[-1])
    if member is None:
        return text
    if len(holder.members) == 1 and len(path) > 1:
        return drop(text, path[:-1])
    return _removed(text, holder, member)


def drop_from(text: str, path: Path, ours: Callable[[Any], bool]) -> str:
    """Without what is ours in the list at `path`; a list that is left empty goes too."""
    while text.strip():
        node, missing = _walk(parse(text), path)
        if missing or node.kind != "array":
            return text
        member = next((one for one in node.members if ours(plain(text, one.node))), None)
        if member is None:
            return text
        text = drop(text, path) if len(node.members) == 1 else _removed(text, node, member)
    return text


def _walk(node: Node, path: Path) -> tuple[Node, list[str]]:
    """The last node on the path that is there, and the names that are missing below it."""
    for depth, name in enumerate(path):
        member = _object(node, path[:depth]).member(name)
        if member is None:
            return node, list(path[depth:])
        node = member.node
    return node, []


def _object(node: Node, path: Path) -> Node:
    if node.kind != "object":
        raise Unusable(f"{'.'.join(path) or 'the whole'} is not an object")
    return node


def _inserted(text: str, holder: Node, value: Any, key: str | None = None) -> str:
    base, unit = _indent_at(text, holder.start), _unit(text)
    inside = base + unit
    if holder.members:
        last = holder.members[-1]
        if "\n" not in text[holder.start : last.start]:
            comma = "" if last.comma is not None else ","
            at = last.node.end if last.comma is None else last.comma + 1
            return f"{text[:at]}{comma} {_entry(value, key, None, '')}{text[at:]}"
        inside = _indent_at(text, last.start)
        entry = _entry(value, key, inside, unit)
        at = _end_of_line(text, last.node.end if last.comma is None else last.comma + 1)
        kept = text[last.node.end : at]
        if last.comma is None:
            return f"{text[: last.node.end]},{kept}\n{inside}{entry}{text[at:]}"
        return f"{text[:at]}\n{inside}{entry},{text[at:]}"
    closing = holder.end - 1
    return f"{text[:closing].rstrip()}\n{inside}{_entry(value, key, inside, unit)}\n{base}{text[closing:]}"


def _entry(value: Any, key: str | None, indent: str | None, unit: str) -> str:
    rendered = json.dumps(value, ensure_ascii=False) if indent is None else _rendered(value, indent, unit)
    return rendered if key is None else f"{json.dumps(key, ensure_ascii=False)}: {rendered}"


def _rendered(value: Any, indent: str, unit: str) -> str:
    return json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", f"\n{indent}")


def _end_of_line(text: str, at: int) -> int:
    """Behind a comment that stands on the same line: it belongs to what is before it."""
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    rest = text[at:end].strip()
    return end if rest.startswith("//") or (rest.startswith("/*") and rest.endswith("*/")) else at


def _removed(text: str, holder: Node, member: Member) -> str:
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


def _checked(before: str, after: str, path: Path, value: Any) -> str:
    expected = plain(before, parse(before))
    place = expected
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = value
    if plain(after, parse(after)) != expected:
        raise Unusable("it is written in a way that cannot be edited safely")
    return after


def _plain(value: Any) -> Any:
    text = json.dumps(value, ensure_ascii=False)
    return plain(text, parse(text))


def _indent_at(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _unit(text: str) -> str:
    """How the file indents, by its first indented line."""
    for line in text.splitlines():
        bare = line.lstrip()
        if bare and bare != line and not bare.startswith(("/", "*")):
            return line[: len(line) - len(bare)]
    return "  "
