"""Rows of numbers, written at any place: exact float32 while they are few, bytes and a scale for each row when they
are many."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]
Number = TypeVar("Number", np.float32, np.int8, np.int64)
# Above this many rows a pass over float32 is bound by memory; a quarter of the bytes is half of the time.
LARGE = 20_000
# As floats, a block of rows should stay in the processor's cache between being widened and being multiplied; and each
# step of it lets others have the interpreter, who may keep it for milliseconds, so there should be few.
BLOCK = 4096
STEPS = 127.0


class Matrix:
    def __init__(self, dimension: int, large: int = LARGE) -> None:
        self._large = large
        self._exact: Floats | None = np.zeros((0, dimension), np.float32)
        self._coarse: NDArray[np.int8] = np.zeros((0, dimension), np.int8)
        self._scales: Floats = np.zeros(0, np.float32)
        self._widened = np.empty((BLOCK, dimension), np.float32)
        self.rows = 0

    @property
    def is_exact(self) -> bool:
        return self._exact is not None

    def write(self, rows: Numbers, vectors: Floats) -> None:
        """Set these rows; those beyond the end are added."""
        self.rows = max(self.rows, int(rows.max()) + 1)
        if self._exact is not None and self.rows > self._large:
            self._coarse, self._scales = _quantised(self._exact)
            self._exact = None
        if self._exact is not None:
            self._exact = grown(self._exact, self.rows)
            self._exact[rows] = vectors
        else:
            self._coarse, self._scales = grown(self._coarse, self.rows), grown(self._scales, self.rows)
            self._coarse[rows], self._scales[rows] = _quantised(vectors)

    def keep(self, rows: Numbers) -> None:
        """Let go of all rows but these, which close up in this order."""
        self.rows = len(rows)
        if self._exact is not None:
            self._exact = self._exact[rows]
        else:
            self._coarse, self._scales = self._coarse[rows], self._scales[rows]

    def of(self, rows: Numbers) -> Floats:
        """Single rows, as exactly as they are known here."""
        if self._exact is not None:
            return np.asarray(self._exact[rows], np.float32)
        return np.asarray(self._coarse[rows] * self._scales[rows, None], np.float32)

    def total(self, rows: Numbers) -> NDArray[np.float64]:
        total = np.zeros(self._widened.shape[1], np.float64)
        for start in range(0, len(rows), BLOCK):
            total += self.of(rows[start : start + BLOCK]).sum(axis=0, dtype=np.float64)
        return total

    def times(self, query: Floats) -> Floats:
        """The product with every row. For many rows it is off by less than a hundredth."""
        if self._exact is not None:
            return np.asarray(self._exact[: self.rows] @ query, np.float32)
        products = np.empty(self.rows, np.float32)
        for start in range(0, self.rows, BLOCK):
            end = min(start + BLOCK, self.rows)
            block = self._widened[: end - start]
            np.copyto(block, self._coarse[start:end])
            np.dot(block, query, out=products[start:end])
        products *= self._scales[: self.rows]
        return products


def _quantised(vectors: Floats) -> tuple[NDArray[np.int8], Floats]:
    scales = np.abs(vectors).max(axis=1, initial=0.0) / STEPS
    scales[scales == 0] = 1.0
    return np.rint(vectors / scales[:, None]).astype(np.int8), scales.astype(np.float32)


def grown(array: NDArray[Number], needed: int) -> NDArray[Number]:
    """Room for this many rows; a quarter more than was there, so that adding one by one stays cheap."""
    if needed <= len(array):
        return array
    bigger = np.zeros((max(needed, 256, len(array) * 5 // 4), *array.shape[1:]), array.dtype)
    bigger[: len(array)] = array
    return bigger
