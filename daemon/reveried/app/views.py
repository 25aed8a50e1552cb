"""Records as callers see them, and pages that fit one frame."""

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from reverie.protocol.limits import MAX_FRAME, MAX_PAGE
from reverie.protocol.results import MemoryView, RecalledMemory
from reveried.domain.memory import Memory
from reveried.domain.recalling.ranking import Ranked
from reveried.errors import InvalidField

T = TypeVar("T")
# Room for the envelope around a page.
PAGE_BYTES = MAX_FRAME - 4096
_SHARED = [field for field in MemoryView.__struct_fields__ if field in Memory.__struct_fields__]


_LISTS = ("tags_auto", "tags_manual", "entities", "conflicts", "absorbed", "ties", "drawn_from", "relations")


def memory_view(memory: Memory) -> MemoryView:
    fields = {field: getattr(memory, field) for field in _SHARED}
    fields |= {name: list(fields[name]) for name in _LISTS}
    return MemoryView(**fields, system=memory.system, tags=list(memory.tags), conflicted=memory.conflicted)


def recalled_view(one: Ranked, rank: int, tokens: int, *, explain: bool) -> RecalledMemory:
    memory = one.memory
    return RecalledMemory(
        id=memory.id,
        namespace=memory.namespace,
        rank=rank,
        score=one.score,
        signals=one.signals,
        contributions=one.contributions if explain else {},
        content=memory.content,
        title=memory.title,
        summary=memory.summary,
        kind=memory.kind,
        system=memory.system,
        tags=list(memory.tags),
        state=memory.state,
        trust=memory.trust,
        pinned=memory.pinned,
        importance=memory.importance,
        confidence=memory.confidence,
        reinforcement=memory.score,
        source=memory.source,
        speaker=memory.speaker,
        session_id=memory.session_id,
        created_at=memory.created_at,
        updated_at=memory.updated_at,
        tokens=tokens,
        conflicted=memory.conflicted,
    )


def checked_limit(limit: int) -> int:
    if not 1 <= limit <= MAX_PAGE:
        raise InvalidField(f"limit is {limit}; it must be 1 to {MAX_PAGE}", field="limit", hint="page on with `next`")
    return limit


def fitting(items: Sequence[T]) -> list[T]:
    """As many of the items as one frame can carry; at least the first."""
    chosen: list[T] = []
    used = 0
    for item in items:
        used += len(msgspec.msgpack.encode(item))
        if chosen and used > PAGE_BYTES:
            break
        chosen.append(item)
    return chosen
