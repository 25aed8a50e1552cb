"""How each event changes a record. Live state is a fold of `evolve` over the log, and nothing else."""

from operator import attrgetter
from typing import Any

from msgspec.structs import replace

from reveried.domain.events import (
    ConflictDetected,
    ConflictResolved,
    DocumentReceived,
    MemoryAccessed,
    MemoryArchived,
    MemoryCompressed,
    MemoryDeleted,
    MemoryDemoted,
    MemoryErased,
    MemoryImported,
    MemoryLinked,
    MemoryMerged,
    MemoryPinned,
    MemoryRecalled,
    MemoryReinforced,
    MemoryRepeated,
    MemoryRestored,
    MemoryRetagged,
    MemoryReviewed,
    MemoryStored,
    MemorySummarised,
    MemorySuperseded,
    MemoryTagged,
    MemoryTransitioned,
    MemoryUnlinked,
    MemoryUnpinned,
    MemoryUntagged,
    MemoryUpdated,
    Recorded,
    SessionEnded,
)
from reveried.domain.memory import ASK, COMPRESSED, FLAGGED, SEAM, Memory, own_content, united
from reveried.domain.understanding.text import content_hash


def concerns(recorded: Recorded) -> tuple[int, ...]:
    """The memories an event may change."""
    subject = recorded.subject
    # Most events are about one memory; matching them against every other shape first would cost more than all else.
    if type(recorded.event) not in _ABOUT_SEVERAL:
        return () if subject is None else (subject,)
    match recorded.event:
        case MemoryLinked() | MemoryUnlinked():
            # Links stand beside the records, see `state.links`.
            return ()
        case MemoryMerged(into=other) | ConflictDetected(against=other):
            return (subject or 0, other)
        case ConflictResolved(new=new, known=known):
            return (new, known)
        case MemoryErased(others=others):
            return (subject or 0, *others)
        case MemoryCompressed(ids=ids) | SessionEnded(ids=ids):
            return () if subject is None else (subject, *ids)
    if subject is not None:
        return (subject,)
    match recorded.event:
        case MemoryRecalled(ids=ids) | MemoryAccessed(ids=ids) | MemoryTransitioned(ids=ids):
            return ids
        case MemoryReviewed(ids=ids, what="tags"):
            return ids
    return ()


_ABOUT_SEVERAL = frozenset(
    (
        MemoryLinked, MemoryUnlinked, MemoryMerged, ConflictDetected, ConflictResolved, MemoryErased, MemoryCompressed,
        SessionEnded, MemoryRecalled, MemoryAccessed, MemoryTransitioned, MemoryReviewed,
    )
)  # fmt: skip
# They do nothing but count, so many of them in a row can be counted at once.
_READS = frozenset((MemoryRecalled, MemoryAccessed, MemoryRepeated))


def is_read(recorded: Recorded) -> bool:
    return type(recorded.event) in _READS


def read_often(memory: Memory, times: int, at: int, seq: int) -> Memory:
    """The memory after so many reads in a row: the same as evolving it by each, of which the last is given."""
    return replace(memory, seq=seq, **_read(memory, at, times))


def evolve(memory: Memory | None, recorded: Recorded) -> Memory | None:
    """The memory after this event. An event it has already seen changes nothing, so any redelivery is harmless."""
    event = recorded.event
    if isinstance(event, MemoryStored):
        return memory or _born(recorded, event)
    if isinstance(event, DocumentReceived):
        return memory or _born(recorded, _beginning(event))
    if isinstance(event, MemoryErased) and (memory is None or memory.id == recorded.subject):
        return None
    if memory is None or event is None or recorded.seq <= memory.seq:
        return memory
    return replace(memory, seq=recorded.seq, **_changes(memory, recorded))


def _born(recorded: Recorded, event: MemoryStored) -> Memory:
    # By place and not by name, in the order of the record: with fifty fields that is twice as fast.
    at, created = recorded.at, event.created_at
    values: tuple[Any, ...] = (
        recorded.seq, recorded.seq, recorded.namespace,
        *_said(event),
        0, 0, None,  # score, access_count, last_accessed_at
        *_given(event),
        "active", "hot", event.trust,
        None, None,  # compressed_into, superseded_by
        event.content_hash, created, created,  # created_at, updated_at
        None,  # reinforced_at
        *_valid(event),
        at,  # stored_at
        None, None, None,  # stale_since, archived_at, deleted_at
        event.metadata,
        (), (), (), (),  # conflicts, absorbed, ties, drawn_from
        at,  # tags_at
        (),  # untagged
        event.relations,
    )  # fmt: skip
    return Memory(*values)


