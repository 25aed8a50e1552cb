"""Reads take turns, connection by connection: one who asks a thousand questions waits behind his own."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

# Enough for a few to wait for the disk or the model while others reckon; each of them delays a newcomer.
AT_WORK: Final = 32


class Turns:
    def __init__(self, at_work: int = AT_WORK) -> None:
        self._free = at_work
        self._waiting: dict[object, deque[asyncio.Future[None]]] = {}

    @asynccontextmanager
    async def turn(self, whose: object) -> AsyncIterator[None]:
        if self._free:
            self._free -= 1
        else:
            await self._wait(whose)
        try:
            yield
        finally:
            self._pass_on()

    async def _wait(self, whose: object) -> None:
        called: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(whose, deque()).append(called)
        try:
            await called
        except asyncio.CancelledError:
            if called.done() and not called.cancelled():  # called and cancelled at once: the turn is somebody else's
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        while self._waiting:
            whose = next(iter(self._waiting))
            queue = self._waiting.pop(whose)
            called = queue.popleft()
            if queue:
                self._waiting[whose] = queue  # behind all others
            if not called.done():
                called.set_result(None)
                return
        self._free += 1
