"""Every agent that can be connected: which files make the connection, and what goes into each."""

import json
import os
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from reverie.cli.clients import json_edit, snippet, toml_edit, yaml_edit
from reverie.cli.clients.hook_parts import claude_hooks, cursor_hooks
from reverie.cli.clients.parts import Part, Wanted

NAME: Final = "reverie"


class Agent(NamedTuple):
    title: str
    parts: Callable[[Wanted], list[Part]]
    instructions: str | None
    hint: str | None = None


def _home(*below: str, variable: str | None = None, default: str = "") -> str:
    """Below the directory that the variable names, else below `default` in the home directory."""
    given = os.environ.get(variable, "") if variable else ""
    return os.path.join(given if given.startswith("/") else os.path.join(os.path.expanduser("~"), default), *below)


def _json_server(file: str, path: tuple[str, ...], entry: dict[str, Any]) -> Part:
    nested: Any = entry
    for name in reversed(path):
        nested = {name: nested}
    return Part(
        file,
        lambda text: _with_entry(text, path, entry),
        lambda text: json_edit.drop(text, path),
        json.dumps(nested, indent=2, ensure_ascii=False),
    )


def _with_entry(text: str, path: tuple[str, ...], entry: dict[str, Any]) -> str:
    """What somebody added to an entry that is there already, such as an environment, stays."""
    if not json_edit.holds(text, path):
        return json_edit.put(text, path, entry)
    for key, value in entry.items():
        text = json_edit.put(text, (*path, key), value)
    return text


def _server(wanted: Wanted) -> dict[str, Any]:
    return {"command": wanted.program, "args": wanted.arguments}


def _claude(wanted: Wanted) -> list[Part]:
    state = _home(".claude.json", variable="CLAUDE_CONFIG_DIR")
    settings = _home("settings.json", variable="CLAUDE_CONFIG_DIR", default=".claude")
    server = _json_server(state, ("mcpServers", NAME), {"type": "stdio", **_server(wanted)})
    return [server, *([claude_hooks(settings, wanted, "claude")] if wanted.hooks else [])]


def _codex(wanted: Wanted) -> list[Part]:
    path, entry = ("mcp_servers", NAME), _server(wanted)
    server = Part(
        _home("config.toml", variable="CODEX_HOME", default=".codex"),
        lambda text: toml_edit.put(text, path, entry),
        lambda text: toml_edit.drop(text, path),
        toml_edit.put("", path, entry),
    )
    hooks = _home("hooks.json", variable="CODEX_HOME", default=".codex")
    return [server, *([claude_hooks(hooks, wanted, "codex")] if wanted.hooks else [])]


def _cursor(wanted: Wanted) -> list[Part]:
    server = _json_server(_home("mcp.json", default=".cursor"), ("mcpServers", NAME), _server(wanted))
    hooks = _home("hooks.json", default=".cursor")
    return [server, *([cursor_hooks(hooks, wanted)] if wanted.hooks else [])]


def _gemini(wanted: Wanted) -> list[Part]:
    return [_json_server(_home("settings.json", default=".gemini"), ("mcpServers", NAME), _server(wanted))]


def _openclaw(wanted: Wanted) -> list[Part]:
    given = os.environ.get("OPENCLAW_CONFIG_PATH", "")
    file = given if given.startswith("/") else _home("openclaw.json", default=".openclaw")
    return [_json_server(file, ("mcp", "servers", NAME), _server(wanted))]


def _goose(wanted: Wanted) -> list[Part]:
    path = ("extensions", NAME)
    entry = {
        "enabled": True,
        "type": "stdio",
        "name": NAME,
        "description": "Long-term memory",
        "cmd": wanted.program,
        "args": wanted.arguments,
        "timeout": 60,
    }
    return [
        Part(
            _home("goose", "config.yaml", variable="XDG_CONFIG_HOME", default=".config"),
            lambda text: yaml_edit.put(text, path, entry),
            lambda text: yaml_edit.drop(text, path),
            yaml_edit.put("", path, entry),
        )
    ]


def instructions(file: str) -> Part:
    return Part(file, snippet.put, snippet.drop, snippet.TEXT)


AGENTS: Final[dict[str, Agent]] = {
    "claude": Agent("Claude Code", _claude, ".claude/CLAUDE.md"),
    "codex": Agent(
        "Codex", _codex, ".codex/AGENTS.md", "older Codex runs hooks only with `codex_hooks = true` under [features]"
    ),
    "cursor": Agent("Cursor", _cursor, None),
    "gemini": Agent("Gemini CLI", _gemini, ".gemini/GEMINI.md"),
    "goose": Agent("Goose", _goose, ".config/goose/.goosehints"),
    "openclaw": Agent(
        "OpenClaw", _openclaw, ".openclaw/workspace/AGENTS.md", "`openclaw mcp doctor reverie --probe` tries it"
    ),
}
