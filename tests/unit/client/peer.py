"""A daemon of a few lines: it greets, notes what it is asked, and answers as the test scripts it."""

import contextlib
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from reverie.protocol.framing import FrameReader, frame
from reverie.protocol.results import Welcome, Written

Asked = dict[str, Any]
HANG_UP = object()
SILENCE = object()


def ok(request: Asked, result: Any) -> dict[str, Any]:
    return {"id": request["id"], "ok": True, "result": result}


def refused(request: Asked, code: str, message: str = "no", **more: Any) -> dict[str, Any]:
    return {"id": request["id"], "ok": False, "error": {"code": code, "message": message, **more}}


def written(request: Asked, memory: int = 1, outcome: str = "done") -> dict[str, Any]:
    return ok(request, Written(id=memory, outcome=outcome, seq=memory))


def event(subscription: int, seq: int) -> dict[str, Any]:
    fields = {"seq": seq, "at": 0, "type": "memory.pinned", "namespace": "default", "subject": 1, "actor": "test"}
    return {"id": subscription, "event": {**fields, "payload": {}}}


class Peer:
    """`answer` gets each request and returns a reply, HANG_UP, SILENCE, or a list of what to do."""

    def __init__(self, directory: Path, answer: Callable[[Asked], Any]) -> None:
        self.path = str(directory / "peer.sock")
        self.asked: list[Asked] = []
        self.greeted: list[Asked] = []
        self.connections = 0
        self._answer = answer
        self._news = threading.Condition()
        self._open: list[socket.socket] = []
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(self.path)
        self._listener.listen(16)
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def _accept(self) -> None:
        while True:
            try:
                channel, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(channel)
            thread = threading.Thread(target=self._serve, args=(channel,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, channel: socket.socket) -> None:
        reader = FrameReader()
        with channel, contextlib.suppress(OSError):
            while data := channel.recv(65536):
                for body in reader.feed(data):
                    replies = self._reply(msgspec.msgpack.decode(body))
                    said = [frame(msgspec.msgpack.encode(reply)) for reply in replies if reply is not HANG_UP]
                    channel.sendall(b"".join(said))
                    if HANG_UP in replies:
                        return

    def _reply(self, request: Asked) -> list[Any]:
        if request["op"] == "hello":
            self.greeted.append(request)
            limits = {"max_in_flight": 4}
            return [
                ok(request, Welcome(server="peer", protocol=1, namespace="x", head=0, capabilities=[], limits=limits))
            ]
        with self._news:
            self.asked.append(request)
            self._news.notify_all()
        reply = self._answer(request)
        if reply is SILENCE:
            return []
        return reply if isinstance(reply, list) else [reply]

    def until_asked(self, times: int) -> None:
        with self._news:
            assert self._news.wait_for(lambda: len(self.asked) >= times, timeout=10)

    def hang_up(self) -> None:
        """End every connection there is; new ones are welcome."""
        for channel in self._open:
            with contextlib.suppress(OSError):
                channel.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.hang_up()
        for thread in self._threads:
            thread.join(5)
