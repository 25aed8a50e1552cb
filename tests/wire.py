"""A client with bad manners: it speaks the protocol byte by byte, and says whatever the test wants said."""

import socket
import time
from types import TracebackType
from typing import Any, Self

import msgspec

HELLO = {"op": "hello", "id": 0, "protocol": 1, "client": "test"}


def packed(message: object) -> bytes:
    body = message if isinstance(message, bytes) else msgspec.msgpack.encode(message)
    return len(body).to_bytes(4, "big") + body


class Wire:
    """One raw connection. Every wait ends after `patience` seconds with a TimeoutError."""

    def __init__(self, path: str, *, hello: bool = True, namespace: str = "default", patience: float = 20.0) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(patience)
        self.socket.connect(path)
        self._buffer = b""
        if hello:
            self.welcome = self.ask({**HELLO, "namespace": namespace})

    def send(self, *messages: object) -> None:
        """Each message in a frame of its own; bytes go into the frame as they are."""
        self.socket.sendall(b"".join(map(packed, messages)))

    def send_raw(self, data: bytes) -> None:
        self.socket.sendall(data)

    def receive(self) -> dict[str, Any] | None:
        """The next message, or None when the daemon has closed the connection."""
        while len(self._buffer) < 4 or len(self._buffer) - 4 < int.from_bytes(self._buffer[:4], "big"):
            try:
                data = self.socket.recv(1 << 20)
            except ConnectionResetError:
                data = b""
            if not data:
                return None
            self._buffer += data
        end = 4 + int.from_bytes(self._buffer[:4], "big")
        body, self._buffer = self._buffer[4:end], self._buffer[end:]
        message: dict[str, Any] = msgspec.msgpack.decode(body)
        return message

    def ask(self, message: object) -> dict[str, Any]:
        self.send(message)
        answer = self.receive()
        assert answer is not None, f"the daemon closed the connection on {message!r}"
        return answer

    def until_closed(self) -> float:
        """Seconds until the daemon closes the connection; whatever it still says is dropped."""
        started = time.monotonic()
        while self.receive() is not None:
            pass
        return time.monotonic() - started

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def store(number: int, content: str, **fields: object) -> dict[str, Any]:
    key = fields.pop("key", None)
    return {"op": "store", "id": number, "key": key, "memory": {"content": content, **fields}}
