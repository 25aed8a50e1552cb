"""mem0: what `get_all()` returns as JSON, and the markdown blocks that its plugin exports."""

import re
from collections.abc import Iterator
from typing import Any

from reverie.protocol.requests import Draft, Life
from reverie.transfer.json_items import items
from reverie.transfer.records import (
    MIGRATION,
    Found,
    Item,
    Lines,
    Skipped,
    Unreadable,
    key_of,
    moment,
    name,
    pieces,
    said,
    sound,
    tags,
)
from reverie.transfer.sources import Source

NAME = "mem0"
_KEPT = ("id", "user_id", "agent_id", "run_id", "app_id", "actor_id", "metadata", "categories", "score")
_BLOCK = re.compile(r"^---[ \t]*\n((?:[\w-]+:.*\n)+)---[ \t]*\n", re.MULTILINE)


def detect(source: Source, head: str) -> bool:
    start = head.lstrip()
    if start.startswith(("{", "[")):
        return '"memory"' in head and ('"hash"' in head or '"results"' in head or '"user_id"' in head)
    return bool(start.startswith("---\nid:") and re.match(r"---\nid:.*\ncreated_at:", start))


def read(source: Source) -> Iterator[Item]:
    yield from _blocks(source) if source.head().lstrip().startswith("---") else _json(source)


def _json(source: Source) -> Iterator[Item]:
    number = 0
    try:
        for number, (_, record) in enumerate(items(source.stream, "results", "memories"), 1):
            yield from _items(f"{source.name} memory {number}", sound(record))
    except Unreadable as error:
        yield Skipped(place=f"{source.name} after memory {number}", reason=str(error))


def _items(place: str, record: Any) -> Iterator[Item]:
    text = record.get("memory") or record.get("text") if isinstance(record, dict) else None
    if not isinstance(text, str) or not text.strip():
        yield Skipped(place=place, reason="it has no text in `memory`")
        return
    yield from _found(place, text, record)


def _blocks(source: Source) -> Iterator[Item]:
    """`---`, fields, `---`, then the text up to the next such block."""
    text = source.text()
    found, lines = list(_BLOCK.finditer(text)), Lines(text)
    if not found:
        yield Skipped(place=source.name, reason="no block of fields between two `---`")
        return
    for block, following in zip(found, [*found[1:], None], strict=True):
        fields = dict(_field(line) for line in block[1].splitlines())
        line = lines.of(block.start())
        content = text[block.end() : following.start() if following else None].strip()
        if content:
            yield from _found(f"{source.name}:{line}", content, fields)
        else:
            yield Skipped(place=f"{source.name}:{line}", reason="a block without text")


def _field(line: str) -> tuple[str, str]:
    field, _, value = line.partition(":")
    return field.strip(), value.strip()


def _found(place: str, text: str, record: dict[str, Any]) -> Iterator[Found]:
    known = {field: record.get(field) for field in _KEPT}
    known |= {field: record[field] for field in ("type", "confidence", "branch", "files") if field in record}
    for index, content in enumerate(pieces(text)):
        draft = Draft(
            content=content,
            source=MIGRATION,
            source_ref=name(f"mem0:{record.get('id')}"),
            session_id=name(record.get("run_id")),
            tags=tags(record.get("categories")),
            created_at=moment(record.get("created_at")),
            metadata={NAME: said(known)},
        )
        life = Life(updated_at=moment(record.get("updated_at"))) if record.get("updated_at") else None
        yield Found(place=place, key=key_of(NAME, record.get("id"), index, content), draft=draft, life=life)
