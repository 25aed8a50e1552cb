"""One entry of one mapping in a YAML file: put below its heading, or taken out again, with all comments left alone."""

import re
from typing import Any

from reverie.cli.clients.refusal import Unusable, is_settled


def put(text: str, path: tuple[str, str], value: dict[str, Any]) -> str:
    before = _read(text)
    if is_settled(_at(before, path), value):
        return text
    bare = drop(text, path)
    expected = _read(bare)
    if expected.get(path[0]) is None:
        expected[path[0]] = {}
    expected[path[0]][path[1]] = value
    return _checked(_inserted(bare, path, value), expected)


def _inserted(text: str, path: tuple[str, str], value: dict[str, Any]) -> str:
    lines = text.splitlines(keepends=True)
    heading = _heading(lines, path[0])
    if heading is None:
        gap = "" if not text or text.endswith("\n") else "\n"
        return f"{text}{gap}{path[0]}:\n{_entry(path[1], value, '  ')}"
    indent = _child_indent(lines, heading) or "  "
    lines[heading] = re.sub(r":\s*(\{\s*\}|null|~)", ":", lines[heading], count=1)
    lines[heading] = lines[heading] if lines[heading].endswith("\n") else lines[heading] + "\n"
    return "".join([*lines[: heading + 1], _entry(path[1], value, indent), *lines[heading + 1 :]])


def drop(text: str, path: tuple[str, str]) -> str:
    before = _read(text)
    if _at(before, path) is None:
        return text
    lines = text.splitlines(keepends=True)
    heading = _heading(lines, path[0])
    indent = _child_indent(lines, heading) if heading is not None else None
    if heading is None or indent is None:
        raise Unusable(f"{path[0]} is not written as an indented block")
    kept: list[str] = []
    inside = False
    for number, line in enumerate(lines):
        if number > heading and line.strip() and len(line) - len(line.lstrip(" ")) <= len(indent):
            inside = re.match(rf"{indent}[\"']?{re.escape(path[1])}[\"']?\s*:", line) is not None
        if not inside:
            kept.append(line)
    del before[path[0]][path[1]]
    if not before[path[0]]:
        # A heading with nothing below it would read as null, which is no mapping.
        kept[heading] = re.sub(r":", ": {}", kept[heading], count=1)
    return _checked("".join(kept), before)


def _heading(lines: list[str], name: str) -> int | None:
    found = [number for number, line in enumerate(lines) if re.match(rf"[\"']?{re.escape(name)}[\"']?\s*:", line)]
    return found[0] if len(found) == 1 else None


def _child_indent(lines: list[str], heading: int) -> str | None:
    for line in lines[heading + 1 :]:
        bare = line.lstrip(" ")
        if bare.strip() and not bare.startswith("#"):
            return line[: len(line) - len(bare)] or None
    return None


def _entry(name: str, value: dict[str, Any], indent: str) -> str:
    import yaml

    written = yaml.safe_dump({name: value}, sort_keys=False, allow_unicode=True, width=1000)
    return "".join(f"{indent}{line}\n" for line in written.splitlines())


def _at(values: dict[str, Any], path: tuple[str, str]) -> Any:
    holder = values.get(path[0])
    if holder is not None and not isinstance(holder, dict):
        raise Unusable(f"{path[0]} is not a mapping")
    return holder.get(path[1]) if holder else None


def _read(text: str) -> dict[str, Any]:
    from reverie.plain_yaml import NotPlain, values_in

    try:
        values = values_in(text)
    except NotPlain as error:
        raise Unusable(str(error)) from error
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise Unusable("it is not a mapping")
    return values


def _checked(after: str, expected: dict[str, Any]) -> str:
    try:
        same = _read(after) == expected
    except Unusable:
        same = False
    if not same:
        raise Unusable("it is written in a way that cannot be edited safely")
    return after
