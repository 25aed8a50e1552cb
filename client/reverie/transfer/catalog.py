"""Every format, in the order in which a file is tried: the telling ones first, plain notes last."""

from collections.abc import Callable, Iterator
from importlib import import_module
from types import ModuleType
from typing import NamedTuple, cast

from reverie.transfer.records import Item
from reverie.transfer.sources import Source


class Format(NamedTuple):
    module: str
    summary: str
    # Which files of a directory may be of this format, by the end of their names.
    endings: tuple[str, ...]

    def detect(self, source: Source, head: str) -> bool:
        return bool(self._module().detect(source, head))

    def read(self, source: Source) -> Iterator[Item]:
        return cast("Callable[[Source], Iterator[Item]]", self._module().read)(source)

    def takes(self, source: Source) -> bool:
        return source.name.lower().endswith(self.endings)

    def _module(self) -> ModuleType:
        return import_module(f"reverie.transfer.{self.module}")


FORMATS: dict[str, Format] = {
    "jsonl": Format("own", "records of this product, as `reverie export` writes them", (".jsonl",)),
    "mcp": Format("mcp_graph", "the graph of the MCP reference memory server", (".jsonl", ".json")),
    "chatgpt": Format("chatgpt", "conversations.json of a ChatGPT export", (".json",)),
    "claude": Format("claude_ai", "conversations, memories and projects of a Claude.ai export", (".json",)),
    "kore": Format("kore", "Kore's JSON export", (".json",)),
    "mem0": Format("mem0", "mem0's JSON, or the markdown of its plugin", (".json", ".md")),
    "goose": Format("goose", "Goose's memory/*.txt", (".txt",)),
    "codex": Format("codex", "Codex's memories directory", (".md",)),
    "basic-memory": Format("basic_memory", "notes of basic-memory", (".md",)),
    "markdown": Format("markdown", "MEMORY.md, memory/*.md, CLAUDE.md, AGENTS.md and other notes", (".md", ".mdc")),
}

EVENTS_HEADING = '{"format":"reverie.events"'


def format_of(source: Source) -> str | None:
    """The first format that knows this file as its own."""
    head = source.head()
    return next((name for name, format_ in FORMATS.items() if format_.detect(source, head)), None)
