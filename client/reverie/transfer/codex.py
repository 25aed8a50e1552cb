"""Codex memories: ~/.codex/memories with MEMORY.md, memory_summary.md and rollout_summaries/.

MEMORY.md groups its entries by task. Older ones have `keywords:` and `rollout_summary_files:` between two `---` above
the entries, newer ones in sections of their own.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator

from reverie.transfer import markdown
from reverie.transfer.markdown_blocks import blocks
from reverie.transfer.records import Item, Lines, Skipped
from reverie.transfer.sources import Source

NAME = "codex"
# Sections that point into its own files: an index is not a memory.
_INDEX = {"rollout_summary_files", "what's in memory"}
_KEYWORDS = "keywords"
# What the entries are made from; it is written anew each time.
_TEMPORARY = "raw_memories.md"
_HEADER = re.compile(
    r"^---[ \t]*\n(?=(?:(?!---).*\n)*(?:keywords|rollout_summary_files):)((?:(?!---).*\n)*)---[ \t]*$", re.MULTILINE
)

Words = tuple[str, ...]


def detect(source: Source, head: str) -> bool:
    return ".codex" in source.path.parts and source.path.suffix == ".md" and "memories" in source.path.parts


def read(source: Source) -> Iterator[Item]:
    if source.path.name == _TEMPORARY:
        yield Skipped(place=source.name, reason="a temporary file of Codex", bad=False)
        return
    text, headers = _without_headers(source.text())
    day = markdown.day_in(source.path.name)
    group: Words = ()
    words: Words = ()
    for block in blocks(text):
        if block.headings[:1] != group:
            group, words = block.headings[:1], ()
        below = {heading.lower() for heading in block.headings}
        if _KEYWORDS in below:
            words = (*words, *_words(block.text))
        elif below & _INDEX:
            yield Skipped(place=f"{source.name}:{block.line}", reason="an entry of its index", bad=False)
        else:
            above = bisect_left(headers, block.line, key=lambda header: header[0])
            yield from markdown.found(source, block, day, extra=(*words, *(headers[above - 1][1] if above else ())))


def _without_headers(text: str) -> tuple[str, list[tuple[int, Words]]]:
    """The text with blank lines in their place, so that all others keep their numbers, and the keywords of each."""
    lines = Lines(text)
    headers = [(lines.of(found.start()), _keywords(found[1])) for found in _HEADER.finditer(text)]
    return _HEADER.sub(lambda found: "\n" * found[0].count("\n"), text), headers


def _keywords(header: str) -> Words:
    found = re.search(r"^keywords:(.*)$", header, re.MULTILINE)
    return _words(found[1]) if found else ()


def _words(text: str) -> Words:
    """The handles by which a task is to be found again: they become the tags of what was learned in it."""
    return tuple(word.strip(" `\"'") for word in text.replace("\n", ",").split(","))
