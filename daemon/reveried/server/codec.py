"""Bytes to requests and answers to bytes, with every failure turned into a typed refusal. Nothing here does I/O."""

import re
from typing import Any, Union

import msgspec

from reverie.protocol.framing import HEADER
from reverie.protocol.limits import MAX_FRAME
from reverie.protocol.requests import REQUESTS, Request, op_of
from reverie.protocol.results import EventView
from reverie.protocol.shape import BadShape, check_shape
from reverie.protocol.wire import ErrorBody
from reveried.domain.understanding.secrets import redact
from reveried.errors import InvalidRequest, ReverieError, TooLarge, UnknownOp

_decode = msgspec.msgpack.Decoder(Union[REQUESTS]).decode  # noqa: UP007 (the members are known only at run time)
_encode = msgspec.msgpack.Encoder().encode
_OPS = tuple(op_of(request) for request in REQUESTS)
# A text that is not UTF-8 raises an error that is none of msgspec's own.
_UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError)
_PLACE = re.compile(r" - at `\$\.?([^`]*)`$")


class _Header(msgspec.Struct):
    id: Any = None
    op: Any = None


class Undecodable(Exception):
    """A body that is no request; `id` is that of the request where it could be read."""

    def __init__(self, id_: int | None, error: ReverieError, *, hopeless: bool = False) -> None:
        super().__init__(error.message)
        self.id = id_
        self.error = error
        self.hopeless = hopeless


def decode_request(body: bytes) -> Request:
    try:
        check_shape(body)
    except BadShape as bad:
        raise Undecodable(None, InvalidRequest(f"not a message: {bad}"), hopeless=True) from None
    try:
        request: Request = _decode(body)
    except _UNREADABLE as error:
        raise _explained(body, str(error)) from None
    return request


def _explained(body: bytes, complaint: str) -> Undecodable:
    try:
        header = msgspec.msgpack.decode(body, type=_Header)
    except _UNREADABLE:
        return Undecodable(None, InvalidRequest(f"not a request: {complaint}", hint="a map with `op` and `id`"))
    id_ = header.id if isinstance(header.id, int) else None
    if not isinstance(header.op, str) or header.op not in _OPS:
        name = repr(header.op)[:64]
        return Undecodable(id_, UnknownOp(f"there is no operation {name}", field="op", hint=", ".join(_OPS)))
    place = _PLACE.search(complaint)
    field = place.group(1) if place else None
    return Undecodable(id_, InvalidRequest(_PLACE.sub("", complaint), field=field or None))


def encode_result(id_: int, result: Any, doubt: str | None = None) -> bytes:
    answer = {"id": id_, "ok": True, "result": result}
    frame = _framed(answer if doubt is None else {**answer, "doubt": doubt})
    if len(frame) > MAX_FRAME + HEADER:
        return encode_error(id_, TooLarge("the answer does not fit one frame", hint="ask for fewer with `limit`"))
    return frame


def encode_error(id_: int | None, error: ReverieError) -> bytes:
    # A refusal quotes what was wrong, and ends up in the logs of whoever asked.
    body = ErrorBody(
        code=error.code,
        message=redact(error.message).text,
        field=error.field and redact(error.field).text,
        hint=error.hint,
        retryable=error.retryable,
    )
    return _framed({"id": id_, "ok": False, "error": body})


def encode_event(subscription: int, event: EventView) -> bytes:
    return _framed({"id": subscription, "event": event})


def _framed(message: dict[str, Any]) -> bytes:
    body = _encode(message)
    return len(body).to_bytes(HEADER, "big") + body
