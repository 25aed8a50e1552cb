"""The process that holds the model. One line of JSON names it; then frames: texts in, vectors out, in order."""

import ctypes
import os
import signal
import socket
import sys
from functools import partial
from types import TracebackType

# Before numpy is loaded: a second thread for a small product costs more than it gains.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Whatever a model's directory asks for, nothing is fetched: only `reverie model pull` does that.
os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", TOKENIZERS_PARALLELISM="false")

import msgspec

from reveried.embed.errors import ModelRefused
from reveried.embed.frames import HEADER, Given, Said, framed
from reveried.embed.resolve import Model

PR_SET_PDEATHSIG = 1


def main() -> None:
    """`python -m reveried.embed.worker FD MODEL`: the inherited socket, and the model as JSON."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    channel = socket.socket(fileno=int(sys.argv[1]))
    # The libraries below raise whatever they like; nothing of it can be mended here, so it ends the process.
    sys.excepthook = partial(_last_words, channel)
    model = msgspec.json.decode(sys.argv[2], type=Model)
    from reveried.embed.runtimes import load

    embed = load(model)
    channel.sendall(framed(Said(ready=True)))
    while (given := _receive(channel)) is not None:
        channel.sendall(framed(Said(vectors=[row.tobytes() for row in embed(given.texts)])))


def _last_words(
    channel: socket.socket, kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    known = isinstance(error, ModelRefused)
    if not known:
        sys.__excepthook__(kind, error, trace)
    channel.sendall(framed(Said(ended=(str(error) if known else f"{kind.__name__}: {error}")[:500])))


def _receive(channel: socket.socket) -> Given | None:
    header = _exactly(channel, HEADER.size)
    body = _exactly(channel, HEADER.unpack(header)[0]) if header else b""
    return msgspec.msgpack.decode(body, type=Given) if body else None


def _exactly(channel: socket.socket, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        part = channel.recv(size - len(parts))
        if not part:
            return b""
        parts += part
    return bytes(parts)


if __name__ == "__main__":
    main()
