"""How an item of a key-value store looks as a memory: its tags, its words, its conditions. No I/O."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

import msgspec

from reverie.protocol.results import MemoryView

try:
    from langgraph.store.base import SearchItem
except ImportError:

    class SearchItem(msgspec.Struct, kw_only=True):  # type: ignore[no-redef]
        """Stands in for LangGraph's where that is not installed."""

        value: dict[str, Any]
        key: str
        namespace: tuple[str, ...]
        created_at: datetime
        updated_at: datetime
        score: float | None = None


Path = tuple[str, ...]
EVERY = "store-item"
_COMPARES: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda found, wanted: found == wanted,
    "$ne": lambda found, wanted: found != wanted,
    "$gt": lambda found, wanted: found is not None and found > wanted,
    "$gte": lambda found, wanted: found is not None and found >= wanted,
    "$lt": lambda found, wanted: found is not None and found < wanted,
    "$lte": lambda found, wanted: found is not None and found <= wanted,
}


def named(kind: str, *parts: str) -> str:
    return f"{kind}-{blake2b(chr(0).join(parts).encode(), digest_size=12).hexdigest()}"


def places(namespace: Path) -> list[str]:
    """A tag for every level, so that a search below any of them is a filter."""
    return [named("under", *namespace[:depth]) for depth in range(1, len(namespace) + 1)]


def words(key: str, value: Mapping[str, Any], index: Any) -> str:
    """What is searched: the fields that were named, or all of them."""
    chosen = {name: value[name] for name in index if name in value} if isinstance(index, list | tuple) else value
    said = "\n".join(part if isinstance(part, str) else msgspec.json.encode(part).decode() for part in chosen.values())
    return (key if index is False else said.strip()) or key


def item_of(memory: MemoryView, score: float | None = None) -> Any:
    metadata = memory.metadata
    moments = [datetime.fromtimestamp(at / 1_000_000, UTC) for at in (memory.created_at, memory.updated_at)]
    return SearchItem(
        namespace=tuple(metadata["namespace"]), key=metadata["key"], value=metadata["value"], score=score,
        created_at=moments[0], updated_at=moments[1],
    )  # fmt: skip


def passes(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    for name, condition in (wanted or {}).items():
        tests = (
            condition if isinstance(condition, dict) and condition.keys() <= _COMPARES.keys() else {"$eq": condition}
        )
        if not all(_COMPARES[how](value.get(name), limit) for how, limit in tests.items()):
            return False
    return True


def fits(part: Sequence[str], pattern: Sequence[str] | None) -> bool:
    return len(part) == len(pattern or ()) and all(
        wanted in ("*", given) for given, wanted in zip(part, pattern or (), strict=True)
    )
