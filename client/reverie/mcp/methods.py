"""Which method is answered by what: those that need no daemon at once, the others by a worker.

What a method needs is loaded when it is first asked for, so that the handshake waits for nothing.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from reverie.mcp import eras
from reverie.mcp.jsonrpc import METHOD_NOT_FOUND, Message, Request, RpcError

if TYPE_CHECKING:
    from reverie.client import Client

Deferred = Callable[["Client"], Message]


def answer(request: Request) -> Message | Deferred:
    """The result of a request, or what a worker has to do for it; raises RpcError."""
    modern = eras.is_modern(request.method, request.params)
    handler = _METHODS.get(request.method)
    if handler is None:
        raise RpcError(METHOD_NOT_FOUND, f"there is no method {request.method[:80]!r}", {"method": request.method[:80]})
    result = handler(request.params, modern)
    if not callable(result):
        return eras.dressed(request.method, result, modern=modern)
    work = result
    return lambda client: eras.dressed(request.method, work(client), modern=modern)


def _initialize(params: Message, modern: bool) -> Message:
    return eras.initialized(params)


def _discover(params: Message, modern: bool) -> Message:
    return eras.discovered()


def _ping(params: Message, modern: bool) -> Message:
    return {}


def _list_tools(params: Message, modern: bool) -> Message:
    from reverie.mcp.tools import TOOLS

    return {"tools": [tool.described() for tool in TOOLS]}


def _call_tool(params: Message, modern: bool) -> Deferred:
    from reverie.mcp import calling

    calling.chosen(params)
    return lambda client: calling.called(params, client)


def _list_resources(params: Message, modern: bool) -> Deferred:
    from reverie.mcp import resources

    return lambda client: resources.listed(params, client)


def _list_templates(params: Message, modern: bool) -> Message:
    from reverie.mcp.resources import TEMPLATES

    return TEMPLATES


def _read_resource(params: Message, modern: bool) -> Deferred:
    from reverie.mcp import resources

    return lambda client: resources.was_read(params, client, modern=modern)


def _list_prompts(params: Message, modern: bool) -> Message:
    from reverie.mcp.prompts import LISTED

    return LISTED


def _get_prompt(params: Message, modern: bool) -> Deferred:
    from reverie.mcp import prompts

    return lambda client: prompts.got(params, client)


_METHODS: dict[str, Callable[[Message, bool], Message | Deferred]] = {
    "initialize": _initialize,
    "server/discover": _discover,
    "ping": _ping,
    "tools/list": _list_tools,
    "tools/call": _call_tool,
    "resources/list": _list_resources,
    "resources/templates/list": _list_templates,
    "resources/read": _read_resource,
    "prompts/list": _list_prompts,
    "prompts/get": _get_prompt,
}
