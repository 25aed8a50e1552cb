"""One client's requests: each is understood, answered or refused by itself, and counted while it is in flight."""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from types import CoroutineType
from typing import Any

import reveried
from reverie.protocol import limits, results
from reverie.protocol import requests as ask
from reveried.app.commands import Caller
from reveried.app.history import Histories
from reveried.app.progress import Progress
from reveried.config.schema import ServerLimits
from reveried.errors import (
    Busy,
    HelloRequired,
    Internal,
    InvalidField,
    ReverieError,
    ShuttingDown,
    UnsupportedProtocol,
)
from reveried.server.codec import Undecodable, decode_request, encode_error, encode_result
from reveried.server.framed import Framed, Others
from reveried.server.handlers import Handler, result_of
from reveried.server.meter import Meter
from reveried.server.subscriptions import Follower, Subscriptions

_log = logging.getLogger(__name__)
CAPABILITIES = ["store", "recall", "history", "subscribe", "rebuild", "erase"]
MAX_NAME = 64


# Reads that cost something. A command waits for the disk together with all others, and a ping for nobody.
IN_TURN = frozenset(
    (ask.Recall, ask.Context, ask.Why, ask.List, ask.Timeline, ask.Entities, ask.Relations, ask.Events, ask.RawEvents,
     ask.History, ask.Stats, ask.Curve)
)  # fmt: skip


