"""How a memory looks to a person: its words first, then one quiet line about it."""

import textwrap

from reverie.cli.console import Console, visible, visible_lines
from reverie.cli.times import age, local, now_us
from reverie.protocol.results import MemoryView, NextTransition, RecalledMemory


def show_recalled(memory: RecalledMemory, console: Console) -> None:
    led = [] if memory.linked_to is None else [f"{memory.link} of [id:{memory.linked_to}]"]
    _block(memory, console, [f"score {memory.score:.2f}", *led])


def show_listed(memory: MemoryView, console: Console) -> None:
    _block(memory, console, [])


def _block(memory: RecalledMemory | MemoryView, console: Console, extra: list[str]) -> None:
    label = f"[id:{memory.id}]"
    text = "\n".join(_wrapped(_words(memory), console.width, len(label) + 1))
    first, *rest = text.split("\n")
    console.line(f"{console.bold(label)} {first}")
    indent = " " * (len(label) + 1)
    for line in rest:
        console.line(f"{indent}{line}".rstrip())
    console.line(indent + console.dim(" · ".join([*_about(memory), *extra])))


def _words(memory: RecalledMemory | MemoryView) -> str:
    """The title stands above the words only when it says something they do not begin with."""
    content = visible_lines(memory.content).strip()
    title = visible(memory.title).strip()
    return content if not title or content.startswith(title.rstrip("….")) else f"{title}\n{content}"


def _wrapped(text: str, width: int | None, indent: int) -> list[str]:
    if width is None:
        return text.split("\n")
    room = max(width - indent, 20)
    return [piece for line in text.split("\n") for piece in textwrap.wrap(line, room, drop_whitespace=True) or [""]]


def _about(memory: RecalledMemory | MemoryView) -> list[str]:
    about = [visible(memory.kind)]
    if memory.tags:
        about.append(visible(", ".join(memory.tags)))
    if memory.speaker:
        about.append(visible(memory.speaker))
    about.append(age(memory.created_at, now_us()))
    if memory.state != "active":
        about.append(memory.state)
    if memory.pinned:
        about.append("pinned")
    if memory.trust != "normal":
        about.append(f"{memory.trust} trust")
    return about


def show_whole(memory: MemoryView, console: Console) -> None:
    """Everything that is known of it, one field a line; what is empty is left out."""
    show_listed(memory, console)
    for name, value in _fields(memory):
        console.line(f"  {console.dim(f'{name:<16}')} {visible(value)}")


def _fields(memory: MemoryView) -> list[tuple[str, str]]:
    quiet = ("id", "content", "title", "tags", "tags_auto", "kind", "speaker", "pinned", "content_hash", "state")
    shown = []
    for name in memory.__struct_fields__:
        value = getattr(memory, name)
        if name in quiet or value in (None, "", [], {}):
            continue
        if isinstance(value, NextTransition):
            shown.append(("next", f"{value.state} on {local(value.at)} ({value.reason})"))
        elif name.endswith("_at") or name == "stale_since" or name.startswith("valid_"):
            shown.append((name, local(value)))
        elif isinstance(value, list):
            shown.append((name, ", ".join(value)))
        else:
            shown.append((name, f"{value:.3g}" if isinstance(value, float) else str(value)))
    return shown
