"""The memory of the agents on one machine. `Client` and `AsyncClient` talk to the daemon; nothing loads before use."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from reverie.aio import AsyncClient
    from reverie.client import Client
    from reverie.errors import DaemonUnavailable, NotFound, ReverieError
    from reverie.protocol.requests import Draft

__version__ = "0.1.0"
__all__ = ["AsyncClient", "Client", "DaemonUnavailable", "Draft", "NotFound", "ReverieError", "__version__"]

# An agent that only wants the blocking client must not pay for asyncio, so names are looked up when asked for.
_HOMES = {
    "AsyncClient": "reverie.aio",
    "Client": "reverie.client",
    "DaemonUnavailable": "reverie.errors",
    "Draft": "reverie.protocol.requests",
    "NotFound": "reverie.errors",
    "ReverieError": "reverie.errors",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'reverie' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
