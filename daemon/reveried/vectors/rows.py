"""Which rows of a matrix belong to which memory: a text of several pieces has several, and counts by its best.

A row that is given up is used again, and when most are given up the rest closes up: however often memories change, no
more is kept than twice what is there.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from reveried.vectors.matrix import Floats, Matrix, Numbers, grown

# What is no memory's first piece must never be among the nearest.
NOWHERE = -2.0
CLOSE_UP_FROM = 1_024


class Rows:
    def __init__(self, dimension: int, large: int) -> None:
        self.matrix = Matrix(dimension, large)
        self._owners: Numbers = np.zeros(0, np.int64)  # 0 where a row is free
        self._firsts: Numbers = np.zeros(0, np.int64)  # for a further piece the row of the first, else the row itself
        self._free: list[int] = []
        self._places: dict[int, int] = {}
        self._further: dict[int, list[int]] = {}

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, memory: int) -> bool:
        return memory in self._places

    @property
    def owners(self) -> Numbers:
        return self._owners[: self.matrix.rows]

    def put(self, pieces: Mapping[int, Sequence[Floats]]) -> Numbers:
        """Add memories that are not here yet; returns the rows they got."""
        taken = self._taken(sum(map(len, pieces.values())))
        owners: list[int] = []
        firsts: list[int] = []
        for memory, vectors in pieces.items():
            own = taken[len(owners) : len(owners) + len(vectors)]
            self._places[memory] = own[0]
            if len(own) > 1:
                self._further[memory] = own[1:]
            owners += [memory] * len(own)
            firsts += [own[0]] * len(own)
        rows = np.array(taken, np.int64)
        if len(rows):
            self.matrix.write(rows, np.stack([vector for vectors in pieces.values() for vector in vectors]))
            self._owners, self._firsts = grown(self._owners, self.matrix.rows), grown(self._firsts, self.matrix.rows)
            self._owners[rows], self._firsts[rows] = owners, firsts
        return rows

    def _taken(self, count: int) -> list[int]:
        reused = [self._free.pop() for _ in range(min(count, len(self._free)))]
        return reused + list(range(self.matrix.rows, self.matrix.rows + count - len(reused)))

    def remove(self, memories: Iterable[int]) -> list[int]:
        """Free the rows of these memories, and return them."""
        gone: list[int] = []
        for memory in memories:
            place = self._places.pop(memory, None)
            if place is not None:
                gone += [place, *self._further.pop(memory, ())]
        self._owners[gone] = 0
        self._free += gone
        return gone

    def close_up(self) -> bool:
        """Give the room of free rows back where they are more than the rest; every row then has another place."""
        if self.matrix.rows < CLOSE_UP_FROM or len(self._free) * 2 <= self.matrix.rows:
            return False
        kept = np.flatnonzero(self.owners)
        moved = np.zeros(self.matrix.rows, np.int64)
        moved[kept] = np.arange(len(kept))
        self.matrix.keep(kept)
        self._owners, self._firsts = self._owners[kept], moved[self._firsts[kept]]
        self._places = {memory: int(moved[row]) for memory, row in self._places.items()}
        self._further = {memory: moved[rows].tolist() for memory, rows in self._further.items()}
        self._free = []
        return True

    def older(self, memory: int) -> Numbers:
        """The first rows of all memories before that one."""
        firsts = self._firsts[: self.matrix.rows] == np.arange(self.matrix.rows)
        return np.flatnonzero(firsts & (self.owners > 0) & (self.owners < memory))

    def products(self, query: Floats) -> Floats:
        """For each row that is a memory's first, the product of its best piece; `NOWHERE` for all others."""
        found, firsts = self.matrix.times(query), self._firsts[: self.matrix.rows]
        further = np.flatnonzero(firsts != np.arange(len(firsts)))
        if len(further):
            np.maximum.at(found, firsts[further], found[further])
            found[further] = NOWHERE
        if self._free:
            found[self._free] = NOWHERE
        return found

    def top(self, products: Floats, count: int) -> list[int]:
        """The memories of the highest products, best first."""
        # Partitioning is slow where most are equal, as those that are nowhere are.
        rows = np.flatnonzero(products > NOWHERE)
        if 0 < count < len(rows):
            rows = rows[np.argpartition(products[rows], len(rows) - count)[-count:]]
        owners = self.owners[rows]
        return [int(owners[at]) for at in np.lexsort((-owners, -products[rows]))[:count]]

    def best(self, memories: Sequence[int], query: Floats) -> dict[int, float]:
        """The same for single memories, as far as they are here."""
        known = [memory for memory in memories if memory in self._places]
        rows = [row for memory in known for row in (self._places[memory], *self._further.get(memory, ()))]
        best: dict[int, float] = {}
        if rows:
            at = np.array(rows, np.int64)
            for memory, product in zip(self._owners[at].tolist(), (self.matrix.of(at) @ query).tolist(), strict=True):
                best[memory] = max(product, best.get(memory, NOWHERE))
        return best
