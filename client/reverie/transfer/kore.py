"""Kore's JSON export: `{"memories": [{id, content, category, importance 1-5, …}], "total": n}`."""

import json
from collections.abc import Iterator
from typing import Any

from reverie.protocol.requests import Draft, Life
from reverie.transfer.json_items import items
from reverie.transfer.records import MIGRATION, Found, Item, Skipped, Unreadable, key_of, moment, said, sound, tags
from reverie.transfer.sources import Source

NAME = "kore"
# Its categories, where one says what a memory is; of the others the daemon judges by the words.
_KINDS = {"decision": "decision", "preference": "preference", "person": "relationship", "task": "plan"}
_KEPT = ("id", "category", "decay_score", "narrative")
_JSON = {"facts_json": "facts", "concepts_json": "concepts", "metadata_json": "metadata"}


def detect(source: Source, head: str) -> bool:
    return head.lstrip().startswith("{") and '"memories"' in head and '"category"' in head and '"importance"' in head


def read(source: Source) -> Iterator[Item]:
    number = 0
    try:
        for number, (_, record) in enumerate(items(source.stream, "memories"), 1):
            yield _item(f"{source.name} memory {number}", sound(record))
    except Unreadable as error:
        yield Skipped(place=f"{source.name} after memory {number}", reason=str(error))


def _item(place: str, record: Any) -> Item:
    if not isinstance(record, dict) or not str(record.get("content") or "").strip():
        return Skipped(place=place, reason="it has no content")
    content, category = str(record["content"]), str(record.get("category") or "")
    level = record.get("importance")
    draft = Draft(
        content=content,
        title=str(record["title"])[:500] if record.get("title") else None,
        kind=_KINDS.get(category),
        level=level if isinstance(level, int) and 1 <= level <= 5 else None,
        source=MIGRATION,
        source_ref=f"kore:{record.get('id')}",
        tags=tags([category, *_list(record.get("concepts_json"))]),
        created_at=moment(record.get("created_at")),
        metadata={NAME: said({**{name: record.get(name) for name in _KEPT}, **_parsed(record)})},
    )
    return Found(
        place=place, key=key_of(NAME, record.get("id"), draft.created_at, content), draft=draft, life=_life(record)
    )


def _life(record: dict[str, Any]) -> Life:
    accesses = record.get("access_count")
    return Life(
        access_count=accesses if isinstance(accesses, int) and accesses > 0 else 0,
        last_accessed_at=moment(record.get("last_accessed")),
        updated_at=moment(record.get("updated_at")),
        state="archived" if record.get("archived_at") or record.get("archived") else "active",
        archived_at=moment(record.get("archived_at")),
    )


def _parsed(record: dict[str, Any]) -> dict[str, Any]:
    return {name: _decoded(record.get(field)) for field, name in _JSON.items()}


def _decoded(value: Any) -> Any:
    """Some of its columns hold JSON in a text; one that is broken is kept as the text it is."""
    if not isinstance(value, str):
        return value
    try:
        return sound(json.loads(value))
    except (ValueError, RecursionError):
        return value


def _list(value: Any) -> list[Any]:
    found = _decoded(value)
    return [part for part in found if isinstance(part, str)] if isinstance(found, list) else []