_said = attrgetter("content", "title", "summary", "kind", "importance", "confidence")
_given = attrgetter(
    "pinned", "priority", "source", "source_ref", "speaker", "session_id", "narrative_id", "task_id", "parent_id",
    "chunk_index", "tags_auto", "tags_manual", "entities",
)  # fmt: skip
_valid = attrgetter("valid_from", "valid_to", "expires_at")


def _beginning(event: DocumentReceived) -> MemoryStored:
    """A document's record shows how its text begins; the whole of it stays in the log."""
    return MemoryStored(
        content=event.opening,
        title=event.title,
        content_hash=event.text_hash,
        kind="document",
        importance=event.importance,
        confidence=event.confidence,
        created_at=event.created_at,
        source=event.source,
        source_ref=event.source_ref,
        speaker=event.speaker,
        session_id=event.session_id,
        task_id=event.task_id,
        tags_auto=event.tags_auto,
        tags_manual=event.tags_manual,
        trust=event.trust,
        metadata=event.metadata,
    )


def _changes(memory: Memory, recorded: Recorded) -> dict[str, Any]:
    at = recorded.at
    match recorded.event:
        case MemoryRecalled() | MemoryAccessed() | MemoryRepeated():
            return _read(memory, at)
        case MemoryImported() as event:
            return _lived(memory, event)
        case MemoryUpdated() as event:
            # New words are its own, all of them.
            own = {"absorbed": (), "summary": None} if event.content is not None else {}
            read = {"tags_at": at} if event.tags_auto is not None else {}
            return {**_updated_fields(event), **own, **read, "updated_at": at, "reinforced_at": at}
        case MemoryReinforced(amount=amount):
            return {"score": memory.score + amount, "reinforced_at": at}
        case MemoryDemoted(amount=amount):
            return {"score": memory.score + amount}
        case MemoryPinned():
            return {"pinned": True}
        case MemoryUnpinned():
            return {"pinned": False}
        case MemoryTagged(tags=tags):
            left = tuple(tag for tag in memory.untagged if tag not in tags)
            return {"tags_manual": united(memory.tags_manual, tags), "untagged": left, "updated_at": at}
        case MemoryUntagged(tags=tags):
            return {**_without_tags(memory, tags), "updated_at": at}
        case MemorySuperseded(by=by):
            return {"superseded_by": by, "replaced_at": at}
        case MemoryMerged() as event:
            return _absorbed(memory, event, at) if memory.id == recorded.subject else _grown(memory, recorded, event)
        case MemoryCompressed() | SessionEnded() as event:
            return _accounted(memory, recorded, event)
        case MemorySummarised(summary=summary):
            return {"summary": summary}
        case MemoryRetagged(tags_auto=tags):
            return {"tags_auto": tags, "tags_at": at}
        case MemoryReviewed(what="tags"):
            return {"tags_at": at}
        case ConflictDetected(against=against, outcome=outcome):
            other = against if memory.id == recorded.subject else recorded.subject or 0
            flagged = _flagged(memory, recorded.seq, other) if outcome == FLAGGED else {}
            return {"ties": united(memory.ties, (other,)), **flagged}
        case ConflictResolved(conflict=conflict, new=new, known=known, mode=mode):
            other = known if memory.id == new else new
            return _flagged(memory, conflict, other) if mode == ASK else _unflagged(memory, conflict)
        case MemoryErased(released=released):
            freed = memory.id in released and memory.compressed_into == recorded.subject
            return {**_without(memory, recorded.subject or 0), **(_freed(memory) if freed else {})}
        case MemoryArchived():
            return _entering("archived", at)
        case MemoryRestored():
            return {**_RESTORED, "reinforced_at": at}
        case MemoryTransitioned(what="state", after=after):
            return {**_entering(after, at), **(_back(at) if memory.state == "archived" and after == "active" else {})}
        case MemoryTransitioned(what="tier", after=after):
            return {"tier": after}
        case MemoryDeleted():
            return _entering("deleted", at)
    return {}


def _lived(memory: Memory, event: MemoryImported) -> dict[str, Any]:
    """Its life elsewhere in place of the one that begins here; where that knows no time, ours stands."""
    life = {name: getattr(event, name) for name in event.__struct_fields__ if name != "request"}
    return {
        **life,
        "updated_at": memory.updated_at if event.updated_at is None else event.updated_at,
        "stored_at": memory.stored_at if event.stored_at is None else event.stored_at,
    }


def _read(memory: Memory, at: int, times: int = 1) -> dict[str, Any]:
    revived = {"state": "active", "stale_since": None} if memory.state == "stale" else {}
    return {"access_count": memory.access_count + times, "last_accessed_at": at, **revived}


