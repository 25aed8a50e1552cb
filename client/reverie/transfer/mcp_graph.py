"""The graph of the MCP reference memory server: a line for each entity and each relation, in any order.

It knows no times and no ids. Until the daemon keeps entities of its own, each observation becomes a memory, each
relation too, and the metadata holds the graph word for word.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from reverie.protocol.requests import Draft
from reverie.transfer.json_items import items
from reverie.transfer.records import MIGRATION, Found, Item, Skipped, Unreadable, key_of, name, pieces, sound, tags
from reverie.transfer.sources import Source

NAME = "mcp"


def detect(source: Source, head: str) -> bool:
    first = head.lstrip().partition("\n")[0]
    if '"entities"' in head[:200] and '"relations"' in head:
        return True
    return first.startswith("{") and any(f'"type":{gap}"{kind}"' in first for kind in _TYPES for gap in ("", " "))


_TYPES = ("entity", "relation")


def read(source: Source) -> Iterator[Item]:
    if '"entities"' in source.head()[:200]:
        yield from _graph(source)
        return
    for number, line in source.lines():
        place = f"{source.name}:{number}"
        if line is None:
            yield Skipped(place=place, reason="not UTF-8 text, or longer than 8 MiB")
        elif line.strip():
            yield from _line(place, line)


def _graph(source: Source) -> Iterator[Item]:
    """As `read_graph` answers it: one object with two lists."""
    number = 0
    kinds = {"entities": "entity", "relations": "relation"}
    try:
        for number, (which, record) in enumerate(items(source.stream, *kinds), 1):
            yield from _items(f"{source.name} item {number}", record, kinds[which])
    except Unreadable as error:
        yield Skipped(place=f"{source.name} after item {number}", reason=str(error))


def _line(place: str, line: str) -> Iterator[Item]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        yield Skipped(place=place, reason=f"not JSON: {error}")
        return
    yield from _items(place, record, record.get("type") if isinstance(record, dict) else None)


def _items(place: str, record: Any, type_: Any) -> Iterator[Item]:
    record = sound(record)
    if not isinstance(record, dict):
        yield Skipped(place=place, reason="neither an entity nor a relation")
    elif type_ == "entity":
        yield from _entity(place, record)
    elif type_ == "relation":
        yield _relation(place, record)
    else:
        yield Skipped(place=place, reason=f"type {str(type_)[:40]!r} is neither entity nor relation")


def _first(record: dict[str, Any], *names: str) -> str:
    return next((str(record[field]) for field in names if record.get(field)), "")


def _entity(place: str, record: dict[str, Any]) -> Iterator[Item]:
    entity = _first(record, "name", "entityName", "id")
    kind = _first(record, "entityType", "entity_type") or "entity"
    observations = record.get("observations") or []
    if not entity or not isinstance(observations, list):
        yield Skipped(place=place, reason="an entity without a name, or whose observations are no list")
        return
    # An entity of which nothing was observed is still known to exist.
    if not observations:
        yield _memory(place, f"{entity} ({kind})", [entity], [kind], {"entity": entity, "entityType": kind})
    for index, observation in enumerate(observations):
        text = str(observation).strip()
        content = text if _names(text, entity) else f"{entity}: {text}"
        about = {"entity": entity, "entityType": kind, "observation": observation, "index": index}
        if not text:
            yield Skipped(place=place, reason=f"observation {index + 1} of {entity!r} is empty")
        for piece in pieces(content) if text else ():
            yield _memory(place, piece, [entity], [kind], about if len(text) <= 4_000 else {**about, "observation": ""})


def _names(text: str, entity: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(entity)}(?!\w)", text) is not None


def _relation(place: str, record: dict[str, Any]) -> Item:
    source, target = _first(record, "from", "from_id"), _first(record, "to", "to_id")
    kind = _first(record, "relationType", "relation_type")
    if not (source and target and kind):
        return Skipped(place=place, reason="a relation lacks `from`, `to` or `relationType`")
    about = {"from": source, "to": target, "relationType": kind}
    return _memory(place, f"{source} {kind.replace('_', ' ')} {target}", [source, target], ["relation"], about)


def _memory(place: str, content: str, entities: list[str], kinds: list[str], about: dict[str, Any]) -> Found:
    draft = Draft(
        content=content,
        source=MIGRATION,
        entities=[short for entity in entities if (short := name(entity))],
        tags=tags(kinds),
        metadata={NAME: about},
    )
    return Found(place=place, key=key_of(NAME, json.dumps(about, sort_keys=True), content), draft=draft)
