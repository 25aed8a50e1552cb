"""All of a namespace in the light of one query: who is nearest, how near single memories are, and what is usual."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from reveried.vectors.matrix import Floats
    from reveried.vectors.space import Space


class Near(Struct, frozen=True):
    """A memory's cosine with the query, and that of it together with its predecessor where it has one."""

    cosine: float
    in_context: float | None
    together: float


class Usual(Struct, frozen=True):
    """Mean and deviation of all similarities: a cosine says little, how far it stands out says much."""

    mean: float = 0.0
    deviation: float = 0.0


class Similarities:
    """`nearest` of a few is known already; wider or narrowed down, it takes a pass over everything."""

    def __init__(self, space: "Space", query: "Floats", usual: Usual, best: dict[int, Near]) -> None:
        self._space = space
        self._query = query
        self._best = best
        self.usual = usual

    def __len__(self) -> int:
        return len(self._space)

    def nearest(self, count: int) -> list[int]:
        """The ids of the best, best first."""
        if count <= len(self._best) or len(self._best) >= len(self):
            return list(self._best)[:count]
        return self._space.nearest(self._query, count)

    def among(self, ids: Sequence[int], count: int) -> list[int]:
        """The best of these alone."""
        near = self._space.near(ids, self._query)
        return sorted(near, key=lambda id_: (-near[id_].together, -id_))[:count]

    def of(self, ids: Sequence[int]) -> dict[int, Near]:
        """How near each of these is, as far as it has a vector."""
        known = {id_: self._best[id_] for id_ in ids if id_ in self._best}
        return known | self._space.near([id_ for id_ in ids if id_ not in known], self._query)


class Joined:
    """The similarities of several namespaces as one."""

    def __init__(self, parts: Sequence[Similarities]) -> None:
        self._parts = parts

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    @property
    def usual(self) -> Usual:
        """What is usual in all of them together, each counted by its size."""
        whole = len(self) or 1
        mean = sum(len(part) * part.usual.mean for part in self._parts) / whole
        squares = sum(len(part) * (part.usual.deviation**2 + part.usual.mean**2) for part in self._parts) / whole
        return Usual(mean, max(0.0, squares - mean * mean) ** 0.5)

    def nearest(self, count: int) -> list[int]:
        if len(self._parts) == 1:
            return self._parts[0].nearest(count)
        return self._best([id_ for part in self._parts for id_ in part.nearest(count)], count)

    def among(self, ids: Sequence[int], count: int) -> list[int]:
        return self._best([id_ for part in self._parts for id_ in part.among(ids, count)], count)

    def of(self, ids: Sequence[int]) -> dict[int, Near]:
        return {id_: near for part in self._parts for id_, near in part.of(ids).items()}

    def _best(self, ids: Sequence[int], count: int) -> list[int]:
        near = self.of(ids)
        return sorted(near, key=lambda id_: (-near[id_].together, -id_))[:count]
