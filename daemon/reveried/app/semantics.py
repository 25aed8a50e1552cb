"""Meaning, as far as the machine can tell it: the embedder, the vectors in memory, and a word about what is missing.

Nothing here is needed to answer: whoever asks for similarities may get none, and is told why.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Collection, Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

from msgspec import Struct

from reveried.app.made import Made
from reveried.domain.recalling.embedded import ITSELF
from reveried.domain.recalling.words import is_latin
from reveried.embed.errors import EmbedderUnavailable
from reveried.ports import Embedder
from reveried.state.vectors import Embedded, VectorStore

if TYPE_CHECKING:  # numpy takes longer to load than everything else together; it comes with the first need
    from reveried.vectors.centroid import Centroid
    from reveried.vectors.matrix import Floats
    from reveried.vectors.similarities import Similarities
    from reveried.vectors.space import Space

QUERIES_KEPT = 512
# A pass over fewer memories than this is shorter than the hop to another thread.
SMALL = 5_000


class Meaning(Struct, frozen=True):
    """What a query is near to. `reason` says why there are no similarities, or none for some; `passing`, whether that
    may be over in a moment."""

    similarities: "Similarities | None"
    reason: str | None = None
    passing: bool = False


class Backlog(Struct):
    """How far the vectors are: the last event seen, what stands in the way, and which memories had to be left out."""

    seq: int = 0
    problem: str = ""
    left_out: set[int] = set()

    @property
    def lacking(self) -> str | None:
        """What of all this concerns an answer that knows of meaning."""
        if self.problem:
            return f"new memories have no vectors yet: {self.problem}"
        return f"{len(self.left_out)} memories are found by words alone" if self.left_out else None


class Semantics:
    def __init__(self, embedder: Embedder, store: VectorStore, context_share: float, graph_from: int) -> None:
        self.embedder = embedder
        self.store = store
        # Says how far it is while most memories have no vector of this model yet; empty otherwise.
        self.filling = ""
        self.backlog = Backlog()
        # Memories whose words were changed by somebody who goes on only when these have vectors: they come next.
        self.hurried: set[int] = set()
        self._share = context_share
        self._graph_from = graph_from
        self._spaces: dict[str, Space] = {}
        self._loading: dict[str, asyncio.Task[Space]] = {}
        self._queries: OrderedDict[str, bytes] = OrderedDict()
        self.made = Made()
        self.version = 0
        self._news = asyncio.Event()

    async def use(self, embedder: Embedder) -> None:
        """Put another embedder in this one's place. What one model made is never compared with what another did."""
        old, self.embedder = self.embedder, embedder
        self._spaces, self._loading, self._queries = {}, {}, OrderedDict()
        self.made = Made()
        self.filling, self.backlog.seq = "", 0
        self._changed()
        await old.close()

    async def close(self) -> None:
        await self.embedder.close()

    def hindrance(self, query: str) -> str | None:
        """Why there is no use in waiting for the meaning of a query."""
        embedder = self.embedder
        if not query.strip():
            return "the query has no words"
        if not embedder.id or embedder.condition.state == "failed":
            return embedder.condition.reason
        if embedder.scripts != "all" and not is_latin(query):
            return f"{embedder.condition.model} does not read this script"
        return None

    async def near(self, namespace: str, query: str, wait: float) -> Meaning:
        """Similarities within the time given, or the reason why the answer must do without."""
        hindrance, embedder = self.hindrance(query), self.embedder
        if hindrance is not None:
            return Meaning(None, hindrance)
        if self.filling:
            return Meaning(None, self.filling, passing=True)
        try:
            async with asyncio.timeout(wait):
                space, vector = await asyncio.gather(self._space(namespace), self._vector(query, wait))
        except EmbedderUnavailable as unavailable:
            return Meaning(None, unavailable.message, passing=bool(self.embedder.id))
        except TimeoutError:
            return Meaning(None, "the embedder is starting; the answer comes from keywords alone", passing=True)
        if embedder is not self.embedder:
            return Meaning(None, "the model was changed meanwhile; the answer comes from keywords alone", passing=True)
        if not len(space):
            return Meaning(None, "nothing here has been embedded yet")
        lacking = self.backlog.lacking
        if len(space) < SMALL:
            return Meaning(space.similarities(vector), lacking)
        return Meaning(await asyncio.to_thread(space.similarities, vector), lacking)

    async def centroid(self, namespace: str, before: int) -> "Centroid | None":
        """The middle of what was known before a memory came; None while nothing has been embedded."""
        space = await self._space(namespace)
        return await asyncio.to_thread(space.centroid, before)

    async def closest(
        self, model: str, namespace: str, vector: bytes, count: int, floor: float
    ) -> list[tuple[int, float]]:
        """The memories whose own words are nearest to a vector of this model, with their cosines."""
        space = await self._space(namespace)
        if model != self.embedder.id:  # changed meanwhile
            return []
        if len(space) < SMALL:
            return space.closest(vector, count, floor)
        return await asyncio.to_thread(space.closest, vector, count, floor)

    async def learned_since(self, version: int) -> None:
        """Wait until more has been embedded than at that version, or another model has come."""
        while self.version == version:
            await self._news.wait()

    async def nearness(self, memory: int, others: Collection[int]) -> dict[int, float]:
        """The cosine of one memory and each of the others, as far as they have vectors."""
        if not self.embedder.id or not others:
            return {}
        return await asyncio.to_thread(_nearness, self.store, self.embedder.id, memory, others)

    async def likeness(self, ids: Sequence[int]) -> dict[tuple[int, int], float]:
        """The cosine of each two of these memories; the ids are in order, and so are they in each pair."""
        if not self.embedder.id:
            return {}
        return await asyncio.to_thread(_cosines, self.store, self.embedder.id, ids)

    async def alike(
        self, namespace: str, floor: float, most: int, new: Collection[int] | None
    ) -> list[tuple[int, int, float]]:
        """Every two memories that are nearer than that, with their cosines; with `new`, only pairs of one of these."""
        return await asyncio.to_thread(self._alike, namespace, floor, most, new)

    def _alike(
        self, namespace: str, floor: float, most: int, new: Collection[int] | None
    ) -> list[tuple[int, int, float]]:
        from reveried.vectors.pairs import near_pairs

        return near_pairs(self.store.load(self.embedder.id, namespace), floor, most, new)

    async def _vector(self, query: str, wait: float) -> bytes:
        queries = self._queries
        known = queries.get(query)
        if known is not None:
            queries.move_to_end(query)
            return known
        (vector,) = await self.embedder.embed([query], wait, urgent=True)
        queries[query] = vector
        while len(queries) > QUERIES_KEPT:
            queries.popitem(last=False)
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
        spaces, all_loading = self._spaces, self._loading  # those of this model: another may come meanwhile
        try:
            space = await asyncio.to_thread(self._loaded, self.embedder, namespace)
            spaces[namespace] = space
            return space
        finally:
            all_loading.pop(namespace, None)

    def _loaded(self, embedder: Embedder, namespace: str) -> "Space":
        from reveried.vectors.space import Point, Space

        exact = partial(self.store.of, embedder.id)
        space = Space(embedder.dimension, self._share, exact, graph_from=self._graph_from)
        space.put(Point(*row) for row in self.store.load(embedder.id, namespace))
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
            for namespace, space in list(self._spaces.items()):
                # A search holds a large space for a while: waiting for it must not hold up everybody else.
                await asyncio.to_thread(space.replace, changed, by_namespace.get(namespace, []))
        self._changed()

    async def is_embedded(self, seq: int) -> bool:
        """Whether everything up to an event has its vectors of the present model."""
        model = self.embedder.id
        if not model or self.backlog.seq >= seq:
            return bool(model)
        return await asyncio.to_thread(self.store.progress, model) >= seq

    def is_caught_up(self, hurried: Collection[int]) -> None:
        """These memories have the vectors of their present words."""
        self.hurried.difference_update(hurried)
        self._changed()

    def _changed(self) -> None:
        self.version += 1
        self._news.set()
        self._news = asyncio.Event()


def _cosines(store: VectorStore, model: str, ids: Sequence[int]) -> dict[tuple[int, int], float]:
    points = _points(store, model, ids)
    return {(one, other): float(points[one] @ points[other]) for one, other in combinations(sorted(points), 2)}


def _nearness(store: VectorStore, model: str, memory: int, others: Collection[int]) -> dict[int, float]:
    points = _points(store, model, [memory, *others])
    mine = points.pop(memory, None)
    return {} if mine is None else {id_: float(mine @ point) for id_, point in points.items()}


def _points(store: VectorStore, model: str, ids: Sequence[int]) -> dict[int, "Floats"]:
    """Of each memory the vector of its first piece."""
    import numpy as np

    vectors = {memory: vector for memory, role, vector in reversed(store.of(model, ids)) if role == ITSELF}
    return {memory: np.frombuffer(vector, np.float32) for memory, vector in vectors.items()}
