"""Run with an interpreter that has the official SDK: speaks to the bridge as any client built on it would.

Arguments: the mode (auto, legacy) and the command of the bridge. Prints one JSON object of what it saw.
"""

import asyncio
import json
import os
import sys
from typing import Any

from mcp import Client, MCPError  # type: ignore[import-not-found,unused-ignore]
from mcp.client.stdio import StdioServerParameters  # type: ignore[import-not-found,unused-ignore]


async def main(mode: str, command: list[str]) -> dict[str, Any]:
    server = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    seen: dict[str, Any] = {}
    async with Client(server, mode=mode) as client:
        seen["version"] = client.protocol_version
        tools = (await client.list_tools()).tools
        seen["tools"] = [tool.name for tool in tools]
        seen["hints"] = {tool.name: tool.annotations.read_only_hint for tool in tools}
        # The SDK checks structured content against the output schema, and raises where they differ.
        saved = await client.call_tool("memory_save", {"content": "The gate code is heron 42", "tags": ["gate"]})
        seen["saved"] = [saved.is_error, saved.structured_content]
        id_ = saved.structured_content["id"]
        seen["texts"] = {}
        for name, arguments in {
            "memory_search": {"query": "gate code"},
            "memory_get": {"id": id_},
            "memory_update": {"id": id_, "content": "The gate code is heron 43"},
            "memory_reinforce": {"id": id_},
            "memory_demote": {"id": id_},
            "memory_context": {"task": "the gate code", "budget": 200},
            "memory_why": {"query": "gate code", "id": id_},
        }.items():
            result = await client.call_tool(name, arguments)
            seen["texts"][name] = [result.is_error, result.content[0].text]
        bad = await client.call_tool("memory_search", {"query": "x", "limit": 0})
        seen["bad_input"] = [bad.is_error, bad.meta["reverie/error"]["field"]]
        missing = await client.call_tool("memory_get", {"id": 999_999})
        seen["missing"] = [missing.is_error, missing.meta["reverie/error"]["code"]]
        seen["resource"] = (await client.read_resource(f"memory://{id_}")).contents[0].text
        seen["templates"] = [t.uri_template for t in (await client.list_resource_templates()).resource_templates]
        seen["resources"] = [str(one.uri) for one in (await client.list_resources()).resources]
        seen["prompt"] = (await client.get_prompt("with_memory", {"task": "open the gate"})).messages[0].content.text
        for name, call in {
            "no_tool": lambda: client.call_tool("memory_sing", {}),
            "no_resource": lambda: client.read_resource("memory://999999"),
            "no_prompt": lambda: client.get_prompt("sing", {}),
        }.items():
            try:
                await call()
            except MCPError as error:
                seen[name] = error.code
        many = await asyncio.gather(*(client.call_tool("memory_search", {"query": f"gate {n}"}) for n in range(50)))
        seen["at_once"] = sum(not one.is_error for one in many)
        seen["forgot"] = (await client.call_tool("memory_forget", {"id": id_})).content[0].text
    return seen


print(json.dumps(asyncio.run(main(sys.argv[1], sys.argv[2:]))))
