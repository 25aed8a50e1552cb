"""The bridge itself: reads requests, answers or hands them to a worker, forgets those that are cancelled."""

import threading
from typing import TYPE_CHECKING, Any

from reverie.mcp.jsonrpc import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    Id,
    Message,
    Notification,
    Refused,
    Request,
    RpcError,
    decoded,
    encoded,
    failure,
    incoming,
    success,
)
from reverie.mcp.lines import MAX_LINE, Output
from reverie.mcp.methods import Deferred, answer
from reverie.mcp.replies import Batch, Single, Sink
from reverie.mcp.workers import Workers

if TYPE_CHECKING:
    from reverie.client import Client


class Bridge:
    def __init__(self, output: Output, workers: Workers) -> None:
        self._output = output
        self._workers = workers
        self._guard = threading.Lock()
        self._open: set[Id] = set()

    def take(self, line: bytes | None) -> None:
        """One line; None is one that was too long to be read."""
        try:
            if line is None:
                raise RpcError(PARSE_ERROR, f"a line has at most {MAX_LINE:,} bytes")
            value = decoded(line)
        except RpcError as error:
            self._send(failure(None, error))
            return
        if isinstance(value, list) and value:
            batch = Batch(self._send, len(value))
            for one in value:
                self._message(one, batch)
        else:
            self._message(value, Single(self._send))

    def _send(self, message: Message | list[Message]) -> None:
        self._output.write(encoded(message))

    def _message(self, value: Any, sink: Sink) -> None:
        match incoming(value):
            case Request() as request:
                self._request(request, sink)
            case Refused(refusal):
                sink.put(refusal)
            case Notification("notifications/cancelled", params):
                self._cancel(params.get("requestId"))
                sink.put(None)
            case _:
                sink.put(None)

    def _request(self, request: Request, sink: Sink) -> None:
        try:
            result = answer(request)
            if callable(result):
                self._enter(request.id)
        except RpcError as error:
            sink.put(failure(request.id, error))
            return
        if callable(result):
            work = result
            self._workers.give(lambda client: self._work(request.id, work, client, sink))
        else:
            sink.put(success(request.id, result))

    def _work(self, id_: Id, work: Deferred, client: "Client", sink: Sink) -> None:
        if not self._is_open(id_):
            sink.put(None)
            return
        reply = failure(id_, RpcError(INTERNAL_ERROR, "the bridge failed; its standard error says how"))
        try:
            reply = success(id_, work(client))
        except RpcError as error:
            reply = failure(id_, error)
        finally:
            sink.put(reply if self._leave(id_) else None)

    def _enter(self, id_: Id) -> None:
        with self._guard:
            if id_ in self._open:
                raise RpcError(INVALID_REQUEST, f"request {id_!r} is still open; an id is used once")
            self._open.add(id_)

    def _cancel(self, id_: Any) -> None:
        """What is cancelled gets no answer, even if the work for it can no longer be stopped."""
        with self._guard:
            if isinstance(id_, int | str):
                self._open.discard(id_)

    def _is_open(self, id_: Id) -> bool:
        with self._guard:
            return id_ in self._open

    def _leave(self, id_: Id) -> bool:
        with self._guard:
            known = id_ in self._open
            self._open.discard(id_)
            return known
