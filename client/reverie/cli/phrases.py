"""The parts that sentences about events are made of: who, which memories, their words, and why."""

from collections.abc import Callable, Sequence
from typing import Any

from reverie.protocol.results import EventView

NAMED = 6
_REASONS = {
    "retention_recovered": "it is in use again",
    "retention_below_stale": "nobody came back to it",
    "retention_below_archive": "it has faded",
    "stale_too_long": "it was stale for too long",
    "retention_below_delete": "next to nothing was left of it",
    "expired": "its time was up",
    "purge_due": "it was deleted long ago",
    "asked": "",
}

Payload = dict[str, Any]
Tell = Callable[[EventView, Payload, int], str]


def who(event: EventView) -> str:
    return event.actor or "somebody"


def id_of(memory: object) -> str:
    return f"[id:{memory}]"


def ids(memories: Sequence[object]) -> str:
    more = f" and {len(memories) - NAMED} more" if len(memories) > NAMED else ""
    return " ".join(map(id_of, memories[:NAMED])) + more


def subject(event: EventView) -> str:
    return id_of(event.subject) if event.subject is not None else ""


def quote(text: object, longest: int) -> str:
    line = " ".join(str(text).split())
    return f"“{line if len(line) <= longest else line[: max(longest - 1, 1)] + '…'}”"


def because(payload: Payload) -> str:
    reason = str(payload.get("reason") or "")
    said = _REASONS.get(reason, reason)
    return f" ({said})" if said else ""
