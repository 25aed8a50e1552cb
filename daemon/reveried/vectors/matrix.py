"""Rows of numbers that grow: exact float32 while they are few, bytes and a scale for each row when they are many."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Number = TypeVar("Number", np.float32, np.int8)
# Above this many rows a pass over float32 is bound by memory; a quarter of the bytes is a quarter of the time.
LARGE = 50_000
BLOCK = 4_096
STEPS = 127.0


class Matrix:
    """Append rows, overwrite them with zeros, multiply with a vector."""

    def __init__(self, dimension: int, large: int = LARGE) -> None:
        self._large = large
        self._dimension = dimension
        self._exact: Floats | None = np.zeros((256, dimension), np.float32)
        self._coarse: NDArray[np.int8] = np.zeros((0, dimension), np.int8)
        self._scales: Floats = np.zeros(0, np.float32)
        self.rows = 0

    @property
    def is_exact(self) -> bool:
        return self._exact is not None

    def append(self, vectors: Floats) -> None:
        needed = self.rows + len(vectors)
        if self._exact is not None and needed > self._large:
            self._coarsen()
        if self._exact is not None:
            self._exact = _grown(self._exact, needed)
            self._exact[self.rows : needed] = vectors
        else:
            self._coarse, self._scales = _grown(self._coarse, needed), _grown(self._scales, needed)
            self._coarse[self.rows : needed], self._scales[self.rows : needed] = _quantised(vectors)
        self.rows = needed

    def clear(self, rows: Sequence[int]) -> None:
        if self._exact is not None:
            self._exact[rows] = 0.0
        else:
            self._coarse[rows] = 0

    def mean(self, rows: NDArray[np.int64]) -> Floats:
        total = np.zeros(self._dimension, np.float64)
        for start in range(0, len(rows), BLOCK):
            total += self._block(rows[start : start + BLOCK]).sum(axis=0, dtype=np.float64)
        return np.asarray(total / max(1, len(rows)), np.float32)

    def _block(self, rows: NDArray[np.int64]) -> Floats:
        if self._exact is not None:
            return self._exact[rows]
        return np.asarray(self._coarse[rows] * self._scales[rows, None], np.float32)

    def times(self, query: Floats) -> Floats:
        """The product with every row. For many rows it is off by less than a hundredth."""
        if self._exact is not None:
            return np.asarray(self._exact[: self.rows] @ query, np.float32)
        products = np.empty(self.rows, np.float32)
        for start in range(0, self.rows, BLOCK):
            end = min(start + BLOCK, self.rows)
            products[start:end] = self._coarse[start:end].astype(np.float32) @ query
        return products * self._scales[: self.rows]

    def _coarsen(self) -> None:
        assert self._exact is not None
        self._coarse, self._scales = _quantised(self._exact[: self.rows])
        self._exact = None


def _quantised(vectors: Floats) -> tuple[NDArray[np.int8], Floats]:
    scales = np.abs(vectors).max(axis=1) / STEPS
    scales[scales == 0] = 1.0
    return np.rint(vectors / scales[:, None]).astype(np.int8), scales.astype(np.float32)


def _grown(array: NDArray[Number], needed: int) -> NDArray[Number]:
    if needed <= len(array):
        return array
    bigger = np.zeros((max(needed, len(array) * 2), *array.shape[1:]), array.dtype)
    bigger[: len(array)] = array
    return bigger
