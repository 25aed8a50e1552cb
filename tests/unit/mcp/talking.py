"""A bridge in this process, in front of a scripted daemon, and the lines it says."""

import os
import select
from collections.abc import Callable
from typing import Any

import msgspec

from reverie.client import Client
from reverie.mcp.bridge import Bridge
from reverie.mcp.lines import Output
from reverie.mcp.workers import Workers

ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Talk:
    def __init__(self, connect: Callable[[], Client]) -> None:
        self._reading, self._writing = os.pipe()
        self.workers = Workers(connect)
        self.bridge = Bridge(Output(self._writing), self.workers)
        self._heard = b""

    def say(self, value: Any) -> None:
        self.bridge.take(value if isinstance(value, bytes) else msgspec.json.encode(value))

    def ask(self, method: str, params: Any = None, id: Any = 1) -> Any:
        request = {"jsonrpc": "2.0", "id": id, "method": method}
        self.say(request if params is None else request | {"params": params})
        return self.hear()

    def ask_modern(self, method: str, **params: Any) -> Any:
        return self.ask(method, params | {"_meta": ENVELOPE})

    def call(self, tool: str, **arguments: Any) -> Any:
        return self.ask("tools/call", {"name": tool, "arguments": arguments})["result"]

    def hear(self) -> Any:
        """The next line, waited for."""
        while b"\n" not in self._heard:
            readable, _, _ = select.select([self._reading], [], [], 10)
            assert readable, "the bridge said nothing for ten seconds"
            self._heard += os.read(self._reading, 65536)
        line, _, self._heard = self._heard.partition(b"\n")
        return msgspec.json.decode(line)

    def is_silent(self) -> bool:
        """Whether nothing was said after everything that was asked is done."""
        self.workers.finish()
        readable, _, _ = select.select([self._reading], [], [], 0)
        return not readable and not self._heard

    def close(self) -> None:
        self.workers.finish()
        os.close(self._reading)
        os.close(self._writing)
