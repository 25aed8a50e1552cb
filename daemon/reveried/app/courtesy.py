"""Whoever stores many at once goes first: the model takes a core of the machine, and rests while batches keep coming.

Single stores do not count: an agent that stores now and then, all day, would keep its own memories from being found.
"""

import asyncio
from collections.abc import Callable

# So long after a store its caller is taken to be at work. Meanwhile each second of work behind the stores is followed
# by so many of rest, but no rest is longer than this, and none is taken while somebody waits for what comes of it.
AT_WORK, REST, LONGEST_REST = 0.25, 5.0, 1.0
LOOK_AGAIN = 0.05


class Courtesy:
    def __init__(self, awaited: Callable[[], bool]) -> None:
        self._awaited = awaited
        self._stored_at = float("-inf")

    def somebody_stores(self) -> None:
        self._stored_at = asyncio.get_running_loop().time()

    async def rest_after(self, seconds: float) -> None:
        clock = asyncio.get_running_loop().time
        until = clock() + min(seconds * REST, LONGEST_REST)
        # Each store puts the end off, so no single event says that it has come.
        while clock() < min(until, self._stored_at + AT_WORK) and not self._awaited():  # noqa: ASYNC110
            await asyncio.sleep(LOOK_AGAIN)
