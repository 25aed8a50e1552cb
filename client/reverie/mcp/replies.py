"""Where the answer to one message goes: out at once, or together with those of its batch."""

import threading
from collections.abc import Callable
from typing import Protocol

from reverie.mcp.jsonrpc import Message

Send = Callable[[Message | list[Message]], None]


class Sink(Protocol):
    def put(self, reply: Message | None) -> None:
        """Called once for every message; None when it gets no answer."""


class Single:
    def __init__(self, send: Send) -> None:
        self._send = send

    def put(self, reply: Message | None) -> None:
        if reply is not None:
            self._send(reply)


class Batch:
    """Version 2025-03-26 lets a client send an array, and wants one back."""

    def __init__(self, send: Send, expected: int) -> None:
        self._send = send
        self._guard = threading.Lock()
        self._missing = expected
        self._replies: list[Message] = []

    def put(self, reply: Message | None) -> None:
        with self._guard:
            self._missing -= 1
            if reply is not None:
                self._replies.append(reply)
            complete = self._missing == 0 and bool(self._replies)
        if complete:
            self._send(self._replies)