class Connection(Framed):
    def __init__(
        self,
        handlers: Mapping[type[ask.Request], Handler],
        histories: Histories,
        progress: Progress,
        meter: Meter,
        server_limits: Callable[[], ServerLimits],
        others: Others,
        noticed: Callable[[ReverieError], None] = lambda _: None,
        doubt: Callable[[], str | None] = lambda: None,
        named: Callable[[str, str], None] = lambda field, name: None,
    ) -> None:
        super().__init__(server_limits, others)
        self._handlers = handlers
        self._progress = progress
        self._meter = meter
        self._noticed = noticed
        self._doubt = doubt
        self._named = named
        self._caller: Caller | None = None
        self._in_flight = 0
        self._tasks: set[asyncio.Task[Any]] = set()
        self._subscriptions = Subscriptions(histories, progress)
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def silent_since(self) -> float | None:
        """Since when nobody owes the other anything; None while somebody does, or before it said who it is."""
        owing = self._owing or self._in_flight or self._subscriptions
        return None if owing or self._caller is None else self._last_word

    def give_way(self) -> None:
        """Nothing is lost: with the next request a client connects again."""
        self._end(Busy("another client needs the place of this silent one", hint="connect again with the next request"))

    async def drain(self) -> None:
        """Answer what was asked, take nothing new, and leave."""
        self._closing = True
        await self._idle.wait()
        if not self.transport.is_closing():
            self._end(ShuttingDown("the daemon is stopping", hint="connect again in a moment"))

    def _lost(self) -> None:
        for task in self._tasks:
            task.cancel()
        self._subscriptions.cancel()

    def _receive(self, body: bytes) -> None:
        began = time.perf_counter_ns()
        try:
            request = decode_request(body)
        except Undecodable as bad:
            if bad.hopeless:
                self._end(bad.error)
            else:
                self._write(encode_error(bad.id, bad.error))
            return
        try:
            self._dispatch(request, began)
        except ReverieError as error:
            self._refuse(request, error)
        except Exception:  # noqa: BLE001 (the connection's edge: a defect costs one request, not the daemon)
            _log.exception("%s failed", ask.op_of(type(request)))
            self._refuse(request, _DEFECT)

    def _dispatch(self, request: ask.Request, began: int) -> None:
        handler = self._handlers.get(type(request))
        if handler is None or self._caller is None:
            self._about_the_connection(request)
            return
        self._check_room()
        if isinstance(request, ask.Command) and request.key is not None:
            self._named("key", request.key)
        self._answer(request, self._caller, handler(request, self._caller), began)

    def _about_the_connection(self, request: ask.Request) -> None:
        if isinstance(request, ask.Hello):
            self._hello(request)
        elif self._caller is None:
            self._end(HelloRequired("the first message must be hello", hint='{"op":"hello","protocol":1}'), request.id)
        elif isinstance(request, ask.Unsubscribe):
            self._write(self._subscriptions.end(request))
        elif isinstance(request, ask.Subscribe):
            self._check_room()
            follower = Follower(self._writable, self._write, self._failed)
            self._subscriptions.begin(request, self._caller, follower)

    def _check_room(self) -> None:
        if self._in_flight + len(self._subscriptions) >= self._limits().max_in_flight:
            raise Busy("too many requests in flight on this connection", hint="wait for an answer before the next one")

    def _answer(self, request: ask.Request, caller: Caller, answer: Any, began: int) -> None:
        if isinstance(answer, CoroutineType):
            work = self._in_turn(answer) if type(request) in IN_TURN else answer
            answer = asyncio.get_running_loop().create_task(work)
            self._tasks.add(answer)
            answer.add_done_callback(self._tasks.discard)
        if isinstance(answer, asyncio.Future):
            self._in_flight += 1
            self._idle.clear()
            answer.add_done_callback(partial(self._done, request, caller, began))
        else:
            self._reply(request, result_of(request, answer, caller), began)

    async def _in_turn(self, work: Coroutine[Any, Any, Any]) -> Any:
        try:
            async with self._others.turns.turn(self):
                return await work
        finally:
            work.close()

    def _reply(self, request: ask.Request, result: Any, began: int) -> None:
        self._write(encode_result(request.id, result, self._doubt()))
        self._meter.answered(type(request), time.perf_counter_ns() - began)

    def _refuse(self, request: ask.Request, error: ReverieError) -> None:
        self._noticed(error)
        self._write(encode_error(request.id, error))
        self._meter.refused(type(request))

    def _done(self, request: ask.Request, caller: Caller, began: int, future: "asyncio.Future[Any]") -> None:
        self._in_flight -= 1
        if not self._in_flight:
            self._idle.set()
        if future.cancelled() or self.transport.is_closing():
            return
        error = future.exception()
        if error is None:
            self._reply(request, result_of(request, future.result(), caller), began)
        elif isinstance(error, ReverieError):
            self._refuse(request, error)
        else:
            _log.error("%s failed", ask.op_of(type(request)), exc_info=error)
            self._refuse(request, _DEFECT)

    def _hello(self, request: ask.Hello) -> None:
        if request.protocol != limits.PROTOCOL:
            spoken = f"this daemon speaks protocol {limits.PROTOCOL}, not {request.protocol}"
            self._end(UnsupportedProtocol(spoken, field="protocol", hint="update the older of the two"), request.id)
            return
        for field, name in (("namespace", request.namespace), ("client", request.client)):
            if not 1 <= len(name) <= MAX_NAME or not name.isprintable():
                raise InvalidField(f"{field} must have 1 to {MAX_NAME} printable characters", field=field)
            self._named(field, name)
        self._caller = Caller(request.namespace, request.client)
        self._write(encode_result(request.id, self._welcome(request.namespace)))

    def _welcome(self, namespace: str) -> results.Welcome:
        in_force = {
            "max_frame": limits.MAX_FRAME,
            "max_in_flight": self._limits().max_in_flight,
            "max_batch": limits.MAX_BATCH,
            "max_page": limits.MAX_PAGE,
        }
        return results.Welcome(
            server=f"reveried {reveried.__version__}",
            protocol=limits.PROTOCOL,
            namespace=namespace,
            head=self._progress.head,
            capabilities=CAPABILITIES,
            limits=in_force,
        )

    def _failed(self, error: BaseException, subscription: int) -> None:
        if not self._closing:
            self._end(error if isinstance(error, ReverieError) else _DEFECT, subscription)


_DEFECT = Internal("something went wrong inside the daemon", hint="its journal says what; please report it")
