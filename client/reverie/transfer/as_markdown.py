"""Memories as notes for people. What a memory says is quoted, so that no word of it can pass for a heading of ours."""

from datetime import UTC, datetime

from reverie.protocol.results import MemoryView


def heading(namespace: str) -> str:
    return f"# Memories of {_line(namespace)}\n\n"


def as_markdown(memory: MemoryView) -> str:
    quoted = "\n".join(f"> {line}".rstrip() for line in memory.content.splitlines())
    return f"## [id:{memory.id}] {_line(memory.title)}\n\n{quoted}\n\n*{' · '.join(_about(memory))}*\n\n"


def _about(memory: MemoryView) -> list[str]:
    about = [memory.kind, _day(memory.created_at), memory.state]
    about += [f"by {_line(memory.speaker)}"] if memory.speaker else []
    about += [f"from {_line(memory.source)}"] if memory.source != "agent" else []
    about += [" ".join(f"#{_line(tag)}" for tag in memory.tags)] if memory.tags else []
    about += ["pinned"] if memory.pinned else []
    about += [f"score {memory.score:+}"] if memory.score else []
    about += ["low trust"] if memory.trust != "normal" else []
    for verb, to in (("superseded by", memory.superseded_by), ("part of", memory.compressed_into)):
        if to is not None:
            about.append(f"{verb} [id:{to}]" if to else f"{verb} another")
    return about


def _line(text: str) -> str:
    return " ".join(text.split())


def _day(us: int) -> str:
    try:
        return datetime.fromtimestamp(us / 1_000_000, UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (ValueError, OverflowError, OSError):
        return str(us)
