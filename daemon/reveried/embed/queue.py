"""What waits for the model: questions before memories, and no text a third time that ended its process twice."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable
from hashlib import blake2b

import msgspec

from reveried.embed.errors import EmbedderUnavailable, TextsRefused

CHANCES = 2
BLAMED_KEPT = 256


class Asked(msgspec.Struct):
    texts: list[str]
    urgent: bool
    done: "asyncio.Future[list[bytes]]"


class Queue:
    def __init__(self) -> None:
        self._urgent: deque[Asked] = deque()
        self._patient: deque[Asked] = deque()
        self._arrived = asyncio.Event()
        # By hash, so that no words are kept; a batch that succeeds is forgiven.
        self._blamed: OrderedDict[bytes, int] = OrderedDict()

    def __bool__(self) -> bool:
        return any(not asked.done.done() for asked in (*self._urgent, *self._patient))

    def put(self, asked: Asked) -> None:
        if self._blamed.get(_named(asked.texts), 0) >= CHANCES:
            raise _refused(asked)
        (self._urgent if asked.urgent else self._patient).append(asked)
        self._arrived.set()

    def take(self) -> Asked | None:
        """The next that somebody still waits for."""
        for waiting in (self._urgent, self._patient):
            while waiting:
                asked = waiting.popleft()
                if not asked.done.done():
                    return asked
        return None

    async def arrival(self, within: float) -> Asked | None:
        """What to do next; None after that long without anything."""
        loop = asyncio.get_running_loop()
        until = loop.time() + within
        while (asked := self.take()) is None:
            self._arrived.clear()
            try:
                async with asyncio.timeout_at(until):
                    await self._arrived.wait()
            except TimeoutError:
                return None
        return asked

    def again(self, asked: Asked) -> None:
        """Back to the head: whatever ended the worker, these texts come first with the next one."""
        (self._urgent if asked.urgent else self._patient).appendleft(asked)

    def blame(self, asked: Asked) -> None:
        """The worker ended over these texts; after the second time they are refused."""
        name = _named(asked.texts)
        self._blamed[name] = self._blamed.pop(name, 0) + 1
        while len(self._blamed) > BLAMED_KEPT:
            self._blamed.popitem(last=False)
        if self._blamed[name] < CHANCES:
            self.again(asked)
        elif not asked.done.done():
            asked.done.set_exception(
                TextsRefused(f"{len(asked.texts)} texts ended the model's process {CHANCES} times")
            )

    def forgive(self, asked: Asked) -> None:
        self._blamed.pop(_named(asked.texts), None)

    def refuse_all(self, error: Callable[[], EmbedderUnavailable]) -> None:
        while (asked := self.take()) is not None:
            asked.done.set_exception(error())


def _refused(asked: Asked) -> TextsRefused:
    return TextsRefused(f"{len(asked.texts)} texts ended the model's process {CHANCES} times; they are not tried again")


def _named(texts: list[str]) -> bytes:
    return blake2b("\0".join(texts).encode(errors="surrogatepass"), digest_size=16).digest()
