"""Changes to a JSON file in one place. Every edit is checked: what was not meant to change must read as before."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from reverie.cli.clients.json_place import as_text, indent_at, inserted, removed, unit_of
from reverie.cli.clients.jsonc import Node, parse, plain
from reverie.cli.clients.refusal import Unusable

Path = Sequence[str]


def put(text: str, path: Path, value: Any) -> str:
    """`value` at `path`, in the place of what stands there; objects on the way are made."""
    source = text if text.strip() else "{}\n"
    node, missing = _walk(parse(source), path)
    if missing:
        for name in reversed(missing[1:]):
            value = {name: value}
        after = inserted(source, _object(node, path), value, missing[0])
        shown = value
    else:
        shown = value
        written = as_text(value, indent_at(source, node.start), unit_of(source))
        same = plain(source, node) == _plain(value)
        after = source if same else source[: node.start] + written + source[node.end :]
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
    return put(text, path, [value]) if missing else _checked(text, inserted(text, node, value), path, expected)


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
    return removed(text, holder, member)


def drop_from(text: str, path: Path, ours: Callable[[Any], bool]) -> str:
    """Without what is ours in the list at `path`; a list that is left empty goes too."""
    while text.strip():
        node, missing = _walk(parse(text), path)
        if missing or node.kind != "array":
            return text
        member = next((one for one in node.members if ours(plain(text, one.node))), None)
        if member is None:
            return text
        text = drop(text, path) if len(node.members) == 1 else removed(text, node, member)
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
