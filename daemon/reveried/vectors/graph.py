"""An approximate index (HNSW) for namespaces too large to look at row by row. It is optional: `pip install
'reverie[ann]'` brings usearch, and without it every search is exact."""

from importlib.util import find_spec

import numpy as np

from reveried.vectors.matrix import Floats, Numbers

CONNECTIONS, EFFORT_ADDING, EFFORT_SEARCHING = 16, 128, 512


def is_available() -> bool:
    return find_spec("usearch") is not None


class Graph:
    def __init__(self, dimension: int) -> None:
        from usearch.index import Index

        self._index = Index(
            ndim=dimension,
            metric="ip",
            dtype="f16",
            connectivity=CONNECTIONS,
            expansion_add=EFFORT_ADDING,
            expansion_search=EFFORT_SEARCHING,
        )

    def add(self, rows: Numbers, vectors: Floats) -> None:
        if len(rows):
            self._index.add(rows.astype(np.uint64), vectors, threads=1)

    def remove(self, rows: list[int]) -> None:
        for row in rows:
            self._index.remove(row)

    def nearest(self, query: Floats, count: int) -> Numbers:
        """The rows most alike, best first; now and then one is missed."""
        return np.asarray(self._index.search(query, count, threads=1).keys, np.int64)
