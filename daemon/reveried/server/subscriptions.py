"""The events that one client follows. Nothing is buffered for it: it gets the next when it has taken the last."""

import asyncio
from collections.abc import Callable
from functools import partial

from msgspec import Struct

from reverie.protocol import requests as ask
from reverie.protocol import results
from reveried.app.commands import Caller
from reveried.app.history import Histories
from reveried.app.progress import Progress
from reveried.errors import InvalidField
from reveried.server.codec import encode_event, encode_result


class Follower(Struct, frozen=True):
    """Who gets the events. Known while there is a subscription and no longer: a connection that knew itself through
    its subscriptions would stay in memory after its end."""

    writable: asyncio.Event
    write: Callable[[bytes], None]
    failed: Callable[[BaseException, int], None]


class Subscriptions:
    def __init__(self, histories: Histories, progress: Progress) -> None:
        self._histories = histories
        self._progress = progress
        self._running: dict[int, asyncio.Task[None]] = {}

    def __len__(self) -> int:
        return len(self._running)

    def begin(self, request: ask.Subscribe, caller: Caller, follower: Follower) -> None:
        after = self._progress.head if request.from_seq is None else max(0, request.from_seq - 1)
        subscribed = results.Subscribed(subscription=request.id, from_seq=after + 1)
        follower.write(encode_result(request.id, subscribed))
        task = asyncio.get_running_loop().create_task(self._pump(request.id, caller, after, follower))
        self._running[request.id] = task
        task.add_done_callback(partial(self._ended, request.id, follower))

    async def _pump(self, subscription: int, caller: Caller, after: int, follower: Follower) -> None:
        """A client that falls behind is not buffered for: the next page is read when the last one left."""
        async for event in self._histories.follow(caller, after):
            await follower.writable.wait()
            follower.write(encode_event(subscription, event))

    def _ended(self, subscription: int, follower: Follower, task: "asyncio.Task[None]") -> None:
        self._running.pop(subscription, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            follower.failed(error, subscription)

    def end(self, request: ask.Unsubscribe) -> bytes:
        task = self._running.get(request.subscription)
        if task is None:
            raise InvalidField(f"there is no subscription {request.subscription} here", field="subscription")
        task.cancel()
        return encode_result(request.id, results.Done())

    def cancel(self) -> None:
        for task in self._running.values():
            task.cancel()
