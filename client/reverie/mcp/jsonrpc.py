"""JSON-RPC 2.0 as one line of text: what came in, and how an answer is put. No I/O, no knowledge of methods.

With Python's own JSON: a handshake must not wait until msgspec is loaded, which takes as long as all the rest.
"""

import json
from typing import Any, Final, NamedTuple, NoReturn

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603

Id = int | str
Message = dict[str, Any]


class RpcError(Exception):
    """A request that cannot be answered; `data` helps a program, the message a person."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class Request(NamedTuple):
    id: Id
    method: str
    params: Message


class Notification(NamedTuple):
    method: str
    params: Message


class Refused(NamedTuple):
    """What is no request: the error that answers it."""

    answer: Message


Incoming = Request | Notification | Refused | None


def decoded(line: bytes) -> Any:
    """The value of a line; raises RpcError where there is none."""
    try:
        return json.loads(line.decode("utf-8"), parse_constant=_no_number)
    except ValueError as error:  # also of bytes that are no UTF-8, and of numbers without end
        raise RpcError(PARSE_ERROR, f"this line is not JSON: {error}") from error
    except RecursionError as error:
        raise RpcError(PARSE_ERROR, "this line is nested too deeply") from error


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number in JSON")


def incoming(value: Any) -> Incoming:
    """What one message asks for; None when it is an answer to something that was never asked."""
    if not isinstance(value, dict):
        return Refused(failure(None, RpcError(INVALID_REQUEST, "a message is a JSON object")))
    if "method" not in value and ("result" in value or "error" in value):
        return None
    id_ = value.get("id")
    known = id_ if is_id(id_) else None
    problem = _problem(value, known)
    if problem is not None:
        return Refused(failure(known, problem))
    params = value.get("params") or {}
    return Notification(value["method"], params) if known is None else Request(known, value["method"], params)


def _problem(value: Message, known: Id | None) -> RpcError | None:
    if value.get("jsonrpc") != "2.0":
        return RpcError(INVALID_REQUEST, 'a message says "jsonrpc": "2.0"')
    if not isinstance(value.get("method"), str):
        return RpcError(INVALID_REQUEST, "a request names its method as a string")
    if "id" in value and known is None:
        return RpcError(INVALID_REQUEST, "an id is a string or an integer")
    if not isinstance(value.get("params", {}), dict | None):
        return RpcError(INVALID_PARAMS, "params is an object")
    return None


def is_id(value: Any) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


def success(id_: Id, result: Message) -> Message:
    return {"jsonrpc": "2.0", "id": id_, "result": result}


def failure(id_: Id | None, error: RpcError) -> Message:
    body: Message = {"code": error.code, "message": error.message}
    if error.data is not None:
        body["data"] = error.data
    return {"jsonrpc": "2.0", "id": id_, "error": body}


def encoded(message: Message | list[Message]) -> bytes:
    # In ASCII: half of a surrogate pair, which JSON can name and UTF-8 cannot, comes back as it went in.
    return json.dumps(message, separators=(",", ":")).encode("ascii") + b"\n"
