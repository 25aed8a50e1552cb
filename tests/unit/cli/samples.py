"""Results as a daemon would give them."""

from typing import Any

from reverie.protocol.results import MemoryView, Recalled, RecalledMemory

DAY = 86_400_000_000
THEN = 1_769_860_800_250_000
THEN_ISO = "2026-01-31T12:00:00.250000Z"


def recalled_memory(memory: int = 12, content: str = "Ada prefers tea", **other: Any) -> RecalledMemory:
    fields: dict[str, Any] = dict.fromkeys(RecalledMemory.__struct_fields__)
    fields |= {"id": memory, "rank": 1, "score": 0.834, "signals": {"keyword": 0.9}, "content": content}
    fields |= {"title": content[:20], "kind": "preference", "system": "procedural", "tags": ["ada", "drinks"]}
    fields |= {"state": "active", "trust": "normal", "pinned": False, "importance": 0.6, "confidence": 0.8}
    fields |= {"reinforcement": 3, "source": "agent", "created_at": THEN, "updated_at": THEN, "tokens": 5}
    fields |= {"contributions": {}, "namespace": "default", "conflicted": False}
    return RecalledMemory(**(fields | other))


def recalled(*memories: RecalledMemory, semantic: bool = True, reason: str | None = None, **other: Any) -> Recalled:
    return Recalled(
        memories=list(memories),
        semantic=semantic,
        semantic_reason=reason,
        profile="adaptive",
        total_tokens=5,
        budget_used=0.1,
        over_budget=False,
        took_us=900,
        **other,
    )


def memory_view(memory: int = 12, content: str = "Ada prefers tea", **other: Any) -> MemoryView:
    fields: dict[str, Any] = dict.fromkeys(MemoryView.__struct_fields__)
    fields |= {"id": memory, "namespace": "default", "content": content, "title": content[:20], "kind": "fact"}
    fields |= {"system": "semantic", "importance": 0.5, "confidence": 0.8, "score": 0, "access_count": 2}
    fields |= {"pinned": False, "source": "agent", "tags": ["ada"], "tags_auto": [], "tags_manual": ["ada"]}
    fields |= {"entities": [], "state": "active", "tier": "hot", "trust": "normal", "content_hash": "ab"}
    fields |= {"created_at": THEN, "updated_at": THEN, "metadata": {}}
    fields |= {"conflicted": False, "conflicts": [], "absorbed": [], "ties": []}
    fields |= {"drawn_from": [], "relations": []}
    return MemoryView(**(fields | other))
