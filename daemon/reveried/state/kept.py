"""What was read of a file and is likely to be asked for again. It holds what the file holds, or nothing: whatever a
write changes is gone from here before anybody is told of the write, the words of what is erased among it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Kept(Generic[Key, Value]):
    """Up to so many bytes, as `size` tells them; who came first goes first.

    What was read before a write must not be kept after it. So a reader takes a mark before it reads, and what changed
    since that mark is not kept."""

    def __init__(self, room: int, size: Callable[[Value], int]) -> None:
        self._room = room
        self._size = size
        self._used = 0
        self._mark = 0
        self._values: dict[Key, Value] = {}
        self._lock = Lock()

    def mark(self) -> int:
        return self._mark

    def known(self, keys: Iterable[Key]) -> dict[Key, Value]:
        kept = self._values.get
        return {key: value for key in keys if (value := kept(key)) is not None}

    def keep(self, mark: int, values: Mapping[Key, Value]) -> None:
        with self._lock:
            if mark != self._mark:
                return
            self._drop(values)
            self._values |= values
            self._used += sum(map(self._size, values.values()))
            if self._used > self._room:
                self._make_room()

    def _make_room(self) -> None:
        """An eighth at once: one by one the first of a dict takes ever longer to find."""
        while self._used > self._room:
            self._drop(list(islice(self._values, max(1, len(self._values) // 8))))

    def forget(self, keys: Sequence[Key]) -> None:
        with self._lock:
            self._mark += 1
            self._drop(keys)

    def _drop(self, keys: Iterable[Key]) -> None:
        for key in keys:
            value = self._values.pop(key, None)
            if value is not None:
                self._used -= self._size(value)

    def clear(self) -> None:
        with self._lock:
            self._mark += 1
            self._values.clear()
            self._used = 0

    def __len__(self) -> int:
        return len(self._values)
