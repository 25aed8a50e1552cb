"""What waits for the writer, and how it takes it: in order, all that is there at once, an erasure by itself."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue
from typing import Any

from msgspec import Struct

from reveried.app.commands import Submitted

BATCH = 1_000


class Task(Struct, frozen=True):
    """Something to run on the writer's thread, between two batches, with every event projected."""

    run: Callable[[], Any]
    done: "asyncio.Future[Any]"


class Stop(Struct, frozen=True):
    pass


Item = Submitted | Task | Stop


class Waiting:
    def __init__(self) -> None:
        self._queue: SimpleQueue[Item] = SimpleQueue()

    def __len__(self) -> int:
        return self._queue.qsize()

    def put(self, item: Item) -> None:
        self._queue.put(item)

    def take(self, patience: float | None) -> list[Item]:
        """The next one and all that came with it; nothing if none comes in time."""
        try:
            items = [self._queue.get(timeout=patience)]
        except Empty:
            return []
        try:
            while len(items) < BATCH:
                items.append(self._queue.get_nowait())
        except Empty:
            pass
        return items


def groups(batch: Sequence[Submitted]) -> Iterator[list[Submitted]]:
    """The batch in order; an erasure stands alone, for it commits by itself."""
    group: list[Submitted] = []
    for submitted in batch:
        if submitted.command.erases:
            if group:
                yield group
            yield [submitted]
            group = []
        else:
            group.append(submitted)
    if group:
        yield group
