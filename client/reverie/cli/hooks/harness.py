"""What the harnesses call their events, and the form in which each wants its answer. No I/O."""

from typing import Any, Final, Literal, get_args

Event = Literal["session-start", "prompt-submit", "pre-compact", "stop"]
Harness = Literal["claude", "codex", "cursor"]

EVENTS: Final = get_args(Event)
HARNESSES: Final = get_args(Harness)
_SPELLINGS: Final[dict[str, Event]] = {
    "sessionstart": "session-start",
    "promptsubmit": "prompt-submit",
    "userpromptsubmit": "prompt-submit",
    "beforesubmitprompt": "prompt-submit",
    "precompact": "pre-compact",
    "stop": "stop",
}
# Only these two of Claude Code's and Codex's events take context; at the others it is a validation error.
_TAKES_CONTEXT: Final = {"session-start": "SessionStart", "prompt-submit": "UserPromptSubmit"}


def event_named(name: str) -> Event | None:
    """Our name for an event, also by the name that a harness has for it."""
    return _SPELLINGS.get(name.lower().replace("-", "").replace("_", ""))


def answer(event: Event, harness: Harness, context: str) -> dict[str, Any] | None:
    """What to print, or None where silence is the right answer."""
    if harness == "cursor":
        return _for_cursor(event, context)
    if not context or event not in _TAKES_CONTEXT:
        return None
    return {"hookSpecificOutput": {"hookEventName": _TAKES_CONTEXT[event], "additionalContext": context}}


def _for_cursor(event: Event, context: str) -> dict[str, Any]:
    """Cursor parses what it gets as JSON, takes context at the start alone, and asks whether a prompt may go on."""
    if event == "session-start":
        return {"continue": True, "additional_context": context} if context else {"continue": True}
    return {"continue": True} if event == "prompt-submit" else {}
