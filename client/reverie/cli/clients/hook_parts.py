"""Our hooks among those of others: known by the program they run, added at the end, taken out alone."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from reverie.cli.clients import json_edit
from reverie.cli.clients.parts import Part, Wanted
from reverie.cli.clients.refusal import Unusable

_OURS = re.compile(r"(?:^|[/'\"\s])reverie['\"]* hook ")
_EVENTS: Final = {"session-start": "SessionStart", "pre-compact": "PreCompact", "stop": "Stop"}
_CURSOR_EVENTS: Final = {"session-start": "sessionStart", "pre-compact": "preCompact", "stop": "stop"}


def hook_part(file: str, entries: dict[str, Any], version: int | None = None) -> Part:
    def put(text: str) -> str:
        if version is not None and not json_edit.holds(text, ("version",)):
            text = json_edit.put(text, ("version",), version)
        for event, entry in entries.items():
            text = json_edit.append(text, ("hooks", event), entry, _is_ours)
        return text

    def drop(text: str) -> str:
        for event in (*entries, "UserPromptSubmit"):
            text = json_edit.drop_from(text, ("hooks", event), _is_ours)
        return text

    shown: dict[str, Any] = {} if version is None else {"version": version}
    paste = json.dumps(shown | {"hooks": {event: [one] for event, one in entries.items()}}, indent=2)
    return Part(file, put, drop, paste)


def _is_ours(entry: Any) -> bool:
    """Whether an entry runs our program and nothing else, wherever that was installed when it was written."""
    commands = list(_commands(entry))
    ours = [command for command in commands if _OURS.search(command)]
    if ours and len(ours) < len(commands):
        raise Unusable("a hook of reverie stands in one group with others; take it out by hand first")
    return bool(ours)


def _commands(entry: Any) -> Iterator[str]:
    if isinstance(entry, dict):
        yield from [entry["command"]] if isinstance(entry.get("command"), str) else []
        yield from _commands(entry.get("hooks"))
    elif isinstance(entry, list):
        for one in entry:
            yield from _commands(one)


def claude_hooks(file: str, wanted: Wanted, harness: str) -> Part:
    events = _EVENTS | ({"prompt-submit": "UserPromptSubmit"} if wanted.prompts else {})
    entries: dict[str, Any] = {}
    for event, name in events.items():
        run = {"type": "command", "command": wanted.hook(event, harness), "timeout": 5}
        matcher = {"matcher": "startup|resume|clear|compact"} if event == "session-start" else {}
        entries[name] = matcher | {"hooks": [run]}
    return hook_part(file, entries)


def cursor_hooks(file: str, wanted: Wanted) -> Part:
    entries = {name: {"command": wanted.hook(event, "cursor")} for event, name in _CURSOR_EVENTS.items()}
    return hook_part(file, entries, 1)
