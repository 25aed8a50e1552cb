"""Sentences of what happens to several memories at once: links, accounts, sessions, narratives, and looks at many."""

from reverie.cli.phrases import Payload, Tell, because, id_of, ids, quote, subject, who
from reverie.protocol.results import EventView

_LOOKED_AT = {"tags": "the tags of", "links": "what belongs together with"}


def _linked(event: EventView, payload: Payload, longest: int) -> str:
    others = ids([link["to"] for link in payload.get("links", ())])
    if payload.get("how") == "verified":
        return f"{subject(event)} still belongs together with {others}"
    return f"{who(event)} linked {subject(event)} to {others}"


def _unlinked(event: EventView, payload: Payload, longest: int) -> str:
    pairs = [f"{id_of(one)} and {id_of(other)}" for one, other, _ in payload.get("links", ())]
    more = f" and {len(pairs) - 3} more pairs" if len(pairs) > 3 else ""
    return f"{who(event)} took the link off {', '.join(pairs[:3])}{more}{because(payload)}"


def _reviewed(event: EventView, payload: Payload, longest: int) -> str:
    what = _LOOKED_AT.get(str(payload.get("what")), "")
    return f"{who(event)} looked over {what} {ids(payload.get('ids', ()))}: all stays as it is"


def _compressed(event: EventView, payload: Payload, longest: int) -> str:
    return f"{subject(event)} tells of {ids(payload.get('ids', ()))} from now on (session {payload.get('session_id')})"


def _summarised(event: EventView, payload: Payload, longest: int) -> str:
    return f"{who(event)} summarised {subject(event)} as {quote(payload.get('summary', ''), longest)}"


def _retagged(event: EventView, payload: Payload, longest: int) -> str:
    return f"{who(event)} read the tags of {subject(event)} anew: {', '.join(payload.get('tags_auto', ())) or 'none'}"


def _started(event: EventView, payload: Payload, longest: int) -> str:
    return f"{who(event)} began session {payload.get('session_id')}"


def _ended(event: EventView, payload: Payload, longest: int) -> str:
    told = f", told in {subject(event)}" if payload.get("ids") else ""
    return f"{who(event)} ended session {payload.get('session_id')}{told}"


def _narrated(event: EventView, payload: Payload, longest: int) -> str:
    topic = f" of {payload['topic']}" if payload.get("topic") else ""
    return f"{who(event)} wrote down how things stand{topic}: {quote(payload.get('summary', ''), longest)}"


TOGETHER: dict[str, Tell] = {
    "memory.linked": _linked,
    "memory.unlinked": _unlinked,
    "memory.reviewed": _reviewed,
    "memory.compressed": _compressed,
    "memory.summarised": _summarised,
    "memory.retagged": _retagged,
    "session.started": _started,
    "session.ended": _ended,
    "narrative.written": _narrated,
}
