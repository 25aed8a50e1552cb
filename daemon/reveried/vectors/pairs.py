"""Which memories are near each other by their own words: every two of them looked at once, a block at a time."""

from collections.abc import Collection, Iterable

import numpy as np

from reveried.vectors.matrix import Floats
from reveried.vectors.space import ITSELF

BLOCK = 512
# Of one memory, so many of its nearest: where more are as near, they are a list, and words will tell them apart.
NEAREST = 10

Pair = tuple[int, int, float]


def near_pairs(
    rows: Iterable[tuple[int, int, bytes]], floor: float, most: int, new: Collection[int] | None = None
) -> list[Pair]:
    """The nearest first. Only the newest `most` memories are compared; with `new`, only pairs one of these belongs to.

    A memory in several pieces has no vector for the whole of it, and is left out.
    """
    ids, matrix = _own(rows, most)
    if not len(ids):
        return []
    wanted = np.arange(len(ids)) if new is None else np.flatnonzero(np.isin(ids, np.fromiter(new, np.int64)))
    found: dict[tuple[int, int], float] = {}
    for start in range(0, len(wanted), BLOCK):
        block = wanted[start : start + BLOCK]
        products = matrix[block] @ matrix.T
        products[np.arange(len(block)), block] = -1.0
        for at, row in enumerate(products):
            for other in _best(row, floor):
                low, high = sorted((int(ids[block[at]]), int(ids[other])))
                found[low, high] = float(row[other])
    return sorted(((*pair, cosine) for pair, cosine in found.items()), key=lambda one: (-one[2], one[0], one[1]))


def _best(row: Floats, floor: float) -> list[int]:
    near = np.flatnonzero(row > floor)
    if len(near) > NEAREST:
        near = near[np.argsort(-row[near], kind="stable")[:NEAREST]]
    return [int(one) for one in near]


def _own(rows: Iterable[tuple[int, int, bytes]], most: int) -> tuple[np.ndarray, Floats]:
    vectors: dict[int, bytes] = {}
    pieces: set[int] = set()
    for memory, role, vector in rows:
        if role == ITSELF:
            pieces |= {memory} if memory in vectors else set()
            vectors[memory] = vector
    ids = sorted(memory for memory in vectors if memory not in pieces)[-most:]
    own = [np.frombuffer(vectors[id_], np.float32) for id_ in ids]
    return np.array(ids, np.int64), np.array(own, np.float32)
