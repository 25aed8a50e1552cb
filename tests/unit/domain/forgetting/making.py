"""Memories for these tests: one built from what a test cares about, and strategies that draw any of them."""

from typing import Any

from hypothesis import strategies as st

from reveried.domain.forgetting.units import DAY
from reveried.domain.memory import KINDS, STATES, Memory

BORN = 1_700_000_000_000_000


def a_memory(**fields: Any) -> Memory:
    plain: dict[str, Any] = dict.fromkeys(Memory.__struct_fields__)
    plain |= {"id": 1, "seq": 1, "namespace": "default", "content": "words", "title": "words", "content_hash": ""}
    plain |= {"kind": "fact", "importance": 0.6, "confidence": 0.8, "score": 0, "access_count": 0, "pinned": False}
    plain |= {"source": "agent", "trust": "normal", "state": "active", "tier": "hot", "metadata": {}}
    plain |= {
        "tags_auto": (),
        "tags_manual": (),
        "entities": (),
        "created_at": BORN,
        "updated_at": BORN,
        "tags_at": BORN,
    }
    plain |= {"stored_at": fields.get("created_at", BORN)}
    return Memory(**(plain | fields))


def day(number: float) -> int:
    """That many days after every memory here was made."""
    return BORN + round(number * DAY)


# Near ones are drawn as often as far ones, so that every threshold has moments on both of its sides.
moments = st.one_of([st.integers(BORN, day(days)) for days in (6, 60, 1_000, 15_000)])
counts = st.integers(0, 3) | st.integers(0, 20_000)


def maybe(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


def memories(**fixed: Any) -> st.SearchStrategy[Memory]:
    fields: dict[str, st.SearchStrategy[Any]] = {
        "id": st.integers(1, 2**40),
        "kind": st.sampled_from([*KINDS, "hunch"]),
        "importance": st.floats(0, 1),
        "score": st.integers(-10_000, 10_000),
        "access_count": counts,
        "last_accessed_at": maybe(moments),
        "reinforced_at": maybe(moments),
        "created_at": moments,
        "expires_at": maybe(moments),
        "deleted_at": maybe(moments),
        "state": st.sampled_from(STATES),
        "tier": st.sampled_from(["hot", "warm", "archive"]),
        "pinned": st.booleans(),
        "tags_manual": st.sampled_from([(), ("kept",)]),
        "priority": maybe(st.floats(0, 1)),
        "source": st.sampled_from(["agent", "correction", "migration", "custom", "elsewhere"]),
    }
    return st.builds(a_memory, **(fields | {name: st.just(value) for name, value in fixed.items()}))
