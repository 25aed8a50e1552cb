"""One table in a TOML file: put at the end, or taken out again. What else stands there must read as before."""

import contextlib
import json
import re
import tomllib
from typing import Any

from reverie.cli.clients.refusal import Unusable, is_settled


def put(text: str, path: tuple[str, str], value: dict[str, Any]) -> str:
    """The table `[path]` with these strings and lists of strings."""
    before = _read(text)
    if is_settled(_at(before, path), value):
        return text
    bare = drop(text, path)
    head = bare.rstrip("\n")
    table = f"[{'.'.join(path)}]\n" + "".join(f"{key} = {_literal(one)}\n" for key, one in value.items())
    after = f"{head}\n\n{table}" if head else table
    expected = _read(bare)
    expected.setdefault(path[0], {})[path[1]] = value
    return _checked(after, expected)


def drop(text: str, path: tuple[str, str]) -> str:
    expected = _read(text)
    if _at(expected, path) is None:
        return text
    del expected[path[0]][path[1]]
    if not expected[path[0]]:
        del expected[path[0]]
    tables = _tables(text, path)
    # A line in a long string can look like our heading: then only one way of cutting leaves the rest as it was.
    for cut in (tables, *([one] for one in tables)):
        with contextlib.suppress(Unusable):
            return _checked(_without(text, cut), expected)
    raise Unusable("its table of reverie is written in a way that cannot be edited safely")


def _tables(text: str, path: tuple[str, str]) -> list[range]:
    """The lines from each heading that may be ours to the next heading."""
    ours = re.compile(rf"\[\s*{path[0]}\s*\.\s*[\"']?{re.escape(path[1])}[\"']?\s*(?:\.[^\]]*)?\]")
    lines = text.splitlines()
    heads = [number for number, line in enumerate(lines) if line.lstrip().startswith("[")]
    ends = [*heads[1:], len(lines)]
    return [range(head, end) for head, end in zip(heads, ends, strict=False) if ours.match(lines[head].strip())]


def _without(text: str, tables: list[range]) -> str:
    gone = {number for table in tables for number in table}
    kept = "".join(line for number, line in enumerate(text.splitlines(keepends=True)) if number not in gone)
    return kept.rstrip("\n") + "\n" if kept.strip() else ""


def _at(values: dict[str, Any], path: tuple[str, str]) -> Any:
    holder = values.get(path[0])
    if holder is not None and not isinstance(holder, dict):
        raise Unusable(f"{path[0]} is not a table")
    return holder.get(path[1]) if holder else None


def _read(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also of numbers that are too long for Python
        raise Unusable(f"it is not TOML: {error}") from error


def _checked(after: str, expected: dict[str, Any]) -> str:
    try:
        same = _read(after) == expected
    except Unusable:
        same = False
    if not same:
        raise Unusable("it is written in a way that cannot be edited safely")
    return after


def _literal(value: str | list[str]) -> str:
    return json.dumps(value, ensure_ascii=False)
