"""Codex memories: ~/.codex/memories with MEMORY.md, memory_summary.md and rollout_summaries/."""

from collections.abc import Iterator

from reverie.transfer import markdown
from reverie.transfer.markdown_blocks import Block, blocks
from reverie.transfer.records import Item, Skipped
from reverie.transfer.sources import Source

NAME = "codex"
# Sections that point into its own files: an index is not a memory.
_INDEX = ("rollout_summary_files", "what's in memory", "rollout summary files")
_KEYWORDS = "keywords"


def detect(source: Source, head: str) -> bool:
    return ".codex" in source.path.parts and source.path.suffix == ".md" and "memories" in source.path.parts


def read(source: Source) -> Iterator[Item]:
    day = markdown.day_in(source.path.name)
    task: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    for block in blocks(source.text()):
        if block.headings[:1] != task:
            task, words = block.headings[:1], ()
        below = {heading.lower() for heading in block.headings}
        if _KEYWORDS in below:
            words = (*words, *_words(block))
        elif below & set(_INDEX):
            yield Skipped(place=f"{source.name}:{block.line}", reason="an entry of its index", bad=False)
        else:
            yield from markdown.found(source, block, day, extra=words)


def _words(block: Block) -> list[str]:
    """The handles by which a task is to be found again: they become the tags of what was learned in it."""
    return [word.strip(" `\"'") for word in block.text.replace("\n", ",").split(",")]
