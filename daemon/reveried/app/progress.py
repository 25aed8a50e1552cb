"""How far the log and its projections are, as the event loop knows it; followers wait here for more."""

import asyncio


class Progress:
    def __init__(self, head: int, applied: int) -> None:
        self.head = head
        self.applied = applied
        self.grew_at = float("-inf")  # by the event loop's clock
        self._waiting: set[asyncio.Future[None]] = set()

    def advance(self, head: int, applied: int) -> None:
        grew = head > self.head
        self.head = max(head, self.head)
        self.applied = max(applied, self.applied)
        if grew:
            self.grew_at = asyncio.get_running_loop().time()
            for future in self._waiting:
                if not future.done():
                    future.set_result(None)
            self._waiting.clear()

    async def beyond(self, seq: int) -> int:
        """The head, as soon as it is greater than `seq`."""
        while self.head <= seq:
            future = asyncio.get_running_loop().create_future()
            self._waiting.add(future)
            try:
                await future
            finally:
                self._waiting.discard(future)
        return self.head
