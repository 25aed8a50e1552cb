"""One client: its frames, its limits, its requests in flight. Whatever it does, the others do not notice."""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import Any, Protocol

import reveried
from reverie.protocol import limits, results
from reverie.protocol import requests as ask
from reverie.protocol.framing import FrameReader, FrameTooLarge
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
    TimedOut,
    TooLarge,
    UnsupportedProtocol,
)
from reveried.server.codec import Undecodable, decode_request, encode_error, encode_event, encode_result
from reveried.server.handlers import Handler, result_of
from reveried.server.meter import Meter
from reveried.server.turns import Turns

_log = logging.getLogger(__name__)
CAPABILITIES = ["store", "recall", "history", "subscribe", "rebuild", "erase"]
WRITE_BUFFER = 1024 * 1024
MAX_NAME = 64
TURN = 32


# Reads that cost something. A command waits for the disk together with all others, and a ping for nobody.
IN_TURN = frozenset(
    (ask.Recall, ask.Context, ask.Why, ask.List, ask.Timeline, ask.Entities, ask.Relations, ask.Events, ask.RawEvents,
     ask.History, ask.Stats, ask.Curve)
)  # fmt: skip


class Others(Protocol):
    """What a connection shares with the others: places, turns, and room for what was not read yet."""

    turns: Turns

    def admit(self, connection: "Connection") -> ReverieError | None: ...
    def forget(self, connection: "Connection") -> None: ...
    def make_room(self) -> None: ...


