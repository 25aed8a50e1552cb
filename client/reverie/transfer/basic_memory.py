"""basic-memory's notes: front matter, `- [category] observation #tag (context)`, `- relation [[Target]] (context)`."""

import re
from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

import msgspec

from reverie.plain_yaml import NotPlain, values_in
from reverie.protocol.requests import Draft, Life
from reverie.transfer.markdown_blocks import Block, blocks, front_matter
from reverie.transfer.records import MIGRATION, Found, Item, Skipped, key_of, moment, name, pieces, said, tags
from reverie.transfer.sources import Source

NAME = "basic-memory"
_OBSERVATION = re.compile(r"\[([^\[\]()]{2,}|[^\[\]()\sx-])\]\s+(.+)", re.DOTALL)
_RELATION = re.compile(
    r"(?:(?:\"([^\"]+)\"|'([^']+)')\s*+|([^\[\]\"']*))\[\[([^\[\]]+)\]\]\s*+(?:\((.*)\)\s*+)?", re.DOTALL
)
_CONTEXT = re.compile(r"\(([^()]*)\)\Z")
_TAG = re.compile(r"(?<![\w&/])#([\w/-]+)")
_KINDS = {"decision": "decision", "preference": "preference", "fact": "fact", "event": "event", "plan": "plan"}


def detect(source: Source, head: str) -> bool:
    above, _ = front_matter(head)
    return source.path.suffix == ".md" and any(line.startswith("permalink:") for line in above.splitlines())


def read(source: Source) -> Iterator[Item]:
    text = source.text()
    above, _ = front_matter(text)
    try:
        fields = values_in(above)
    except NotPlain as error:
        yield Skipped(place=f"{source.name}:1", reason=f"its front matter cannot be read: {error}")
        fields = {}
    note = _Note(source, fields if isinstance(fields, dict) else {})
    for block in blocks(text):
        yield from note.items(block)


class _Note:
    """The file that the pieces come from: its title, tags, times and whatever else its front matter says."""

    def __init__(self, source: Source, fields: dict[str, Any]) -> None:
        self._source = source
        self._title = str(fields.get("title") or source.path.stem)
        self._tags = tags(fields.get("tags"))
        self._created = _time(fields.get("created"))
        self._modified = _time(fields.get("modified"))
        known = ("title", "tags", "created", "modified")
        rest = {field: _plain(value) for field, value in fields.items() if field not in known}
        self._about = said({"title": self._title, **rest})

    def items(self, block: Block) -> Iterator[Found]:
        observation = _OBSERVATION.fullmatch(block.text) if block.is_item else None
        relation = _RELATION.fullmatch(block.text) if block.is_item else None
        if relation:
            words = next((word for word in relation.groups()[:3] if word and word.strip()), "links_to").strip()
            target = relation[4].partition("|")[0].strip()
            about = {"relation": words, "target": target, "context": relation[5]}
            content = f"{self._title} {words.replace('_', ' ')} {target}"
            yield from self._found(block, content, about, [], [self._title, target])
        elif observation:
            yield from self._observed(block, observation[1].strip(), observation[2])
        else:
            yield from self._found(block, block.text, {}, [], [])

    def _observed(self, block: Block, category: str, text: str) -> Iterator[Found]:
        text = text.strip()
        context = _CONTEXT.search(text)
        content = text[: context.start()].strip() if context else text
        about = {"category": category, "context": context[1] if context else None, "line": block.text}
        yield from self._found(block, content, about, [category, *_TAG.findall(text)], [], _KINDS.get(category))

    def _found(
        self,
        block: Block,
        text: str,
        about: dict[str, Any],
        more: list[str],
        entities: list[str],
        kind: str | None = None,
    ) -> Iterator[Found]:
        for content in pieces(text):
            draft = Draft(
                content=content,
                title=" › ".join(dict.fromkeys((self._title, *block.headings)))[:120],
                kind=kind,
                source=MIGRATION,
                source_ref=name(self._about.get("permalink") or self._source.name),
                tags=tags([*self._tags, *more]),
                entities=[short for entity in entities if (short := name(entity))],
                created_at=self._created,
                metadata={NAME: said({**self._about, **about})},
            )
            life = Life(updated_at=self._modified) if self._modified else None
            key = key_of(NAME, self._about.get("permalink") or self._title, content)
            yield Found(place=f"{self._source.name}:{block.line}", key=key, draft=draft, life=life)


def _time(value: Any) -> int | None:
    if isinstance(value, date) and not isinstance(value, datetime):
        value = value.isoformat()
    return moment(value.isoformat() if isinstance(value, datetime) else value)


def _plain(value: Any) -> Any:
    """YAML knows dates, JSON does not."""
    return msgspec.to_builtins(value)
