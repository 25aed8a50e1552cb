"""What happened, in one sentence an event: who did what to which memory. A type without a sentence gets a plain one."""

from reverie.cli.console import visible
from reverie.cli.phrases import NAMED, Payload, Tell, because, id_of, ids, quote, subject, who
from reverie.cli.telling_together import TOGETHER
from reverie.cli.written import SETTLED
from reverie.protocol.results import EventView

LONGEST = 60


def sentence(event: EventView, longest: int = LONGEST) -> str:
    """The whole sentence but for the moment; `longest` is how much of a memory's words it may quote."""
    if event.payload is None:
        return visible(f"{who(event)} {_plain_type(event)} {subject(event)} (its words were erased since)")
    tell = SENTENCES.get(event.type, _anything)
    return visible(tell(event, event.payload, longest)).rstrip()


def _did(verb: str, after: str = "") -> Tell:
    """`ada pinned [id:3]`: the shape of most sentences."""

    def tell(event: EventView, payload: Payload, longest: int) -> str:
        return f"{who(event)} {verb} {subject(event)}{after}{because(payload)}"

    return tell


def _stored(event: EventView, payload: Payload, longest: int) -> str:
    speaker = f", said by {payload['speaker']}" if payload.get("speaker") else ""
    return f"{who(event)} stored {subject(event)} {quote(payload.get('content', ''), longest)}{speaker}"


def _imported(event: EventView, payload: Payload, longest: int) -> str:
    state = payload.get("state", "active")
    return f"{subject(event)} brought its past along: {state}, read {_times(payload.get('access_count', 0))}"


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")


def _updated(event: EventView, payload: Payload, longest: int) -> str:
    if "content" in payload:
        return f"{who(event)} rewrote {subject(event)} as {quote(payload['content'], longest)}"
    names = {"tags_manual": "tags", "title": "title", "importance": "importance", "metadata": "metadata"}
    changed = [name for field, name in names.items() if field in payload]
    return f"{who(event)} changed the {' and '.join(changed) or 'record'} of {subject(event)}"


def _reinforced(event: EventView, payload: Payload, longest: int) -> str:
    return f"{who(event)} found {subject(event)} useful ({payload.get('amount', 0):+d})"


def _demoted(event: EventView, payload: Payload, longest: int) -> str:
    return f"{who(event)} found {subject(event)} useless ({payload.get('amount', 0):+d})"


def _recalled(event: EventView, payload: Payload, longest: int) -> str:
    query = payload.get("query")
    asked = f"recalled {quote(query, longest)}" if isinstance(query, str) and query else "recalled (question erased)"
    return f"{who(event)} {asked} and got {ids(payload.get('ids', ())) or 'nothing'}"


def _accessed(event: EventView, payload: Payload, longest: int) -> str:
    where = " on the timeline" if payload.get("how") == "timeline" else ""
    return f"{who(event)} read {ids(payload.get('ids', ()))}{where}"


def _tagged(event: EventView, payload: Payload, longest: int) -> str:
    return f"{who(event)} tagged {subject(event)} {', '.join(payload.get('tags', ()))}"


def _untagged(event: EventView, payload: Payload, longest: int) -> str:
    return f"{who(event)} took {', '.join(payload.get('tags', ()))} off {subject(event)}"


def _superseded(event: EventView, payload: Payload, longest: int) -> str:
    return f"{id_of(payload.get('by'))} took the place of {subject(event)}{because(payload)}"


def _merged(event: EventView, payload: Payload, longest: int) -> str:
    added = payload.get("added")
    gained = f", which gained {quote(added, longest)}" if isinstance(added, str) and added else ""
    return f"{subject(event)} says what {id_of(payload.get('into'))} says already, and went into it{gained}"


def _erased(event: EventView, payload: Payload, longest: int) -> str:
    return f"{who(event)} erased {subject(event)} for good{because(payload)}"


def _transitioned(event: EventView, payload: Payload, longest: int) -> str:
    those = payload.get("ids", ())
    moved = ids(those) if len(those) <= NAMED else f"{len(those)} memories"
    change = f"from {payload.get('before')} to {payload.get('after')}"
    if payload.get("what") == "tier":
        return f"{who(event)} moved {moved} {change}"
    return f"{moved} went {change}{because(payload)}"


