from typing import Any

import pytest

from reverie.mcp import jsonrpc
from reverie.mcp.jsonrpc import Notification, Refused, Request, RpcError, decoded, incoming


def test_a_message_with_an_id_is_a_request() -> None:
    asked = incoming({"jsonrpc": "2.0", "id": "a", "method": "ping", "params": {"x": 1}})
    assert asked == Request("a", "ping", {"x": 1})


@pytest.mark.parametrize("params", [{}, {"params": None}])
def test_a_message_without_one_is_a_notification(params: dict[str, Any]) -> None:
    assert incoming({"jsonrpc": "2.0", "method": "hi", **params}) == Notification("hi", {})


@pytest.mark.parametrize("answer", [{"result": {}}, {"error": {"code": 1, "message": "no"}}])
def test_an_answer_to_nothing_is_passed_over(answer: dict[str, Any]) -> None:
    assert incoming({"jsonrpc": "2.0", "id": 4, **answer}) is None


@pytest.mark.parametrize(
    ("value", "code", "id_"),
    [
        (7, jsonrpc.INVALID_REQUEST, None),
        ([], jsonrpc.INVALID_REQUEST, None),
        ({"id": 3, "method": "ping"}, jsonrpc.INVALID_REQUEST, 3),
        ({"jsonrpc": "1.0", "id": 3, "method": "ping"}, jsonrpc.INVALID_REQUEST, 3),
        ({"jsonrpc": "2.0", "id": 3}, jsonrpc.INVALID_REQUEST, 3),
        ({"jsonrpc": "2.0", "id": 3, "method": 9}, jsonrpc.INVALID_REQUEST, 3),
        ({"jsonrpc": "2.0", "id": None, "method": "ping"}, jsonrpc.INVALID_REQUEST, None),
        ({"jsonrpc": "2.0", "id": True, "method": "ping"}, jsonrpc.INVALID_REQUEST, None),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, jsonrpc.INVALID_REQUEST, None),
        ({"jsonrpc": "2.0", "id": 3, "method": "ping", "params": [1]}, jsonrpc.INVALID_PARAMS, 3),
    ],
)
def test_what_is_no_request_is_refused_by_its_code(value: Any, code: int, id_: Any) -> None:
    refused = incoming(value)
    assert isinstance(refused, Refused)
    assert (refused.answer["error"]["code"], refused.answer["id"]) == (code, id_)


@pytest.mark.parametrize(
    "line", [b"{", b"nonsense", b"\xff\xfe", b"NaN", b"[1, Infinity]", b"9" * 5000, b"[" * 100_000]
)
def test_a_line_that_is_not_json_is_a_parse_error(line: bytes) -> None:
    with pytest.raises(RpcError) as caught:
        decoded(line)
    assert caught.value.code == jsonrpc.PARSE_ERROR
