"""Meaning, as far as the machine can tell it: the embedder, the vectors in memory, and a word about what is missing.

Nothing here is needed to answer: whoever asks for similarities may get none, and is told why.
"""

import asyncio
from collections import OrderedDict
from typing import TYPE_CHECKING

from msgspec import Struct

from reveried.domain.recalling.words import is_latin
from reveried.embed.errors import EmbedderUnavailable
from reveried.ports import Embedder
from reveried.state.vectors import Embedded, VectorStore

if TYPE_CHECKING:  # numpy takes longer to load than everything else together; it comes with the first need
    from reveried.vectors.centroid import Centroid
    from reveried.vectors.space import Similarities, Space

QUERIES_KEPT = 512
# A pass over fewer memories than this is shorter than the hop to another thread.
SMALL = 5_000


class Meaning(Struct, frozen=True):
    """What a query is near to; without similarities, `reason` says why there are none."""

    similarities: "Similarities | None"
    reason: str | None = None


class Backlog(Struct):
    """How far the vectors are: the last event seen, and what stands in the way, if anything."""

    seq: int = 0
    problem: str = ""


class Semantics:
    def __init__(self, embedder: Embedder, store: VectorStore, context_share: float) -> None:
        self.embedder = embedder
        self.store = store
        self._share = context_share
        self._spaces: dict[str, Space] = {}
        self._loading: dict[str, asyncio.Task[Space]] = {}
        self._queries: OrderedDict[str, bytes] = OrderedDict()
        self.version = 0

    async def near(self, namespace: str, query: str, wait: float) -> Meaning:
        """Similarities within the time given, or the reason why the answer must do without."""
        if not query.strip():
            return Meaning(None, "the query has no words")
        if self.embedder.scripts != "all" and not is_latin(query):
            return Meaning(None, f"{self.embedder.condition.model} does not read this script")
        try:
            async with asyncio.timeout(wait):
                space, vector = await asyncio.gather(self._space(namespace), self._vector(query, wait))
        except EmbedderUnavailable as unavailable:
            return Meaning(None, unavailable.message)
        except TimeoutError:
            return Meaning(None, "the embedder is starting; the answer comes from keywords alone")
        if not len(space):
            return Meaning(None, "nothing here has been embedded yet")
        if len(space) < SMALL:
            return Meaning(space.similarities(vector))
        return Meaning(await asyncio.to_thread(space.similarities, vector))

    async def centroid(self, namespace: str, before: int) -> "Centroid | None":
        """The middle of what was known before a memory came; None while nothing has been embedded."""
        space = await self._space(namespace)
        return await asyncio.to_thread(space.centroid, before)

    async def _vector(self, query: str, wait: float) -> bytes:
        known = self._queries.get(query)
        if known is not None:
            self._queries.move_to_end(query)
            return known
        (vector,) = await self.embedder.embed([query], wait, urgent=True)
        self._queries[query] = vector
        while len(self._queries) > QUERIES_KEPT:
            self._queries.popitem(last=False)
        return vector

    async def _space(self, namespace: str) -> "Space":
        space = self._spaces.get(namespace)
        if space is not None:
            return space
        loading = self._loading.get(namespace)
        if loading is None:
            loading = self._loading[namespace] = asyncio.create_task(self._load(namespace))
        # Whoever gives up waiting must not stop it for the others.
        return await asyncio.shield(loading)

    async def _load(self, namespace: str) -> "Space":
        try:
            space = await asyncio.to_thread(self._loaded, namespace)
            self._spaces[namespace] = space
            return space
        finally:
            del self._loading[namespace]

    def _loaded(self, namespace: str) -> "Space":
        from reveried.vectors.space import Point, Space

        space = Space(self.embedder.dimension, self._share)
        space.put(Point(*row) for row in self.store.load(self.embedder.id, namespace))
        return space

    async def learned(self, changed: list[int], rows: list[Embedded]) -> None:
        """Take in what was just embedded, where the namespace is in memory."""
        for loading in list(self._loading.values()):
            await asyncio.wait([loading])
        if self._spaces:
            from reveried.vectors.space import Point

            by_namespace: dict[str, list[Point]] = {}
            for row in rows:
                by_namespace.setdefault(row.namespace, []).append(Point(row.memory, row.role, row.vector))
            for namespace, space in self._spaces.items():
                space.remove(changed)
                if points := by_namespace.get(namespace):
                    space.put(points)
        self.version += 1
