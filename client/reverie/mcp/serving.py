"""`reverie mcp` put together: standard input to bridge to workers to daemon, until the input ends."""

import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from reverie import paths
from reverie.mcp.bridge import Bridge
from reverie.mcp.lines import Output, claimed_stdout, lines
from reverie.mcp.workers import Workers

if TYPE_CHECKING:
    from reverie.client import Client


def serve(socket: str | None, namespace: str, timeout: float, *, start: bool) -> int:
    workers = Workers(_connector(socket or paths.socket_path(), namespace, timeout, start=start))
    bridge = Bridge(Output(claimed_stdout()), workers)
    for line in lines(sys.stdin.buffer):
        bridge.take(line)
    workers.finish()
    return 0


def _connector(socket: str, namespace: str, timeout: float, *, start: bool) -> "Callable[[], Client]":
    turn = threading.Lock()

    def connect() -> "Client":
        from reverie.client import Client
        from reverie.mcp.persistent import PersistentClient

        if not start:
            return Client(socket, namespace=namespace, name="mcp", timeout=timeout)
        return PersistentClient(socket, namespace, timeout, turn)

    return connect
