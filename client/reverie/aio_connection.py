"""One asyncio connection: many requests in flight, answers in any order, no task of its own to leak."""

import asyncio
import socket
from collections import deque
from collections.abc import AsyncGenerator
from typing import Any, TypeVar

from reverie.errors import ReverieError, error_from
from reverie.peer import check_peer
from reverie.protocol.results import EventView, Welcome
from reverie.protocol.session import Answer, Call, ClientSession, Item, Pushed
from reverie.retry import closed_by_peer

T = TypeVar("T")
DEFAULT_IN_FLIGHT = 16
# Past the first the socket is left unread until the consumer is down to the second: the kernel's buffer, and
# then the daemon, hold the rest.
EVENTS_HELD, EVENTS_RESUME = 1_000, 100


async def open_connection(path: str, session: ClientSession) -> "AsyncConnection":
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
    try:
        # A Unix socket connects at once or not at all; asyncio would take a full backlog for "in progress".
        channel.connect(path)
        check_peer(channel, path)
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_unix_connection(lambda: AsyncConnection(session), sock=channel)
    except BaseException:
        channel.close()
        raise
    try:
        await connection.greet()
    except BaseException:
        connection.close()
        raise
    return connection


class AsyncConnection(asyncio.Protocol):
    def __init__(self, session: ClientSession) -> None:
        self._session = session
        self._loop = asyncio.get_running_loop()
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._outbox: list[bytes] = []
        self._slots = asyncio.Semaphore(DEFAULT_IN_FLIGHT)
        self._events: deque[EventView] = deque()
        self._news = asyncio.Event()
        self._gone = self._loop.create_future()
        self._transport: asyncio.Transport | None = None
        self.lost: OSError | ReverieError | None = None

    @property
    def doubt(self) -> str | None:
        return self._session.doubt

    async def greet(self) -> None:
        welcome: Welcome = await self._sent(*self._session.hello())
        self._slots = asyncio.Semaphore(welcome.limits.get("max_in_flight", DEFAULT_IN_FLIGHT))

    async def ask(self, call: Call[T]) -> T:
        await self._slots.acquire()
        try:
            answer = self._sent(*self._session.ask(call))
        except BaseException:
            self._slots.release()
            raise
        value: T = await answer
        return value

    def _sent(self, number: int, data: bytes) -> asyncio.Future[Any]:
        if self.lost is not None:
            raise self.lost
        if not self._outbox:
            # What several tasks ask in one turn of the loop leaves in one send.
            self._loop.call_soon(self._flush)
        self._outbox.append(data)
        answer = self._answers[number] = self._loop.create_future()
        return answer

    def _flush(self) -> None:
        if self._transport is not None and self.lost is None:
            self._transport.write(b"".join(self._outbox))
        self._outbox.clear()

    async def events(self) -> AsyncGenerator[EventView, None]:
        """What the daemon pushes, for as long as the connection lives."""
        while True:
            while self._events:
                yield self._events.popleft()
                if len(self._events) == EVENTS_RESUME and self._transport is not None:
                    self._transport.resume_reading()
            if self.lost is not None:
                raise self.lost
            self._news.clear()
            await self._news.wait()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        try:
            for item in self._session.receive(data):
                self._deliver(item)
        except ReverieError as error:
            self._fail(error)

    def _deliver(self, item: Item) -> None:
        if isinstance(item, Pushed):
            self._hold(item.event)
            return
        answer = self._answers.pop(item.id, None) if item.id is not None else None
        if answer is not None:
            # Given back when the daemon answers, not when a caller stops waiting: it counts what it works on.
            self._slots.release()
        if isinstance(item, Answer):
            if answer is not None and not answer.done():
                answer.set_result(item.value)
        elif answer is None:
            self._fail(error_from(item.error))
        elif not answer.done():
            answer.set_exception(error_from(item.error))

    def _hold(self, event: EventView) -> None:
        self._events.append(event)
        self._news.set()
        if len(self._events) == EVENTS_HELD and self._transport is not None:
            self._transport.pause_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        self._fail(exc if isinstance(exc, OSError) else closed_by_peer())
        if not self._gone.done():
            self._gone.set_result(None)

    def _fail(self, error: OSError | ReverieError) -> None:
        """Nothing more can come: everyone who waits is told why, once."""
        if self.lost is None:
            self.lost = error
        waiting, self._answers = self._answers, {}
        for answer in waiting.values():
            if not answer.done():
                answer.set_exception(self.lost)
            self._slots.release()
        self._news.set()
        if self._transport is not None:
            self._transport.abort()

    def close(self) -> None:
        self._fail(ReverieError("this client was closed", code="client_closed"))

    async def closed(self) -> None:
        """Until the transport is really gone, so that nothing outlives the client."""
        await self._gone
