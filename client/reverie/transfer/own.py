"""JSONL of this product: one whole record a line, with the life it has had, and after them one link a line."""

from collections.abc import Iterator
from typing import Any

import msgspec

from reverie.protocol.requests import Draft, Life, LinkArrival
from reverie.transfer.records import Found, FoundLink, Item, Skipped, key_of, moment, sound
from reverie.transfer.sources import Source

NAME = "jsonl"
LINKS = ("superseded_by", "compressed_into", "parent_id")
_TIMES = (
    "created_at", "updated_at", "reinforced_at", "last_accessed_at", "valid_from", "valid_to", "expires_at",
    "stored_at", "stale_since", "archived_at", "deleted_at",
)  # fmt: skip
_DRAFT = frozenset(Draft.__struct_fields__) - {"tags", "dedup", "level", "parent_id"}
_LIFE = frozenset(Life.__struct_fields__) - {"superseded_by", "compressed_into", "whole", "document"}
# Of any other record the hash follows from its words.
_DOCUMENT = "document:"
_decode = msgspec.json.Decoder().decode


def detect(source: Source, head: str) -> bool:
    first = head.partition("\n")[0]
    return first.startswith("{") and all(f'"{field}":' in first for field in ("content", "content_hash", "state"))


def read(source: Source) -> Iterator[Item]:
    for number, line in source.lines():
        place = f"{source.name}:{number}"
        if line is None:
            yield Skipped(place=place, reason="not UTF-8 text, or longer than 8 MiB")
        elif line.strip():
            yield _item(place, line)


def _item(place: str, line: str) -> Item:
    try:
        record = _decode(line)
    except (msgspec.MsgspecError, RecursionError) as error:
        return Skipped(place=place, reason=f"not JSON: {error}")
    if isinstance(record, dict) and isinstance(record.get("link"), dict):
        return _link(place, record)
    if not isinstance(record, dict) or not isinstance(record.get("content"), str):
        return Skipped(place=place, reason="not a record: it has no text in `content`")
    try:
        return found_in(place, sound(record))
    except (msgspec.ValidationError, ValueError) as error:
        return Skipped(place=place, reason=f"not a record: {error}")


def _link(place: str, record: dict[str, Any]) -> Item:
    try:
        link = msgspec.convert(record["link"], LinkArrival)
        return FoundLink(place=place, link=link, namespace=msgspec.convert(record.get("namespace"), str | None))
    except msgspec.ValidationError as error:
        return Skipped(place=place, reason=f"not a link: {error}")


def found_in(place: str, record: dict[str, Any]) -> Found:
    record = {**record, **{name: _time(record.get(name)) for name in _TIMES}}
    said = {name: value for name, value in record.items() if value is not None}
    manual = said.get("tags_manual", said.get("tags", []))
    draft = msgspec.convert({**{name: said[name] for name in _DRAFT & said.keys()}, "tags": manual}, Draft)
    lived = {**{name: said[name] for name in _LIFE & said.keys()}, "whole": True, "document": _document(said)}
    life = msgspec.convert(lived, Life)
    numbers = msgspec.convert({name: said[name] for name in ("id", *LINKS) if name in said}, dict[str, int])
    return Found(
        place=place,
        key=key_of(NAME, numbers.get("id"), draft.created_at, life.stored_at, draft.content),
        draft=draft,
        life=life,
        namespace=msgspec.convert(said.get("namespace"), str | None),
        ref=numbers.pop("id", None),
        links=numbers,
    )


def _document(said: dict[str, Any]) -> str | None:
    hash_ = said.get("content_hash")
    return hash_ if isinstance(hash_, str) and hash_.startswith(_DOCUMENT) else None


def _time(value: Any) -> Any:
    """Microseconds as on the wire, or ISO 8601 as `--json` prints them."""
    return moment(value) if isinstance(value, str) else value
