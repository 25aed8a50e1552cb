"""Clustered unit vectors, as texts about a few subjects give them, and a space made of them."""

from collections.abc import Iterable

import numpy as np

from reveried.vectors.matrix import Floats
from reveried.vectors.shortcut import NEVER
from reveried.vectors.space import IN_CONTEXT, ITSELF, Point, Space

DIMENSION, SHARE = 64, 0.3
# name of a search, and what makes a space search so
EXACT = {"large": 1 << 40, "graph_from": NEVER}
COARSE = {"large": 1, "graph_from": NEVER}
BY_GRAPH = {"large": 1, "graph_from": 1}


def clustered(count: int, seed: int = 1) -> Floats:
    dice = np.random.default_rng(seed)
    centres = np.random.default_rng(0).standard_normal((40, DIMENSION))
    return unit(centres[dice.integers(0, len(centres), count)] + 0.6 * dice.standard_normal((count, DIMENSION)))


def unit(vectors: "np.ndarray") -> Floats:  # type: ignore[type-arg]
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True), np.float32)


class World:
    """A space, and beside it the file that its coarse rows are looked up in."""

    def __init__(self, large: int, graph_from: int) -> None:
        self.file: dict[int, list[Point]] = {}
        self.space = Space(DIMENSION, SHARE, self._read, large, graph_from)

    def put(self, points: Iterable[Point]) -> None:
        new: dict[int, list[Point]] = {}
        for point in points:
            new.setdefault(point.memory, []).append(point)
        self.file |= new
        self.space.put([point for group in new.values() for point in group])

    def remove(self, *memories: int) -> None:
        for memory in memories:
            self.file.pop(memory, None)
        self.space.remove(memories)

    def _read(self, memories: Iterable[int]) -> list[tuple[int, int, bytes]]:
        return [(one.memory, one.role, one.vector) for id_ in memories for one in self.file.get(id_, ())]

    def truth(self, query: Floats) -> dict[int, float]:
        """What each memory's similarity is by the definition of it."""
        found = {}
        for memory, points in self.file.items():
            own = max(float(np.frombuffer(one.vector, np.float32) @ query) for one in points if one.role == ITSELF)
            context = [float(np.frombuffer(one.vector, np.float32) @ query) for one in points if one.role == IN_CONTEXT]
            found[memory] = (1 - SHARE) * own + SHARE * context[0] if context else own
        return found

    def best(self, query: Floats, count: int) -> list[int]:
        truth = self.truth(query)
        return sorted(truth, key=lambda memory: (-truth[memory], -memory))[:count]


def point(memory: int, vector: Floats, role: int = ITSELF) -> Point:
    return Point(memory, role, vector.astype(np.float32).tobytes())
