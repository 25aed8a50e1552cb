"""The automatic tags a memory would get today: of its own words alone, and none that somebody took off."""

from reveried.domain.memory import Memory, own_content
from reveried.domain.understanding.tags import TagPolicy, auto_tags


def refreshed(memory: Memory, policy: TagPolicy) -> tuple[str, ...]:
    """Words that were merged into it are another's: as tags they would outlive that one's erasure."""
    found = auto_tags(own_content(memory), memory.source, memory.source_ref, policy)
    return tuple(tag for tag in found if tag not in memory.untagged)
