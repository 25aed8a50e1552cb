"""The graph over one namespace's rows: built beside everything else once they are many, then kept up with them."""

import time
from collections.abc import Iterable
from threading import Lock, Thread

import numpy as np

from reveried.vectors.graph import Graph, is_available
from reveried.vectors.matrix import Floats, Numbers
from reveried.vectors.rows import Rows

NEVER = 1 << 62
AT_ONCE = 2
# Without a pause the builder would have the lock again before whoever waits for it has woken up.
PAUSE = 0.002


class Shortcut:
    """Everything but `start_if_due` and `wait` is called with the lock held, which also guards the rows."""

    def __init__(self, rows: Rows, dimension: int, graph_from: int, lock: Lock) -> None:
        self._rows = rows
        self._dimension = dimension
        self._from = graph_from if is_available() else NEVER
        self._lock = lock
        self._graph: Graph | None = None
        self._builder: Thread | None = None
        self._changed: set[int] = set()  # rows freed or written while the graph is being built
        self._moved = False

    @property
    def is_there(self) -> bool:
        return self._graph is not None

    def nearest(self, query: Floats, count: int) -> Numbers:
        assert self._graph is not None
        return self._graph.nearest(query, count)

    def freed(self, rows: list[int]) -> None:
        if self._graph is not None:
            self._graph.remove(rows)
        self._changed.update(rows if self._builder else ())

    def written(self, rows: list[int]) -> None:
        if self._graph is not None:
            self._add(self._graph, rows)
        self._changed.update(rows if self._builder else ())

    def moved(self) -> None:
        """Every row has another place now: with the next memory the graph is begun again."""
        self._graph, self._moved = None, True

    def start_if_due(self) -> None:
        if self._builder is None and self._graph is None and len(self._rows) >= self._from:
            # A daemon thread: the graph is worth nothing to a process that ends.
            self._moved, self._builder = False, Thread(target=self._build, daemon=True)
            self._builder.start()

    def wait(self) -> None:
        builder = self._builder
        if builder is not None:
            builder.join()

    def _build(self) -> None:
        """It takes a millisecond a memory, so it goes by small steps: searches and changes come in between."""
        graph, start = Graph(self._dimension), 0
        while start < self._rows.matrix.rows and not self._moved:
            with self._lock:
                self._add(graph, range(start, min(start + AT_ONCE, self._rows.matrix.rows)))
            start += AT_ONCE
            time.sleep(PAUSE)
        with self._lock:
            if not self._moved:
                graph.remove(list(self._changed))
                self._add(graph, self._changed)
                self._graph = graph
            self._builder, self._changed = None, set()

    def _add(self, graph: Graph, rows: Iterable[int]) -> None:
        owners = self._rows.owners
        alive = np.array([row for row in rows if row < len(owners) and owners[row]], np.int64)
        if len(alive):
            graph.add(alive, self._rows.matrix.of(alive))
