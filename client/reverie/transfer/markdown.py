"""Agents' notes: MEMORY.md, USER.md, memory/2026-01-31.md, CLAUDE.md, AGENTS.md, and OpenClaw's annotations in them."""

import re
from collections.abc import Iterator
from datetime import date, datetime

from reverie.protocol.requests import Draft, Life
from reverie.transfer.markdown_blocks import Block, blocks
from reverie.transfer.records import MAX_CONTENT, MIGRATION, Found, Item, Skipped, key_of, name, pieces, tags
from reverie.transfer.sources import Source

NAME = "markdown"
_DAY = re.compile(r"(?<!\d)(\d{4})-(\d{2})-(\d{2})(?!\d)")
_REFERENCE = re.compile(r"@[\w~./-]+$")
_ORIGIN = re.compile(r"\n?^Source:\s*(\S+#L\d+(?:-L?\d+)?)\s*$", re.MULTILINE)
# Reports of what the machinery did at night, not memories.
_REPORTS = ("DREAMS.md",)


def detect(source: Source, head: str) -> bool:
    return source.path.suffix.lower() in (".md", ".markdown", ".mdc")


def read(source: Source) -> Iterator[Item]:
    if source.path.name in _REPORTS:
        yield Skipped(place=source.name, reason="a report, not memories", bad=False)
        return
    day = day_in(source.path.name)
    for block in blocks(source.text()):
        yield from found(source, block, day)


def found(source: Source, block: Block, day: int | None, extra: tuple[str, ...] = ()) -> Iterator[Item]:
    place = f"{source.name}:{block.line}"
    if _REFERENCE.match(block.text):
        yield Skipped(place=place, reason=f"{block.text} is another file; import that too", bad=False)
        return
    origin = _ORIGIN.search(block.text)
    text = _ORIGIN.sub("", block.text).strip()
    for content in pieces(text, MAX_CONTENT):
        draft = Draft(
            content=content,
            title=block.title,
            importance=_importance(block.notes.get("importance")),
            source=MIGRATION,
            source_ref=name(origin[1] if origin else source.name),
            tags=tags([*_triggers(block), *extra]),
            created_at=day_in(block.notes.get("observed", "")) or _heading_day(block) or day,
            metadata={"file": source.name, "headings": list(block.headings)},
        )
        yield Found(place=place, key=key_of(NAME, content), draft=draft, life=_life(block))


def day_in(text: str) -> int | None:
    """Noon of the day that a text names: a note of a day says no hour."""
    named = _DAY.search(text)
    try:
        day = date(*map(int, named.groups())) if named else None
    except ValueError:
        return None
    return None if day is None else round(datetime(day.year, day.month, day.day, 12).timestamp() * 1_000_000)


def _heading_day(block: Block) -> int | None:
    return next((day for heading in reversed(block.headings) if (day := day_in(heading))), None)


def _triggers(block: Block) -> list[str]:
    return block.notes.get("trigger", "").split(",")


def _importance(value: str | None) -> float | None:
    """Annotated from 1 to 10."""
    return int(value) / 10 if value and value.isdecimal() and 1 <= int(value) <= 10 else None


def _life(block: Block) -> Life | None:
    """What its own file calls superseded must not come back as if it held; by what, the file does not say."""
    return Life(superseded_by=0) if block.notes.get("status") == "superseded" else None