def _absorbed(memory: Memory, event: MemoryMerged, at: int) -> dict[str, Any]:
    return {"compressed_into": event.into, "replaced_at": at, "ties": united(memory.ties, (event.into,))}


def _grown(memory: Memory, recorded: Recorded, event: MemoryMerged) -> dict[str, Any]:
    """The memory that stands for both: more words at its end, more tags, the higher importance, one access more."""
    source = recorded.subject or 0
    # A job that tidies up reads nothing: only what comes again from outside counts as access.
    grown = {} if event.how == COMPRESSED else _read(memory, recorded.at)
    grown |= {"ties": united(memory.ties, (source,)), "tags_manual": united(memory.tags_manual, event.tags)}
    if event.importance is not None:
        grown["importance"] = event.importance
    if event.how in ("merged", COMPRESSED):  # also when the words were redacted since
        grown["updated_at"] = recorded.at
    if event.added:
        tail = f"{SEAM}{event.added}"
        content = f"{memory.content}{tail}"
        grown |= {"content": content, "content_hash": content_hash(content)}
        grown["absorbed"] = (*memory.absorbed, (source, len(tail)))
    return grown


def _accounted(memory: Memory, recorded: Recorded, event: MemoryCompressed | SessionEnded) -> dict[str, Any]:
    """The account knows whom it tells of, and they know the account; compressed ones let it speak for them."""
    account = recorded.subject or 0
    if memory.id == account:
        return {"drawn_from": event.ids, "ties": united(memory.ties, event.ids)}
    compressed = isinstance(event, MemoryCompressed)
    told = {"compressed_into": account, "replaced_at": recorded.at} if compressed else {}
    return {"ties": united(memory.ties, (account,)), **told}


def _without(memory: Memory, gone: int) -> dict[str, Any]:
    """Nothing of an erased memory stays with those it was tied to: not its words, not its conflict."""
    left = {
        "conflicts": tuple(one for one in memory.conflicts if one[1] != gone),
        "ties": tuple(one for one in memory.ties if one != gone),
        "drawn_from": tuple(one for one in memory.drawn_from if one != gone),
    }
    if gone not in dict(memory.absorbed):
        return left
    content = own_content(memory)
    start, kept = len(content), ""
    for source, length in memory.absorbed:
        kept += "" if source == gone else memory.content[start : start + length]
        start += length
    words = content + kept
    parts = tuple(part for part in memory.absorbed if part[0] != gone)
    return {**left, "absorbed": parts, "content": words, "content_hash": content_hash(words)}


def _freed(memory: Memory) -> dict[str, Any]:
    return {"compressed_into": None, "replaced_at": None if memory.superseded_by is None else memory.replaced_at}


def _flagged(memory: Memory, conflict: int, other: int) -> dict[str, Any]:
    return {"conflicts": (*_unflagged(memory, conflict)["conflicts"], (conflict, other))}


def _unflagged(memory: Memory, conflict: int) -> dict[str, Any]:
    return {"conflicts": tuple(one for one in memory.conflicts if one[0] != conflict)}


def _entering(state: str, at: int) -> dict[str, Any]:
    """What a state brings with it. When it was archived stays known of a memory that is deleted afterwards."""
    match state:
        case "stale":
            return {"state": state, "stale_since": at}
        case "archived":
            return {"state": state, "tier": "archive", "archived_at": at, "stale_since": None}
        case "deleted":
            return {"state": state, "deleted_at": at, "stale_since": None}
    return {"state": state, "stale_since": None, "archived_at": None, "deleted_at": None}


def _back(at: int) -> dict[str, Any]:
    # Its clock starts again, or the rule that archived it would do so once more.
    return {"tier": "warm", "reinforced_at": at}


_RESTORED: dict[str, Any] = {
    "state": "active",
    "tier": "warm",
    "stale_since": None,
    "archived_at": None,
    "deleted_at": None,
    "superseded_by": None,
    "compressed_into": None,
    "replaced_at": None,
}


def _updated_fields(event: MemoryUpdated) -> dict[str, Any]:
    fields = ("content", "content_hash", "title", "tags_manual", "tags_auto", "importance", "metadata", "trust")
    return {field: value for field in fields if (value := getattr(event, field)) is not None}


def _without_tags(memory: Memory, tags: tuple[str, ...]) -> dict[str, Any]:
    return {
        "tags_manual": tuple(tag for tag in memory.tags_manual if tag not in tags),
        "tags_auto": tuple(tag for tag in memory.tags_auto if tag not in tags),
        "untagged": united(memory.untagged, tags),
    }
