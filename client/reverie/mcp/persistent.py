"""A client that starts the daemon where nobody answers."""

import errno
import threading
from typing import TypeVar

from reverie.client import Client
from reverie.connection import Connection
from reverie.errors import DaemonUnavailable
from reverie.protocol.session import Call
from reverie.retry import Attempts

T = TypeVar("T")


class PersistentClient(Client):
    """`turn` is shared by the clients of one process: the first one starts the daemon, the others wait for it."""

    def __init__(self, socket: str, namespace: str, timeout: float, turn: threading.Lock) -> None:
        super().__init__(socket, namespace=namespace, name="mcp", timeout=timeout)
        self._waking = turn
        self._met = False

    def call(self, call: Call[T]) -> T:
        call = self._keys.keyed(call)  # before the first try, so that a second one cannot happen twice
        try:
            return super().call(call)
        except DaemonUnavailable:
            if not self._met:
                raise
            # It was there and did not come back by itself.
            self._met = False
            return super().call(call)

    def _open(self, attempts: Attempts) -> Connection:
        try:
            connection = super()._open(attempts)
        except OSError as error:
            if self._met or error.errno not in (errno.ENOENT, errno.ECONNREFUSED):
                raise
            self._wake()
            connection = super()._open(attempts)
        self._met = True
        return connection

    def _wake(self) -> None:
        from reverie.mcp.waking import wake

        with self._waking:
            wake(self.socket)
