"""The asyncio client: any number of tasks share one connection, opened on first use."""

import asyncio
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from reverie import calls, paths
from reverie.aio_connection import AsyncConnection, open_connection
from reverie.errors import ReverieError
from reverie.ingesting import Conversation, answered, ingest
from reverie.protocol.results import EventView, Ingested, Subscribed
from reverie.protocol.session import Call, ClientSession
from reverie.retry import RETRIED, Attempts, Keys

P = ParamSpec("P")
T = TypeVar("T")


def awaited(build: Callable[P, Call[T]]) -> Callable[Concatenate["AsyncClient", P], Coroutine[Any, Any, T]]:
    """The coroutine method that makes the call which `build` describes."""

    @wraps(build)
    async def method(self: "AsyncClient", /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.call(build(*args, **kwargs))

    return method


def conversing(
    build: Callable[P, Conversation],
) -> Callable[Concatenate["AsyncClient", P], Coroutine[Any, Any, Ingested]]:
    """The coroutine method that makes the calls of a conversation, one after the other."""

    @wraps(build)
    async def method(self: "AsyncClient", /, *args: P.args, **kwargs: P.kwargs) -> Ingested:
        conversation = build(*args, **kwargs)
        step = answered(conversation, None)
        while isinstance(step, Call):
            try:
                answer: Any = await self.call(step)
            except ReverieError as error:
                answer = error
            step = answered(conversation, answer)
        return step

    return method


class AsyncClient:
    """Belongs to one event loop. A cancelled call stops waiting; the daemon may still carry it out.

    >>> import asyncio
    >>> from reverie import AsyncClient
    >>> async def main():
    ...     async with AsyncClient(namespace="harbour") as memory:
    ...         lines = ["the ferry leaves at nine", "the lighthouse is closed on Mondays"]
    ...         await asyncio.gather(*(memory.store(line) for line in lines))
    ...         found = await memory.recall("when does the ferry leave?", limit=1)
    ...         return found.memories[0].content
    >>> asyncio.run(main())
    'the ferry leaves at nine'
    """

    def __init__(
        self,
        socket: str | os.PathLike[str] | None = None,
        *,
        namespace: str = "default",
        name: str | None = None,
        timeout: float = 30.0,
    ) -> None:
        self.socket = os.fspath(socket) if socket is not None else paths.socket_path()
        self.namespace = namespace
        self.name = name or "python"
        self.timeout = timeout
        self.doubt: str | None = None  # why the last answer may not be the last word, where the daemon said so
        self._keys = Keys()
        self._connection: AsyncConnection | None = None
        self._opening = asyncio.Lock()

    store = awaited(calls.store)
    store_many = awaited(calls.store_many)
    import_many = awaited(calls.import_many)
    ingest = conversing(ingest)
    ingest_part = awaited(calls.ingest_part)
    ingested = awaited(calls.ingested)
    recall = awaited(calls.recall)
    context = awaited(calls.context)
    why = awaited(calls.why)
    get = awaited(calls.get)
    list = awaited(calls.list_memories)
    timeline = awaited(calls.timeline)
    entities = awaited(calls.entities)
    relations = awaited(calls.relations)
    update = awaited(calls.update)
    reinforce = awaited(calls.reinforce)
    demote = awaited(calls.demote)
    pin = awaited(calls.pin)
    unpin = awaited(calls.unpin)
    tag = awaited(calls.tag)
    untag = awaited(calls.untag)
    supersede = awaited(calls.supersede)
    archive = awaited(calls.archive)
    restore = awaited(calls.restore)
    delete = awaited(calls.delete)
    erase = awaited(calls.erase)
    conflicts = awaited(calls.conflicts)
    session_begin = awaited(calls.session_begin)
    session_end = awaited(calls.session_end)
    sessions = awaited(calls.sessions)
    narrative_add = awaited(calls.narrative_add)
    narratives = awaited(calls.narratives)
    resolve = awaited(calls.resolve)
    link = awaited(calls.link)
    unlink = awaited(calls.unlink)
    related = awaited(calls.related)
    path = awaited(calls.path)
    graph = awaited(calls.graph)
    links = awaited(calls.links)
    import_links = awaited(calls.import_links)
    history = awaited(calls.history)
    events = awaited(calls.events)
    raw_events = awaited(calls.raw_events)
    namespaces = awaited(calls.namespaces)
    status = awaited(calls.status)
    doctor = awaited(calls.doctor)
    verify = awaited(calls.verify)
    rebuild = awaited(calls.rebuild)
    backup = awaited(calls.backup)
    jobs = awaited(calls.jobs)
    run = awaited(calls.run)
    stats = awaited(calls.stats)
    curve = awaited(calls.curve)
    config = awaited(calls.config)
    reload = awaited(calls.reload)
    ping = awaited(calls.ping)

    async def call(self, call: Call[T]) -> T:
        """Make one call, again after a lost connection or a busy daemon, with the same idempotency key."""
        call = self._keys.keyed(call)
        attempts = Attempts(self.socket, self.timeout, known=self._is_connected())
        try:
            async with asyncio.timeout(self.timeout):
                return await self._persist(lambda: self._try(call), attempts)
        except TimeoutError as error:
            raise attempts.overdue(call) from error

    async def _persist(self, attempt: Callable[[], Awaitable[T]], attempts: Attempts) -> T:
        while True:
            try:
                return await attempt()
            except (OSError, *RETRIED) as error:
                pause = attempts.pause_after(error)
            await asyncio.sleep(pause)

    async def _try(self, call: Call[T]) -> T:
        connection = self._connection
        if connection is None or connection.lost is not None:
            async with self._opening:
                connection = self._connection
                if connection is None or connection.lost is not None:
                    connection = self._connection = await self._open()
        answer = await connection.ask(call)
        self.doubt = connection.doubt
        return answer

    def _is_connected(self) -> bool:
        return self._connection is not None and self._connection.lost is None

    def _open(self) -> Coroutine[Any, Any, AsyncConnection]:
        return open_connection(self.socket, ClientSession(self.name, self.namespace))

    async def subscribe(self, from_seq: int | None = None) -> AsyncGenerator[EventView, None]:
        """Events as they happen, on a connection of their own; after a lost one it goes on where it was."""
        known = False
        while True:
            connection, from_seq = await self._subscribed(from_seq, known)
            known = True
            try:
                async for event in connection.events():
                    from_seq = event.seq + 1
                    yield event
            except (OSError, *RETRIED) as error:
                pause = Attempts(self.socket, self.timeout).pause_after(error)
            finally:
                connection.close()
                await connection.closed()
            await asyncio.sleep(pause)

    async def _subscribed(self, from_seq: int | None, known: bool) -> tuple[AsyncConnection, int]:
        call, attempts = calls.subscription(from_seq), Attempts(self.socket, self.timeout, known=known)
        try:
            async with asyncio.timeout(self.timeout):
                return await self._persist(lambda: self._subscribe_once(call), attempts)
        except TimeoutError as error:
            raise attempts.overdue(call) from error

    async def _subscribe_once(self, call: Call[Subscribed]) -> tuple[AsyncConnection, int]:
        connection = await self._open()
        try:
            return connection, (await connection.ask(call)).from_seq
        except BaseException:
            connection.close()
            raise

    async def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            await self._connection.closed()
            self._connection = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
