"""The bytes of one client: whole frames go up, answers go down, and nobody takes more time or room than is his."""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

from reverie.protocol.framing import FrameReader, FrameTooLarge
from reveried.config.schema import ServerLimits
from reveried.errors import ReverieError, TimedOut, TooLarge
from reveried.server.codec import encode_error
from reveried.server.turns import Turns

_log = logging.getLogger(__name__)
WRITE_BUFFER = 1024 * 1024
TURN = 32


class Others(Protocol):
    """What a connection shares with the others: places, turns, and room for what was not read yet."""

    turns: Turns
    # What arrives is put here and taken out before the next connection reads. A read without a buffer of its own
    # has the allocator fetch 256 KB from the kernel and give them back, for a request of a hundred bytes.
    arrivals: memoryview

    def admit(self, connection: Any) -> ReverieError | None: ...
    def forget(self, connection: Any) -> None: ...
    def make_room(self) -> None: ...


class Framed(asyncio.BufferedProtocol, ABC):
    def __init__(self, server_limits: Callable[[], ServerLimits], others: Others) -> None:
        self._limits = server_limits
        self._others = others
        self._loop = asyncio.get_running_loop()
        self._frames = FrameReader()
        self._bodies: deque[bytes] = deque()
        self._awaited: str | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        self._writable = asyncio.Event()
        self._last_word = 0.0
        self._closing = False

    @abstractmethod
    def _receive(self, body: bytes) -> None:
        """Whoever understands what the frames say takes them here, one by one."""

    @abstractmethod
    def _lost(self) -> None:
        """The client is gone; whatever was done for it ends."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.set_write_buffer_limits(high=WRITE_BUFFER)
        self._writable.set()
        refusal = self._others.admit(self)
        if refusal is not None:
            self._end(refusal)
        else:
            self._arm(self._limits().header_timeout, "hello")

    def get_buffer(self, sizehint: int) -> memoryview:
        return self._others.arrivals

    def buffer_updated(self, nbytes: int) -> None:
        self._last_word = self._loop.time()
        try:
            bodies = self._frames.feed(bytes(self._others.arrivals[:nbytes]))
        except FrameTooLarge as large:
            self._end(TooLarge(str(large), hint="send less at once, or several requests"))
            return
        self._bodies.extend(bodies)
        self._take()
        waiting = self._frames.waiting_for
        if waiting != self._awaited or (bodies and waiting):
            self._await_rest(waiting)

    def _await_rest(self, waiting: str | None) -> None:
        """Once for each header and each body: a byte now and then must not buy a frame more time."""
        self._disarm()
        if waiting and not self._closing:
            timeouts = self._limits()
            self._arm(timeouts.header_timeout if waiting == "header" else timeouts.body_timeout, waiting)

    def _take(self) -> None:
        """A few requests at a time: one read can hold thousands, and the other clients want their turn."""
        left = TURN
        while self._bodies and left:
            if self._closing or not self._writable.is_set():
                return
            left -= 1
            self._receive(self._bodies.popleft())
        if self._bodies:
            self.transport.pause_reading()
            self._loop.call_soon(self._take)
        else:
            self._read_on()

    def _read_on(self) -> None:
        if self._writable.is_set() and not self.transport.is_closing():
            self.transport.resume_reading()

    def pause_writing(self) -> None:
        """The client does not read its answers: stop taking its requests, and give it up in the end."""
        self._writable.clear()
        self.transport.pause_reading()
        self._unread = self._loop.call_later(self._limits().slow_reader_timeout, self.cut_off)

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
        self._lost()
        self._others.forget(self)

    @property
    def unread_bytes(self) -> int:
        return self.transport.get_write_buffer_size()

    @property
    def _owing(self) -> bool:
        """Something is under way on the wire, in one direction or the other."""
        return bool(self._bodies or self._frames.waiting_for or self.unread_bytes or self._closing)

    def _write(self, data: bytes) -> None:
        self._last_word = self._loop.time()
        self.transport.write(data)
        if not self._writable.is_set():
            self._others.make_room()

    def cut_off(self) -> None:
        _log.warning("a client that does not read was cut off")
        self.transport.abort()

    def _arm(self, seconds: float, awaited: str) -> None:
        self._awaited = awaited
        self._deadline = self._loop.call_later(seconds, self._late, seconds, awaited)

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
            self._deadline = self._loop.call_later(patience, self.transport.abort)
