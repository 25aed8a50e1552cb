"""How far each document is cut up, as the event loop knows it; whoever asked for one waits here."""

import asyncio

from msgspec import Struct


class UnderWay(Struct):
    """`total` is 0 until the text has been cut."""

    handled: int = 0
    total: int = 0
    problem: str = ""


class Chunks:
    def __init__(self) -> None:
        self._arrived = asyncio.Event()
        self._moved = asyncio.Condition()
        self._under_way: dict[int, UnderWay] = {}

    def of(self, document: int) -> UnderWay:
        return self._under_way.get(document, UnderWay())

    def arrived(self, document: int) -> None:
        if self.of(document).problem or document not in self._under_way:
            self._under_way[document] = UnderWay()
        self._arrived.set()

    @property
    def awaited(self) -> list[int]:
        return list(self._under_way)

    async def more(self) -> None:
        """Wait until a document has arrived since the last time."""
        await self._arrived.wait()
        self._arrived.clear()

    async def reached(self, document: int, handled: int, total: int, problem: str = "") -> None:
        self._under_way[document] = UnderWay(handled, total, problem)
        async with self._moved:
            self._moved.notify_all()

    async def finished(self, document: int) -> None:
        self._under_way.pop(document, None)
        async with self._moved:
            self._moved.notify_all()

    async def beyond(self, document: int, handled: int | None, seconds: float) -> None:
        """Until more than so many chunks are handled (all of them, if None), or the time is over."""
        try:
            async with asyncio.timeout(seconds), self._moved:
                await self._moved.wait_for(lambda: self._is_beyond(document, handled))
        except TimeoutError:
            return  # the caller sees how far it is, and asks again

    def _is_beyond(self, document: int, handled: int | None) -> bool:
        now = self._under_way.get(document)
        return now is None or bool(now.problem) or (handled is not None and now.handled > handled)
