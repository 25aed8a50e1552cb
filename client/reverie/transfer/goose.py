"""Goose's memories: memory/<category>.txt, entries between blank lines, each under a line `# tag1 tag2` or none."""

import re
from collections.abc import Iterator

from reverie.protocol.requests import Draft
from reverie.transfer.records import MIGRATION, Found, Item, Lines, key_of, name, pieces, tags
from reverie.transfer.sources import Source

NAME = "goose"


def detect(source: Source, head: str) -> bool:
    return source.path.suffix == ".txt" and source.path.parent.name == "memory"


def read(source: Source) -> Iterator[Item]:
    category = source.path.stem
    for line, entry in _entries(source.text()):
        first, _, rest = entry.partition("\n")
        labelled = first.startswith("#") and bool(rest.strip())
        for content in pieces(rest if labelled else entry):
            draft = Draft(
                content=content,
                source=MIGRATION,
                source_ref=name(source.name),
                tags=tags([category, *(first.lstrip("#").split() if labelled else [])]),
                metadata={NAME: {"category": category}},
            )
            yield Found(place=f"{source.name}:{line}", key=key_of(NAME, category, content), draft=draft)


def _entries(text: str) -> Iterator[tuple[int, str]]:
    lines = Lines(text)
    for entry in re.finditer(r"(?:^[^\n]*\S[^\n]*(?:\n|\Z))+", text, re.MULTILINE):
        yield lines.of(entry.start()), entry[0].strip()
