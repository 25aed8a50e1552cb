"""Memories as resources: `memory://12`, newest first, a page at a time; and where things stand."""

import re
from typing import Final

from reverie.client import Client
from reverie.errors import NotFound, ReverieError
from reverie.mcp.eras import not_found
from reverie.mcp.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, Message, RpcError
from reverie.mcp.shapes import iso
from reverie.mcp.wording import narrated
from reverie.protocol.results import MemoryView

PAGE: Final = 50
TEMPLATES: Final[Message] = {
    "resourceTemplates": [
        {
            "uriTemplate": "memory://{id}",
            "name": "memory",
            "title": "A memory",
            "description": "The words of one memory, by the number that stands in [id:N]",
            "mimeType": "text/plain",
        }
    ]
}
LATEST: Final = "memory://narrative/latest"
_NARRATIVE: Final[Message] = {
    "uri": LATEST,
    "name": "narrative",
    "title": "Where things stand",
    "description": "The latest narrative: what to take up again, written at the end of earlier work",
    "mimeType": "text/plain",
}
_URI = re.compile(r"memory://([0-9]{1,18})/?")


def listed(params: Message, client: Client) -> Message:
    cursor = params.get("cursor")
    if cursor is not None and not (isinstance(cursor, str) and re.fullmatch("[0-9]{1,18}", cursor)):
        raise RpcError(INVALID_PARAMS, "cursor is what nextCursor was", {"field": "cursor"})
    try:
        page = client.list(limit=PAGE, before=int(cursor) if cursor else None)
    except ReverieError as error:
        raise unanswered(error) from error
    first = [_NARRATIVE] if cursor is None else []
    resources: Message = {"resources": [*first, *(_entry(memory) for memory in page.memories)]}
    return resources if page.next is None else resources | {"nextCursor": page.next}


def _entry(memory: MemoryView) -> Message:
    return {
        "uri": f"memory://{memory.id}",
        "name": f"memory-{memory.id}",
        "title": memory.title,
        "description": memory.kind,
        "mimeType": "text/plain",
        "annotations": {"priority": memory.importance, "lastModified": iso(memory.updated_at)},
    }


def was_read(params: Message, client: Client, *, modern: bool) -> Message:
    uri = params.get("uri")
    if not isinstance(uri, str):
        raise RpcError(INVALID_PARAMS, "uri is a string such as memory://12", {"field": "uri"})
    if uri == LATEST:
        return _contents(uri, _latest(client))
    named = _URI.fullmatch(uri)
    if named is None:
        raise not_found(uri, modern=modern)
    try:
        memory = client.get(int(named[1]))
    except NotFound as error:
        raise not_found(uri, modern=modern) from error
    except ReverieError as error:
        raise unanswered(error) from error
    return _contents(uri, memory.content)


def _latest(client: Client) -> str:
    """Nothing written yet is an answer, not an error: whoever recovers a session asks before there is one."""
    try:
        found = client.narratives().narratives
    except ReverieError as error:
        raise unanswered(error) from error
    return narrated(found[0]) if found and not found[0].erased else "No narrative has been written yet."


def _contents(uri: str, text: str) -> Message:
    return {"contents": [{"uri": uri, "mimeType": "text/plain", "text": text}]}


def unanswered(error: ReverieError) -> RpcError:
    """The daemon's refusal where there is no tool result to carry it."""
    message = f"{error.message}; {error.hint}" if error.hint else error.message
    return RpcError(INTERNAL_ERROR, message, {"code": error.code, "hint": error.hint, "retryable": error.retryable})
