"""The same memory served with the official SDK; run by `bench.mcp` with an interpreter that has it."""

from typing import Any

import msgspec
from mcp.server import MCPServer  # type: ignore[import-not-found,unused-ignore]

from reverie import Client

server = MCPServer("reverie-by-sdk")
memory = Client()


@server.tool()
def memory_search(query: str, limit: int | None = None) -> dict[str, Any]:
    """Find the memories that answer a question, best first."""
    found: dict[str, Any] = msgspec.to_builtins(memory.recall(query, limit=limit))
    return found


@server.tool()
def memory_save(content: str, tags: list[str] | None = None) -> dict[str, Any]:
    """Remember one thing for later conversations."""
    written: dict[str, Any] = msgspec.to_builtins(memory.store(content, tags=tags or ()))
    return written


server.run()
