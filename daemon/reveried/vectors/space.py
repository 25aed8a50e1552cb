"""One namespace's memories as points: how near each is to a query, exactly or nearly so.

What is searched is each memory blended with its context (itself and its predecessor embedded together), in one
matrix, so that one pass answers for both; by itself a memory stands in a second matrix, and only if it has a context.
When the rows are many they are kept coarse, and the best are looked up again in the file and weighed exactly; when
they are very many, a graph finds the best without looking at the others.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import Lock

import numpy as np
from msgspec import Struct

from reveried.vectors.centroid import Centroid
from reveried.vectors.matrix import LARGE, Floats
from reveried.vectors.rows import NOWHERE, Rows
from reveried.vectors.shortcut import NEVER, Shortcut
from reveried.vectors.similarities import Near, Similarities, Usual

ITSELF, IN_CONTEXT = 0, 1
# So many of the best are known with every query, weighed exactly.
BEST = 128
# What is usual is estimated from so many, where not all are looked at.
SAMPLE = 1_024
AT_ONCE = 2_048
# So few are looked at one by one instead of in a pass over all.
FEW = 1_024
# What is kept coarse is off by less than this, so that what is further below a floor need not be looked up.
COARSE = 0.01


class Point(Struct, frozen=True):
    memory: int
    role: int
    vector: bytes


Exact = Callable[[Sequence[int]], Iterable[tuple[int, int, bytes]]]


class Space:
    """Searched by several threads and changed by one, one at a time."""

    def __init__(
        self, dimension: int, context_share: float, exact: Exact, large: int = LARGE, graph_from: int = NEVER
    ) -> None:
        self._share = context_share
        self._exact = exact
        self._together = Rows(dimension, large)
        self._alone = Rows(dimension, large)
        self._lock = Lock()
        self._shortcut = Shortcut(self._together, dimension, graph_from, self._lock)

    def __len__(self) -> int:
        return len(self._together)

    @property
    def is_exact(self) -> bool:
        return self._together.matrix.is_exact

    @property
    def has_graph(self) -> bool:
        return self._shortcut.is_there

    @property
    def rows(self) -> int:
        """How much room it takes: rows searched, free ones included."""
        return self._together.matrix.rows

    def wait_for_graph(self) -> None:
        self._shortcut.wait()

    def put(self, points: Iterable[Point]) -> None:
        """Add memories, or replace what was known of them. The points of one memory come one after another."""
        groups: dict[int, list[Point]] = {}
        for point in points:
            if len(groups) == AT_ONCE and point.memory not in groups:
                self._put(groups)
                groups = {}
            groups.setdefault(point.memory, []).append(point)
        self._put(groups)
        self._shortcut.start_if_due()

    def _put(self, groups: Mapping[int, Sequence[Point]]) -> None:
        alone, together = {}, {}
        for memory, group in groups.items():
            own, context = _own_and_context((point.role, point.vector) for point in group)
            together[memory] = own if context is None else [self._blended(vector, context) for vector in own]
            if context is not None:
                alone[memory] = own
        with self._lock:
            self._remove(groups)
            self._alone.put(alone)
            self._shortcut.written(self._together.put(together).tolist())

    def _blended(self, own: Floats, context: Floats) -> Floats:
        return np.asarray((1 - self._share) * own + self._share * context, np.float32)

    def replace(self, memories: Iterable[int], points: Iterable[Point]) -> None:
        """Forget these memories, and take in what is known now."""
        self.remove(memories)
        self.put(points)

    def remove(self, memories: Iterable[int]) -> None:
        with self._lock:
            self._remove(memories)
            self._alone.close_up()
            if self._together.close_up():
                self._shortcut.moved()

    def _remove(self, memories: Iterable[int]) -> None:
        memories = list(memories)
        self._alone.remove(memories)
        self._shortcut.freed(self._together.remove(memories))

    def similarities(self, query: bytes) -> Similarities:
        vector = np.frombuffer(query, np.float32)
        with self._lock:
            products = None if self._shortcut.is_there else self._together.products(vector)
            usual = self._usual(vector, products)
            best = self._candidates(vector, products, BEST)
        near = self._again(best, vector)
        return Similarities(self, vector, usual, near)

    def nearest(self, query: Floats, count: int) -> list[int]:
        """Of everything, however many are wanted; in the order of the coarse rows where they are coarse."""
        with self._lock:
            return self._candidates(query, self._together.products(query), count)

    def centroid(self, before: int) -> Centroid | None:
        """The direction in which the own words of all memories older than that one point; None when there are none."""
        with self._lock:
            alone, together = self._alone.older(before), self._together.older(before)
            together = together[~np.isin(self._together.owners[together], self._alone.owners)]
            if not len(alone) and not len(together):
                return None
            return Centroid(self._alone.matrix.total(alone) + self._together.matrix.total(together))

    def closest(self, query: bytes, count: int, floor: float) -> list[tuple[int, float]]:
        """The best by their own words alone, best first, as far as they reach the floor."""
        vector = np.frombuffer(query, np.float32)
        with self._lock:
            found = self._alone.top(self._alone.products(vector), count) + self._without_context(vector, count)
        near = self.near(found, vector)
        if not self.is_exact:
            near |= self._from_file([memory for memory, one in near.items() if one.cosine >= floor - COARSE], vector)
        own = [(memory, one.cosine) for memory, one in near.items() if one.cosine >= floor]
        return sorted(own, key=lambda one: (-one[1], one[0]))[:count]

    def _without_context(self, query: Floats, count: int) -> list[int]:
        """The best of those that are blended with nothing; a graph knows no difference, and finds others as well."""
        owners = self._together.owners
        blended = np.isin(owners, self._alone.owners)
        others = np.unique(owners[~blended & (owners > 0)])
        if len(others) <= FEW:
            best = self._together.best(others.tolist(), query)
            return sorted(best, key=lambda memory: (-best[memory], -memory))[:count]
        if self._shortcut.is_there:
            return self._candidates(query, None, count)
        products = self._together.products(query)
        products[blended] = NOWHERE
        return self._together.top(products, count)

    def near(self, memories: Sequence[int], query: Floats) -> dict[int, Near]:
        """How near single memories are, as exactly as they are known in memory."""
        with self._lock:
            together, alone = self._together.best(memories, query), self._alone.best(memories, query)
        return {memory: self._near(blend, alone.get(memory)) for memory, blend in together.items()}

    def _near(self, blend: float, own: float | None) -> Near:
        if own is None or self._share == 0:
            return Near(blend if own is None else own, None, blend)
        return Near(own, (blend - (1 - self._share) * own) / self._share, blend)

    def _candidates(self, query: Floats, products: Floats | None, count: int) -> list[int]:
        if products is None:
            found = self._together.owners[self._shortcut.nearest(query, count)]
            return list(dict.fromkeys(found[found > 0].tolist()))
        return self._together.top(products, count)

    def _again(self, memories: Sequence[int], query: Floats) -> dict[int, Near]:
        """These memories, best first; what is coarse here is read from the file and multiplied anew."""
        near = self.near(memories, query)
        if not self.is_exact:
            near |= {memory: one for memory, one in self._from_file(memories, query).items() if memory in near}
        return dict(sorted(near.items(), key=lambda item: (-item[1].together, -item[0])))

    def _from_file(self, memories: Sequence[int], query: Floats) -> dict[int, Near]:
        groups: dict[int, list[tuple[int, bytes]]] = {}
        for memory, role, vector in self._exact(memories):
            groups.setdefault(memory, []).append((role, vector))
        found = {}
        for memory, group in groups.items():
            pieces, beside = _own_and_context(group)
            own = float(max(piece @ query for piece in pieces))
            context = None if beside is None else float(beside @ query)
            blend = own if context is None else (1 - self._share) * own + self._share * context
            found[memory] = Near(own, context, blend)
        return found

    def _usual(self, query: Floats, products: Floats | None) -> Usual:
        if products is None:
            rows = np.linspace(0, self._together.matrix.rows - 1, SAMPLE).astype(np.int64)
            products = self._together.matrix.of(rows[self._together.owners[rows] > 0]) @ query
        elif len(products) > len(self):
            products = products[products > NOWHERE]
        return Usual(float(products.mean()), float(products.std())) if len(products) else Usual()


def _own_and_context(points: Iterable[tuple[int, bytes]]) -> tuple[list[Floats], Floats | None]:
    own, context = [], None
    for role, vector in points:
        if role == ITSELF:
            own.append(np.frombuffer(vector, np.float32))
        else:
            context = np.frombuffer(vector, np.float32)
    return own, context
