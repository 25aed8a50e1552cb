"""The process that holds the model. One line of JSON names it; then frames: texts in, vectors out, in order."""

import ctypes
import os
import signal
import socket
import struct
import sys
from typing import Any

# Before numpy is loaded: a second thread for a small product costs more than it gains.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import msgspec

from reveried.embed.errors import ModelRefused
from reveried.embed.resolve import Model

PR_SET_PDEATHSIG = 1
HEADER = struct.Struct(">I")


def main() -> int:
    """`python -m reveried.embed.worker FD MODEL`: the inherited socket, and the model as JSON."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    channel = socket.socket(fileno=int(sys.argv[1]))
    model = msgspec.json.decode(sys.argv[2], type=Model)
    try:
        from reveried.embed.runtimes import load

        embed = load(model)
    except (ModelRefused, ImportError, OSError, ValueError, RuntimeError) as error:
        _send(channel, {"refused": f"{type(error).__name__}: {error}"[:500]})
        return 1
    _send(channel, {"ready": True})
    while (request := receive(channel)) is not None:
        vectors = embed(request["texts"])
        _send(channel, {"vectors": [row.tobytes() for row in vectors]})
    return 0


def _send(channel: socket.socket, message: dict[str, Any]) -> None:
    body = msgspec.msgpack.encode(message)
    channel.sendall(HEADER.pack(len(body)) + body)


def receive(channel: socket.socket) -> dict[str, Any] | None:
    header = _exactly(channel, HEADER.size)
    body = _exactly(channel, HEADER.unpack(header)[0]) if header else b""
    return dict(msgspec.msgpack.decode(body)) if body else None


def _exactly(channel: socket.socket, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        part = channel.recv(size - len(parts))
        if not part:
            return b""
        parts += part
    return bytes(parts)


if __name__ == "__main__":
    sys.exit(main())
