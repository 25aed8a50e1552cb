"""JSON Schemas of structs, whole in one piece: clients differ in how well they follow references."""

from typing import Any

import msgspec


def schema_of(shape: type[msgspec.Struct]) -> dict[str, Any]:
    (top,), parts = msgspec.json.schema_components([shape], ref_template="{name}")
    schema: dict[str, Any] = _whole(top, parts)
    return schema


def _whole(node: Any, parts: dict[str, Any]) -> Any:
    if isinstance(node, list):
        return [_whole(one, parts) for one in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return _whole(parts[node["$ref"]], parts)
    # The names of our structs mean nothing to a model, and each costs it tokens.
    return {key: _whole(value, parts) for key, value in node.items() if key != "title" or not isinstance(value, str)}
