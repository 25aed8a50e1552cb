"""The listening side: who may come in, how many at once, and how everybody is seen out."""

import asyncio
import logging
import sys
from collections.abc import Callable
from typing import Any

from reveried.config.schema import ServerLimits
from reveried.errors import Busy, Refused, ReverieError
from reveried.server.connection import Connection
from reveried.server.handlers import App, handlers
from reveried.server.listener import BACKLOG, Listener, peer_allowed
from reveried.server.meter import Meter
from reveried.server.turns import Turns

_log = logging.getLogger(__name__)
DRAIN_SECONDS = 10.0
MAX_UNREAD = 64 * 1024 * 1024
MAX_READ = 256 * 1024
# From 3.13 on asyncio would unlink the socket itself, also one that belongs to systemd.
_KEEP_THE_SOCKET: dict[str, Any] = {"cleanup_socket": False} if sys.version_info >= (3, 13) else {}


class Server:
    def __init__(self, limits: Callable[[], ServerLimits]) -> None:
        self._limits = limits
        self.meter = Meter()
        self._connections: set[Connection] = set()
        self.turns = Turns()
        self.arrivals = memoryview(bytearray(MAX_READ))
        self._server: asyncio.Server | None = None

    @property
    def connections(self) -> int:
        return len(self._connections)

    async def start(self, listener: Listener, app: App) -> None:
        table = handlers(app)
        self._server = await asyncio.get_running_loop().create_unix_server(
            lambda: Connection(
                table,
                app.histories,
                app.progress,
                self.meter,
                self._limits,
                self,
                app.noticed,
                app.doubt,
                app.named,
            ),
            # asyncio closes what it is given; the listener needs its own until it has removed the path.
            sock=listener.socket.dup(),
            backlog=BACKLOG,
            **_KEEP_THE_SOCKET,
        )

    def admit(self, connection: Connection) -> ReverieError | None:
        if not peer_allowed(connection.transport.get_extra_info("socket")):
            _log.warning("another user's connection was refused")
            return Refused("this daemon serves its own user only")
        if len(self._connections) >= self._limits().max_connections and not self._place_made():
            return Busy("too many connections", hint="close one, or raise server.max_connections")
        self._connections.add(connection)
        return None

    def _place_made(self) -> bool:
        """Agents stay connected for hours and say little: the one that was silent the longest makes room."""
        silent = {one: since for one in self._connections if (since := one.silent_since) is not None}
        longest = min(silent, key=lambda one: silent[one], default=None)
        now = asyncio.get_running_loop().time()
        if longest is None or now - silent[longest] < self._limits().idle_grace:
            return False
        self._connections.discard(longest)
        longest.give_way()
        return True

    def forget(self, connection: Connection) -> None:
        self._connections.discard(connection)

    def make_room(self) -> None:
        """Each may leave a few answers unread; what all of them leave together has a limit of its own."""
        if sum(connection.unread_bytes for connection in self._connections) > MAX_UNREAD:
            max(self._connections, key=lambda connection: connection.unread_bytes).cut_off()

    async def stop(self, patience: float = DRAIN_SECONDS) -> None:
        """No new clients; the requests of the present ones are answered first, within reason."""
        if self._server is not None:
            self._server.close()
        leaving = [asyncio.ensure_future(connection.drain()) for connection in self._connections]
        if leaving:
            await asyncio.wait(leaving, timeout=patience)
        for connection in list(self._connections):
            connection.transport.abort()
