"""The blocking client: one connection, opened on first use, one request at a time."""

import os
import threading
import time
from collections.abc import Callable, Generator
from contextlib import closing
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from reverie import calls, paths
from reverie.connection import Connection
from reverie.errors import ReverieError
from reverie.ingesting import Conversation, answered, ingest
from reverie.protocol.results import EventView, Ingested
from reverie.protocol.session import Call, ClientSession
from reverie.retry import RETRIED, Attempts, Keys

P = ParamSpec("P")
T = TypeVar("T")


def blocking(build: Callable[P, Call[T]]) -> Callable[Concatenate["Client", P], T]:
    """The method that makes the call which `build` describes."""

    @wraps(build)
    def method(self: "Client", /, *args: P.args, **kwargs: P.kwargs) -> T:
        return self.call(build(*args, **kwargs))

    return method


def conversing(build: Callable[P, Conversation]) -> Callable[Concatenate["Client", P], Ingested]:
    """The method that makes the calls of a conversation, one after the other."""

    @wraps(build)
    def method(self: "Client", /, *args: P.args, **kwargs: P.kwargs) -> Ingested:
        conversation = build(*args, **kwargs)
        step = answered(conversation, None)
        while isinstance(step, Call):
            try:
                answer: Any = self.call(step)
            except ReverieError as error:
                answer = error
            step = answered(conversation, answer)
        return step

    return method


class Client:
    """Safe to share between threads, which then take turns; give each its own for more speed.

    >>> from reverie import Client
    >>> with Client(namespace="tea-party") as memory:
    ...     stored = memory.store("Ada prefers oolong tea", kind="preference", tags=["ada"])
    ...     found = memory.recall("which tea does Ada prefer?")
    ...     told = memory.reinforce(stored.id)
    >>> [answer.content for answer in found.memories]
    ['Ada prefers oolong tea']
    >>> told.outcome
    'reinforced'

    A call that fails raises what it failed of, with a hint where there is something to do about it:

    >>> with Client(namespace="tea-party") as memory:
    ...     memory.get(999_999)
    Traceback (most recent call last):
    reverie.errors.NotFound: there is no memory 999999
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
        self._connection: Connection | None = None
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._keys = Keys()
        self._turn = threading.Lock()

    store = blocking(calls.store)
    store_many = blocking(calls.store_many)
    import_many = blocking(calls.import_many)
    ingest = conversing(ingest)
    ingest_part = blocking(calls.ingest_part)
    ingested = blocking(calls.ingested)
    recall = blocking(calls.recall)
    context = blocking(calls.context)
    why = blocking(calls.why)
    get = blocking(calls.get)
    list = blocking(calls.list_memories)
    timeline = blocking(calls.timeline)
    entities = blocking(calls.entities)
    relations = blocking(calls.relations)
    update = blocking(calls.update)
    reinforce = blocking(calls.reinforce)
    demote = blocking(calls.demote)
    pin = blocking(calls.pin)
    unpin = blocking(calls.unpin)
    tag = blocking(calls.tag)
    untag = blocking(calls.untag)
    supersede = blocking(calls.supersede)
    archive = blocking(calls.archive)
    restore = blocking(calls.restore)
    delete = blocking(calls.delete)
    erase = blocking(calls.erase)
    conflicts = blocking(calls.conflicts)
    session_begin = blocking(calls.session_begin)
    session_end = blocking(calls.session_end)
    sessions = blocking(calls.sessions)
    narrative_add = blocking(calls.narrative_add)
    narratives = blocking(calls.narratives)
    resolve = blocking(calls.resolve)
    link = blocking(calls.link)
    unlink = blocking(calls.unlink)
    related = blocking(calls.related)
    path = blocking(calls.path)
    graph = blocking(calls.graph)
    links = blocking(calls.links)
    import_links = blocking(calls.import_links)
    history = blocking(calls.history)
    events = blocking(calls.events)
    raw_events = blocking(calls.raw_events)
    namespaces = blocking(calls.namespaces)
    status = blocking(calls.status)
    doctor = blocking(calls.doctor)
    verify = blocking(calls.verify)
    rebuild = blocking(calls.rebuild)
    backup = blocking(calls.backup)
    jobs = blocking(calls.jobs)
    run = blocking(calls.run)
    stats = blocking(calls.stats)
    curve = blocking(calls.curve)
    config = blocking(calls.config)
    reload = blocking(calls.reload)
    ping = blocking(calls.ping)

    def call(self, call: Call[T]) -> T:
        """Make one call, again after a lost connection or a busy daemon, with the same idempotency key."""
        if self._process != os.getpid():
            # A forked child must not speak on its parent's line, nor use its keys for other words.
            self.close()
            self._begin()
        with self._turn:
            call = self._keys.keyed(call)
            attempts = Attempts(self.socket, self.timeout, known=self._connection is not None)
            while True:
                try:
                    return self._try(call, attempts)
                except (OSError, *RETRIED) as error:
                    pause = attempts.pause_after(error)
                time.sleep(pause)

    def _try(self, call: Call[T], attempts: Attempts) -> T:
        if self._connection is None:
            self._connection = self._open(attempts)
        connection = self._connection
        try:
            answer = connection.ask(call, attempts)
            self.doubt = connection.doubt
            return answer
        finally:
            if connection.spoilt:
                self.close()

    def subscribe(self, from_seq: int | None = None) -> Generator[EventView, None, None]:
        """Events as they happen, on a connection of their own; after a lost one it goes on where it was."""
        attempts, streaming = Attempts(self.socket, self.timeout), False
        while True:
            try:
                with closing(self._open(attempts)) as connection:
                    from_seq = connection.ask(calls.subscription(from_seq), attempts).from_seq
                    streaming = True
                    for event in connection.events():
                        from_seq = event.seq + 1
                        yield event
            except (OSError, *RETRIED) as error:
                if streaming:
                    attempts, streaming = Attempts(self.socket, self.timeout, known=True), False
                pause = attempts.pause_after(error)
            time.sleep(pause)

    def _open(self, attempts: Attempts) -> Connection:
        return Connection(self.socket, ClientSession(self.name, self.namespace), attempts)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
