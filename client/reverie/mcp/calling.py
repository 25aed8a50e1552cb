"""One call of a tool: its arguments read, its answer or refusal put as the protocol wants it."""

from typing import Any

from msgspec import to_builtins

from reverie.client import Client
from reverie.errors import ReverieError
from reverie.mcp import arguments as args
from reverie.mcp.jsonrpc import INVALID_PARAMS, Message, RpcError
from reverie.mcp.tools import BY_NAME, Tool

# Where the daemon's name for a field is not the one that the model knows.
_FIELDS = {"memory": "id", "token_budget": "budget"}


def called(params: Message, client: Client) -> Message:
    """A tool's answer; what the daemon or the check of arguments refuses is an answer too, for the model to mend."""
    tool, raw = chosen(params)
    try:
        said = tool.run(args.read(raw, tool.takes), client)
    except ReverieError as error:
        return refused(error)
    told = said.text if client.doubt is None else f"{said.text}\n(doubtful: {client.doubt})"
    return {"content": [_text(told)], "structuredContent": to_builtins(said.structured), "isError": False}


def chosen(params: Message) -> tuple[Tool, dict[str, Any]]:
    name, raw = params.get("name"), params.get("arguments")
    tool = BY_NAME.get(name) if isinstance(name, str) else None
    if tool is None:
        hint = f"there are {', '.join(BY_NAME)}"
        raise RpcError(INVALID_PARAMS, f"there is no tool {str(name)[:80]!r}; {hint}", {"field": "name"})
    if raw is not None and not isinstance(raw, dict):
        raise RpcError(INVALID_PARAMS, "arguments is an object", {"field": "arguments"})
    return tool, raw or {}


def refused(error: ReverieError) -> Message:
    """An error as a model reads it, and the same in parts for a program: no tool's output schema describes it."""
    field = _FIELDS.get(error.field or "", error.field)
    parts = [f"{error.code}: {error.message}"]
    if field:
        parts.append(f"field: {field}")
    if error.hint:
        parts.append(f"hint: {error.hint}")
    detail = {"code": error.code, "message": error.message, "field": field, "hint": error.hint}
    return {
        "content": [_text("\n".join(parts))],
        "isError": True,
        "_meta": {"reverie/error": detail | {"retryable": error.retryable}},
    }


def _text(text: str) -> Message:
    return {"type": "text", "text": text}
