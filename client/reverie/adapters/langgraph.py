"""A LangGraph store on top of Reverie: every item is one memory, found by its key, its namespace or its meaning.

Items are pinned, for a key-value store must not forget by itself; `pinned=False` lets them fade like other memories.
"""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from reverie.adapters.items import EVERY, Path, fits, item_of, named, passes, places, words
from reverie.client import Client
from reverie.protocol.results import MemoryView

try:
    from langgraph.store.base import BaseStore
except ImportError:

    class BaseStore:  # type: ignore[no-redef]
        """Stands in for LangGraph's where that is not installed."""


_THERE = ("active", "stale", "archived")
_PAGE, _ANSWERS = 200, 50


class ReverieStore(BaseStore):  # type: ignore[misc]
    def __init__(self, client: Client | None = None, *, pinned: bool = True) -> None:
        self._client = client or Client(name="langgraph")
        self._pinned = pinned

    def get(self, namespace: Path, key: str, *, refresh_ttl: bool | None = None) -> Any:
        found = self._find(namespace, key)
        return None if found is None else item_of(found)

    def put(self, namespace: Path, key: str, value: Mapping[str, Any] | None, index: Any = None, **_: Any) -> None:
        known = self._find(namespace, key)
        if value is None:
            if known is not None:
                self._client.delete(known.id)
            return
        content, metadata = words(key, value, index), {"namespace": [*namespace], "key": key, "value": dict(value)}
        if known is not None:
            self._client.update(known.id, content=content, metadata=metadata)
            return
        tags = [EVERY, named("item", *namespace, key), *places(namespace)]
        self._client.store(
            content, title=key[:200], tags=tags, metadata=metadata, source="langgraph", pinned=self._pinned,
            dedup=False, on_conflict="ask", wait="durable",
        )  # fmt: skip

    def delete(self, namespace: Path, key: str) -> None:
        self.put(namespace, key, None)

    def search(
        self, namespace_prefix: Path, /, *, query: str | None = None, filter: Mapping[str, Any] | None = None,
        limit: int = 10, offset: int = 0, refresh_ttl: bool | None = None,
    ) -> list[Any]:  # fmt: skip
        """With a query the best answer first, else the newest."""
        tag = named("under", *namespace_prefix) if namespace_prefix else EVERY
        found = self._answers(tag, query) if query else ((memory, None) for memory in self._all(tag))
        matching = (item_of(memory, score) for memory, score in found if passes(memory.metadata["value"], filter))
        return [item for place, item in enumerate(matching) if offset <= place < offset + limit]

    def list_namespaces(
        self, *, prefix: Sequence[str] | None = None, suffix: Sequence[str] | None = None,
        max_depth: int | None = None, limit: int = 100, offset: int = 0,
    ) -> list[Path]:  # fmt: skip
        paths = {tuple(memory.metadata["namespace"]) for memory in self._all(EVERY)}
        kept = {
            path[:max_depth]
            for path in paths
            if fits(path[: len(prefix or ())], prefix) and fits(path[len(path) - len(suffix or ()) :], suffix)
        }
        return sorted(kept)[offset : offset + limit]

    def batch(self, ops: Iterable[Any]) -> list[Any]:
        return [self._carry_out(op) for op in ops]

    def _carry_out(self, op: Any) -> Any:
        """LangGraph's operations, told apart by what they carry."""
        if hasattr(op, "namespace_prefix"):
            return self.search(
                op.namespace_prefix, query=op.query, filter=op.filter, limit=op.limit, offset=op.offset
            )  # fmt: skip
        if hasattr(op, "match_conditions"):
            ends = {match.match_type: match.path for match in op.match_conditions or ()}
            return self.list_namespaces(max_depth=op.max_depth, limit=op.limit, offset=op.offset, **ends)
        if hasattr(op, "value"):
            return self.put(op.namespace, op.key, op.value, op.index)
        return self.get(op.namespace, op.key)

    async def abatch(self, ops: Iterable[Any]) -> list[Any]:
        return await asyncio.to_thread(self.batch, [*ops])

    async def aget(self, namespace: Path, key: str, **more: Any) -> Any:
        return await asyncio.to_thread(self.get, namespace, key, **more)

    async def aput(self, namespace: Path, key: str, value: Mapping[str, Any], index: Any = None, **more: Any) -> None:
        await asyncio.to_thread(self.put, namespace, key, value, index, **more)

    async def adelete(self, namespace: Path, key: str) -> None:
        await asyncio.to_thread(self.delete, namespace, key)

    async def asearch(self, namespace_prefix: Path, /, **more: Any) -> list[Any]:
        return await asyncio.to_thread(self.search, namespace_prefix, **more)

    async def alist_namespaces(self, **more: Any) -> list[Path]:
        return await asyncio.to_thread(self.list_namespaces, **more)

    def _find(self, namespace: Path, key: str) -> MemoryView | None:
        page = self._client.list(tags=[named("item", *namespace, key)], states=_THERE, limit=1)
        return page.memories[0] if page.memories else None

    def _all(self, tag: str) -> Iterator[MemoryView]:
        before: int | None = None
        while True:
            page = self._client.list(tags=[tag], states=_THERE, limit=_PAGE, before=before)
            yield from page.memories
            if page.next is None:
                return
            before = int(page.next)

    def _answers(self, tag: str, query: str) -> Iterator[tuple[MemoryView, float | None]]:
        found = self._client.recall(query, tags=[tag], limit=_ANSWERS, token_budget=1_000_000, floor=0.0)
        return ((self._client.get(memory.id), memory.score) for memory in found.memories)
