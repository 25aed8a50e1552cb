"""The automatic tags a memory would get today: of its own words alone, and none that somebody took off."""

from msgspec.structs import replace

from reveried.domain.events import MemoryUpdated
from reveried.domain.memory import Memory, own_content
from reveried.domain.understanding.tags import TagPolicy, auto_tags, with_origin


def refreshed(memory: Memory, policy: TagPolicy) -> tuple[str, ...]:
    """Words that were merged into it are another's: as tags they would outlive that one's erasure."""
    return _kept(memory, auto_tags(own_content(memory), memory.source, memory.source_ref, policy))


def reworded(memory: Memory, change: MemoryUpdated, policy: TagPolicy) -> MemoryUpdated:
    """New words are read without knowing whose they will be; where the memory comes from says what it said before."""
    if change.tags_auto is None:
        return change
    found = with_origin(change.tags_auto, memory.source, memory.source_ref, policy)
    return replace(change, tags_auto=_kept(memory, found))


def _kept(memory: Memory, tags: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(tag for tag in tags if tag not in memory.untagged)