def _received(event: EventView, payload: Payload, longest: int) -> str:
    length = f"{payload.get('length', 0):,} characters"
    return f"{who(event)} handed in {subject(event)} {quote(payload.get('title', ''), longest)}, {length}"


def _continued(event: EventView, payload: Payload, longest: int) -> str:
    return f"{who(event)} handed in part {payload.get('part', 0) + 1} of {subject(event)}"


def _chunked(event: EventView, payload: Payload, longest: int) -> str:
    parts = {"stored": "stored", "duplicates": "known already", "discarded": "not worth keeping"}
    came = ", ".join(f"{payload[name]} {what}" for name, what in parts.items() if payload.get(name))
    return f"{subject(event)} was cut into {payload.get('chunks', 0)} pieces: {came or 'none stored'}"


def _discarded(event: EventView, payload: Payload, longest: int) -> str:
    return f"piece {payload.get('chunk_index', 0) + 1} of {subject(event)} was left out{because(payload)}"


def _detected(event: EventView, payload: Payload, longest: int) -> str:
    outcome = str(payload.get("outcome", ""))
    settled = SETTLED.get(outcome, outcome.replace("_", " "))
    return f"{subject(event)} contradicts {id_of(payload.get('against'))} (conflict {event.seq}): {settled}"


def _resolved(event: EventView, payload: Payload, longest: int) -> str:
    holds = f"{id_of(payload['winner'])} holds" if payload.get("winner") else str(payload.get("mode", ""))
    return f"{who(event)} decided conflict {payload.get('conflict')}: {holds}"


def _configured(event: EventView, payload: Payload, longest: int) -> str:
    changed = payload.get("changed", {})
    named = ", ".join(changed) if isinstance(changed, dict) else ""
    return f"the configuration changed: {quote(named, longest)[1:-1] or 'nothing that matters'}"


def _ran(event: EventView, payload: Payload, longest: int) -> str:
    job = payload.get("job", "a job")
    if payload.get("failed"):
        return f"{job} failed: {payload['failed']}"
    changed = ", ".join(f"{count:,} {what}" for what, count in payload.get("changed", {}).items() if count)
    return f"{job} ran and changed {changed or 'nothing'}"


def _plain_type(event: EventView) -> str:
    """`memory.linked` of a newer daemon reads as `linked`."""
    return event.type.rpartition(".")[2].replace("_", " ")


def _anything(event: EventView, payload: Payload, longest: int) -> str:
    told = [
        f"{name} {', '.join(map(str, value)) if isinstance(value, list) else value}"
        for name, value in payload.items()
        if value not in (None, "", [], {}, False)
    ]
    about = event.type.partition(".")[0]
    words = quote(" · ".join(told), longest)[1:-1]
    return f"{who(event)}: {about} {_plain_type(event)} {subject(event)} {words}"


SENTENCES: dict[str, Tell] = TOGETHER | {
    "memory.stored": _stored,
    "memory.imported": _imported,
    "memory.repeated": _did("said again what", " says"),
    "memory.updated": _updated,
    "memory.reinforced": _reinforced,
    "memory.demoted": _demoted,
    "memory.recalled": _recalled,
    "memory.accessed": _accessed,
    "memory.pinned": _did("pinned"),
    "memory.unpinned": _did("unpinned"),
    "memory.tagged": _tagged,
    "memory.untagged": _untagged,
    "memory.superseded": _superseded,
    "memory.merged": _merged,
    "memory.archived": _did("archived"),
    "memory.restored": _did("restored"),
    "memory.deleted": _did("deleted"),
    "memory.erased": _erased,
    "memory.transitioned": _transitioned,
    "document.received": _received,
    "document.continued": _continued,
    "document.chunked": _chunked,
    "chunk.discarded": _discarded,
    "conflict.detected": _detected,
    "conflict.resolved": _resolved,
    "config.changed": _configured,
    "job.ran": _ran,
}
