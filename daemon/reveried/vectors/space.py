"""One namespace's memories as points: how near each is to a query, exactly or nearly so.

Every memory has a slot. Its first piece stands in one matrix, further pieces of a long text in another, and the
memory together with its predecessor in a third; so the usual memory costs one row, and one product answers for all.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from reveried.vectors.centroid import Centroid
from reveried.vectors.matrix import LARGE, Floats, Matrix

ITSELF, IN_CONTEXT = 0, 1
# A slot without a memory must never be among the nearest.
NOWHERE = -1.0


class Point(Struct, frozen=True):
    memory: int
    role: int
    vector: bytes


class Near(Struct, frozen=True):
    """A memory's cosine with the query, and that of it together with its predecessor where it has one."""

    cosine: float
    in_context: float | None


class Similarities(Struct, frozen=True):
    """All of a namespace in the light of one query; `mean` and `deviation` say what is usual."""

    slots: dict[int, int]
    ids: NDArray[np.int64]
    own: Floats
    context: Floats
    together: Floats
    mean: float
    deviation: float

    def nearest(self, count: int) -> list[int]:
        """The ids of the best, best first."""
        count = min(count, len(self.together))
        if count == 0:
            return []
        best = np.argpartition(-self.together, count - 1)[:count]
        ordered = best[np.lexsort((-self.ids[best], -self.together[best]))]
        return [int(self.ids[slot]) for slot in ordered if self.together[slot] > NOWHERE]

    def of(self, id_: int) -> Near | None:
        slot = self.slots.get(id_)
        if slot is None:
            return None
        context = float(self.context[slot])
        return Near(float(self.own[slot]), None if np.isnan(context) else context)


class Space:
    def __init__(self, dimension: int, context_share: float, large: int = LARGE) -> None:
        self._dimension = dimension
        self._share = context_share
        self._first = Matrix(dimension, large)
        self._more, self._more_slots = Matrix(dimension, large), _Slots()
        self._context, self._context_slots = Matrix(dimension, large), _Slots()
        self._ids = _Slots()
        self._slots: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._slots)

    @property
    def is_exact(self) -> bool:
        return self._first.is_exact

    def put(self, points: Iterable[Point]) -> None:
        """Add memories, or replace what was known of them."""
        groups: dict[int, list[Point]] = {}
        for point in points:
            groups.setdefault(point.memory, []).append(point)
        self.remove(list(groups))
        firsts, more, context = [], [], []
        for memory, group in groups.items():
            slot = self._slots[memory] = len(self._ids)
            self._ids.append(memory)
            own = [point.vector for point in group if point.role == ITSELF]
            firsts.append(own[0])
            more += [(slot, vector) for vector in own[1:]]
            context += [(slot, point.vector) for point in group if point.role == IN_CONTEXT]
        self._first.append(self._floats(firsts))
        self._append(self._more, self._more_slots, more)
        self._append(self._context, self._context_slots, context)

    def remove(self, memories: Sequence[int]) -> None:
        gone = [self._slots.pop(memory) for memory in memories if memory in self._slots]
        if gone:
            self._first.clear(gone)
            self._ids.array[gone] = 0
            for matrix, slots in ((self._more, self._more_slots), (self._context, self._context_slots)):
                matrix.clear(np.flatnonzero(np.isin(slots.array, gone)).tolist())

    def similarities(self, query: bytes) -> Similarities:
        vector = np.frombuffer(query, np.float32)
        own = self._first.times(vector)
        if self._more.rows:
            np.maximum.at(own, self._more_slots.array, self._more.times(vector))
        context = np.full(len(own), np.nan, np.float32)
        context[self._context_slots.array] = self._context.times(vector)
        together = np.where(np.isnan(context), own, (1 - self._share) * own + self._share * context)
        ids = self._ids.array.copy()
        alive = together[ids > 0]
        together[ids == 0] = NOWHERE
        mean, deviation = (float(alive.mean()), float(alive.std())) if len(alive) else (0.0, 0.0)
        return Similarities(self._slots, ids, own, context, together, mean, deviation)

    def centroid(self, before: int) -> Centroid | None:
        """The middle of the memories that are older than that one; None when there are none."""
        ids = self._ids.array
        older = np.flatnonzero((ids > 0) & (ids < before))
        return Centroid(self._first.mean(older)) if len(older) else None

    def _floats(self, vectors: Sequence[bytes]) -> Floats:
        return np.frombuffer(b"".join(vectors), np.float32).reshape(-1, self._dimension)

    def _append(self, matrix: Matrix, slots: "_Slots", rows: Sequence[tuple[int, bytes]]) -> None:
        if rows:
            matrix.append(self._floats([vector for _, vector in rows]))
            slots.extend([slot for slot, _ in rows])


class _Slots:
    """A growing row of whole numbers."""

    def __init__(self) -> None:
        self._values = np.zeros(256, np.int64)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    @property
    def array(self) -> NDArray[np.int64]:
        return self._values[: self._count]

    def append(self, value: int) -> None:
        self.extend([value])

    def extend(self, values: Sequence[int]) -> None:
        needed = self._count + len(values)
        if needed > len(self._values):
            self._values = np.concatenate([self._values, np.zeros(max(needed, len(self._values)), np.int64)])
        self._values[self._count : needed] = values
        self._count = needed