class Connection(asyncio.Protocol):
    def __init__(
        self,
        handlers: Mapping[type[ask.Request], Handler],
        histories: Histories,
        progress: Progress,
        meter: Meter,
        server_limits: Callable[[], ServerLimits],
        others: "Others",
        noticed: Callable[[ReverieError], None] = lambda _: None,
        doubt: Callable[[], str | None] = lambda: None,
    ) -> None:
        self._handlers = handlers
        self._histories = histories
        self._progress = progress
        self._meter = meter
        self._limits = server_limits
        self._others = others
        self._noticed = noticed
        self._doubt = doubt
        self._frames = FrameReader()
        self._bodies: deque[bytes] = deque()
        self._caller: Caller | None = None
        self._in_flight = 0
        self._tasks: set[asyncio.Task[Any]] = set()
        self._subscriptions: dict[int, asyncio.Task[None]] = {}
        self._awaited: str | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        self._writable = asyncio.Event()
        self._idle = asyncio.Event()
        self._last_word = 0.0
        self._closing = False

    # ── the transport's side ────────────────────────────────────────────────────────────────────────────────────

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.set_write_buffer_limits(high=WRITE_BUFFER)
        self._writable.set()
        self._idle.set()
        refusal = self._others.admit(self)
        if refusal is not None:
            self._end(refusal)
        else:
            self._arm(self._limits().header_timeout, "hello")

    def data_received(self, data: bytes) -> None:
        self._last_word = asyncio.get_running_loop().time()
        try:
            bodies = self._frames.feed(data)
        except FrameTooLarge as large:
            self._end(TooLarge(str(large), hint="send less at once, or several requests"))
            return
        self._bodies.extend(bodies)
        self._take()
        if bodies or self._frames.waiting_for != self._awaited:
            self._await_rest()

    def _await_rest(self) -> None:
        """Once for each header and each body: a byte now and then must not buy a frame more time."""
        self._disarm()
        waiting = self._frames.waiting_for
        if waiting and not self._closing:
            timeouts = self._limits()
            self._arm(timeouts.header_timeout if waiting == "header" else timeouts.body_timeout, waiting)

    def _take(self) -> None:
        """A few requests at a time: one read can hold thousands, and the other clients want their turn."""
        for _ in range(min(TURN, len(self._bodies))):
            if self._closing or not self._writable.is_set():
                return
            self._receive(self._bodies.popleft())
        if self._bodies:
            self.transport.pause_reading()
            asyncio.get_running_loop().call_soon(self._take)
        else:
            self._read_on()

    def _read_on(self) -> None:
        if self._writable.is_set() and not self.transport.is_closing():
            self.transport.resume_reading()

    def pause_writing(self) -> None:
        """The client does not read its answers: stop taking its requests, and give it up in the end."""
        self._writable.clear()
        self.transport.pause_reading()
        loop = asyncio.get_running_loop()
        self._unread = loop.call_later(self._limits().slow_reader_timeout, self.cut_off)

    def resume_writing(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
        self._writable.set()
        self._take()

    def connection_lost(self, exc: Exception | None) -> None:
        self._closing = True
        self._disarm()
        if self._unread is not None:
            self._unread.cancel()
        for task in self._tasks:
            task.cancel()
        self._others.forget(self)

    @property
    def unread_bytes(self) -> int:
        return self.transport.get_write_buffer_size()

    @property
    def silent_since(self) -> float | None:
        """Since when nobody owes the other anything; None while somebody does, or before it said who it is."""
        owing = self._in_flight or self._subscriptions or self._bodies or self._frames.waiting_for or self.unread_bytes
        return None if owing or self._caller is None or self._closing else self._last_word

    def give_way(self) -> None:
        """Nothing is lost: with the next request a client connects again."""
        self._end(Busy("another client needs the place of this silent one", hint="connect again with the next request"))

    def _write(self, data: bytes) -> None:
        self._last_word = asyncio.get_running_loop().time()
        self.transport.write(data)
        if not self._writable.is_set():
            self._others.make_room()

    def cut_off(self) -> None:
        _log.warning("a client that does not read was cut off")
        self.transport.abort()

    def _arm(self, seconds: float, awaited: str) -> None:
        self._awaited = awaited
        self._deadline = asyncio.get_running_loop().call_later(seconds, self._late, seconds, awaited)

    def _late(self, seconds: float, awaited: str) -> None:
        if self.transport.is_reading():
            self._end(TimedOut(f"the {awaited} of a frame did not arrive within {seconds:g} s"))
        else:
            self._arm(seconds, awaited)  # it is we who do not listen at the moment

    def _disarm(self) -> None:
        self._awaited = None
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _end(self, error: ReverieError, id_: int | None = None) -> None:
        self._closing = True
        self._disarm()
        self.transport.write(encode_error(id_, error))
        self.transport.close()
        if self.transport.get_write_buffer_size():
            # A connection ends when its last word was read; one who never reads would keep it for ever.
            patience = self._limits().slow_reader_timeout
            self._deadline = asyncio.get_running_loop().call_later(patience, self.transport.abort)

    # ── requests ────────────────────────────────────────────────────────────────────────────────────────────────

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
        if isinstance(request, ask.Hello):
            self._hello(request)
            return
        if self._caller is None:
            self._end(HelloRequired("the first message must be hello", hint='{"op":"hello","protocol":1}'), request.id)
            return
        if isinstance(request, ask.Unsubscribe):
            self._unsubscribe(request)
            return
        if self._in_flight + len(self._subscriptions) >= self._limits().max_in_flight:
            raise Busy("too many requests in flight on this connection", hint="wait for an answer before the next one")
        if isinstance(request, ask.Subscribe):
            self._subscribe(request, self._caller)
            return
        self._answer(request, self._caller, self._handlers[type(request)](request, self._caller), began)

    def _answer(self, request: ask.Request, caller: Caller, answer: Any, began: int) -> None:
        if asyncio.iscoroutine(answer):
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

    # ── subscriptions ───────────────────────────────────────────────────────────────────────────────────────────

    def _subscribe(self, request: ask.Subscribe, caller: Caller) -> None:
        after = self._progress.head if request.from_seq is None else max(0, request.from_seq - 1)
        subscribed = results.Subscribed(subscription=request.id, from_seq=after + 1)
        self._write(encode_result(request.id, subscribed))
        task = asyncio.get_running_loop().create_task(self._pump(request.id, caller, after))
        self._subscriptions[request.id] = task
        self._tasks.add(task)
        task.add_done_callback(partial(self._ended, request.id))

    async def _pump(self, subscription: int, caller: Caller, after: int) -> None:
        """A client that falls behind is not buffered for: the next page is read when the last one left."""
        async for event in self._histories.follow(caller, after):
            await self._writable.wait()
            self._write(encode_event(subscription, event))

    def _ended(self, subscription: int, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        self._subscriptions.pop(subscription, None)
        if not task.cancelled() and (error := task.exception()) is not None and not self._closing:
            self._end(error if isinstance(error, ReverieError) else _DEFECT, subscription)

    def _unsubscribe(self, request: ask.Unsubscribe) -> None:
        task = self._subscriptions.get(request.subscription)
        if task is None:
            raise InvalidField(f"there is no subscription {request.subscription} here", field="subscription")
        task.cancel()
        self._write(encode_result(request.id, results.Done()))

    # ── the end ─────────────────────────────────────────────────────────────────────────────────────────────────

    async def drain(self) -> None:
        """Answer what was asked, take nothing new, and leave."""
        self._closing = True
        await self._idle.wait()
        if not self.transport.is_closing():
            self._end(ShuttingDown("the daemon is stopping", hint="connect again in a moment"))


_DEFECT = Internal("something went wrong inside the daemon", hint="its journal says what; please report it")
