"""One blocking connection: a socket, a session, and a limit on every wait."""

import errno
import socket
import struct
from collections import deque
from collections.abc import Iterator
from typing import Any, TypeVar

from reverie.errors import error_from
from reverie.peer import check_peer
from reverie.protocol.results import EventView, Welcome
from reverie.protocol.session import Answer, Call, ClientSession, Item, Pushed, Refusal
from reverie.retry import Attempts, closed_by_peer

T = TypeVar("T")
CHUNK = 64 * 1024
FOREVER = 0.0


class Connection:
    def __init__(self, path: str, session: ClientSession, attempts: Attempts) -> None:
        self._session = session
        self._pushed: deque[EventView] = deque()
        self._limit = FOREVER
        self.spoilt = False  # an answer may still be on its way, so the next one could be taken for it
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._wait_at_most(attempts.remaining)
            self._socket.connect(path)
            check_peer(self._socket, path)
            self.welcome = self._greet(attempts)
        except BaseException:
            self.close()
            raise

    @property
    def doubt(self) -> str | None:
        return self._session.doubt

    def _greet(self, attempts: Attempts) -> Welcome:
        try:
            welcome: Welcome = self._exchange(*self._session.hello(), attempts)
        except BlockingIOError as error:
            raise OSError(errno.ETIMEDOUT, "it accepts connections but does not answer") from error
        return welcome

    def ask(self, call: Call[T], attempts: Attempts) -> T:
        try:
            value: T = self._exchange(*self._session.ask(call), attempts)
        except BlockingIOError as error:
            raise attempts.overdue(call) from error
        return value

    def _exchange(self, number: int, data: bytes, attempts: Attempts) -> Any:
        self._wait_at_most(attempts.remaining)
        self.spoilt = True
        self._socket.sendall(data)
        while True:
            answer = None
            for item in self._receive():
                if isinstance(item, Pushed):
                    self._pushed.append(item.event)
                else:
                    answer = item
            if answer is not None:
                return self._value(answer, number)
            self._wait_at_most(attempts.remaining)

    def _value(self, answer: Answer | Refusal, number: int) -> Any:
        self.spoilt = answer.id != number
        if isinstance(answer, Refusal):
            raise error_from(answer.error)
        return answer.value

    def events(self) -> Iterator[EventView]:
        """What the daemon pushes, for as long as the connection lives."""
        self._wait_at_most(FOREVER)
        while True:
            while self._pushed:
                yield self._pushed.popleft()
            for item in self._receive():
                if isinstance(item, Refusal):
                    raise error_from(item.error)
                if isinstance(item, Pushed):
                    self._pushed.append(item.event)

    def _receive(self) -> list[Item]:
        data = self._socket.recv(CHUNK)
        if not data:
            raise closed_by_peer()
        return self._session.receive(data)

    def _wait_at_most(self, seconds: float) -> None:
        if seconds != FOREVER:
            seconds = max(seconds, 0.001)  # the kernel reads zero as "for ever"
        if abs(self._limit - seconds) < 0.01 and self._limit != FOREVER:
            return
        # The kernel keeps this limit itself; a timeout of Python's would cost a poll before every recv.
        limit = struct.pack("ll", int(seconds), int(seconds % 1 * 1_000_000))
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
        self._limit = seconds

    def close(self) -> None:
        self._socket.close()
