"""The record, and how each event changes it. Live state is a fold of `evolve` over the log, and nothing else."""

from typing import Any, Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from reveried.domain.events import (
    ConflictDetected,
    ConflictResolved,
    DocumentReceived,
    MemoryAccessed,
    MemoryArchived,
    MemoryDeleted,
    MemoryDemoted,
    MemoryErased,
    MemoryImported,
    MemoryMerged,
    MemoryPinned,
    MemoryRecalled,
    MemoryReinforced,
    MemoryRepeated,
    MemoryRestored,
    MemoryStored,
    MemorySuperseded,
    MemoryTagged,
    MemoryTransitioned,
    MemoryUnpinned,
    MemoryUntagged,
    MemoryUpdated,
    Recorded,
)
from reveried.domain.understanding.text import content_hash

T = TypeVar("T")
# Between a memory's own words and those that were merged into it.
SEAM = "\n"
SYSTEM_OF_KIND = {
    "identity": "semantic",
    "relationship": "semantic",
    "fact": "semantic",
    "decision": "semantic",
    "document": "semantic",
    "preference": "procedural",
    "event": "episodic",
    "activity": "episodic",
    "plan": "episodic",
    "context": "working",
    "ephemeral": "working",
}
KINDS = tuple(SYSTEM_OF_KIND)
SYSTEMS = ("semantic", "procedural", "episodic", "working")
STATES = ("active", "stale", "archived", "deleted")
LIVE_STATES = ("active", "stale")
# The hash of a document begins like this: its words are not those of a memory, even if there is only one chunk.
DOCUMENT_HASH = "document:"
FLAGGED: Literal["flagged"] = "flagged"
ASK = "ask"


class Memory(Struct, frozen=True):
    """One memory as it stands after event `seq`. Times are microseconds since the epoch."""

    id: int
    seq: int
    namespace: str
    content: str
    title: str
    summary: str | None
    kind: str
    importance: float
    confidence: float
    score: int
    access_count: int
    last_accessed_at: int | None
    pinned: bool
    priority: float | None
    source: str
    source_ref: str | None
    speaker: str | None
    session_id: str | None
    narrative_id: int | None
    task_id: str | None
    parent_id: int | None
    chunk_index: int | None
    tags_auto: tuple[str, ...]
    tags_manual: tuple[str, ...]
    entities: tuple[str, ...]
    state: str
    tier: str
    trust: str
    compressed_into: int | None
    superseded_by: int | None
    content_hash: str
    created_at: int
    updated_at: int
    reinforced_at: int | None
    valid_from: int | None
    valid_to: int | None
    expires_at: int | None
    stored_at: int
    stale_since: int | None
    archived_at: int | None
    deleted_at: int | None
    metadata: dict[str, Any]
    # Open conflicts: their number, and the memory on the other side.
    conflicts: tuple[tuple[int, int], ...] = ()
    # Whose sentences stand at the end of the content, and how many characters of it they are.
    absorbed: tuple[tuple[int, int], ...] = ()
    # Every memory this one was ever merged with or held against: they must know when it is erased.
    ties: tuple[int, ...] = ()

    @property
    def conflicted(self) -> bool:
        """Somebody has yet to say whether this or its contrary holds."""
        return bool(self.conflicts)

    @property
    def system(self) -> str:
        return SYSTEM_OF_KIND.get(self.kind, "semantic")

    @property
    def tags(self) -> tuple[str, ...]:
        return united(self.tags_manual, self.tags_auto)

    @property
    def replaced(self) -> bool:
        """Another memory stands for this one: it is not recalled, and its content hash is free again."""
        return self.superseded_by is not None or self.compressed_into is not None

    @property
    def is_document(self) -> bool:
        """The parent of chunks; its own content is only its opening. It is listed and shown, but not recalled."""
        return self.content_hash.startswith(DOCUMENT_HASH)

    def belongs_to(self, document: "Memory") -> bool:
        """Whether it is a chunk of that document. `parent_id` alone may be a number of a caller's own meaning."""
        return (
            document.is_document
            and (self.parent_id, self.namespace) == (document.id, document.namespace)
            and self.chunk_index is not None
            and self.id > document.id
        )

    @property
    def findable(self) -> bool:
        return self.state != "deleted" and not self.replaced

    @property
    def holds_its_hash(self) -> bool:
        return self.state in LIVE_STATES and not self.replaced


def united(first: tuple[T, ...], second: tuple[T, ...]) -> tuple[T, ...]:
    return first if not second else tuple(dict.fromkeys((*first, *second)))


def concerns(recorded: Recorded) -> tuple[int, ...]:
    """The memories an event may change."""
    match recorded.event:
        case MemoryMerged(into=other) | ConflictDetected(against=other):
            return (recorded.subject or 0, other)
        case ConflictResolved(new=new, known=known):
            return (new, known)
        case MemoryErased(others=others):
            return (recorded.subject or 0, *others)
    if recorded.subject is not None:
        return (recorded.subject,)
    match recorded.event:
        case MemoryRecalled(ids=ids) | MemoryAccessed(ids=ids) | MemoryTransitioned(ids=ids):
            return ids
    return ()


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
    return Memory(
        id=recorded.seq,
        seq=recorded.seq,
        namespace=recorded.namespace,
        content=event.content,
        title=event.title,
        summary=event.summary,
        kind=event.kind,
        importance=event.importance,
        confidence=event.confidence,
        score=0,
        access_count=0,
        last_accessed_at=None,
        pinned=event.pinned,
        priority=event.priority,
        source=event.source,
        source_ref=event.source_ref,
        speaker=event.speaker,
        session_id=event.session_id,
        narrative_id=event.narrative_id,
        task_id=event.task_id,
        parent_id=event.parent_id,
        chunk_index=event.chunk_index,
        tags_auto=event.tags_auto,
        tags_manual=event.tags_manual,
        entities=event.entities,
        state="active",
        tier="hot",
        trust=event.trust,
        compressed_into=None,
        superseded_by=None,
        content_hash=event.content_hash,
        created_at=event.created_at,
        updated_at=event.created_at,
        reinforced_at=None,
        valid_from=event.valid_from,
        valid_to=event.valid_to,
        expires_at=event.expires_at,
        stored_at=recorded.at,
        stale_since=None,
        archived_at=None,
        deleted_at=None,
        metadata=event.metadata,
    )


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
            own = {"absorbed": ()} if event.content is not None else {}
            return {**_updated_fields(event), **own, "updated_at": at, "reinforced_at": at}
        case MemoryReinforced(amount=amount):
            return {"score": memory.score + amount, "reinforced_at": at}
        case MemoryDemoted(amount=amount):
            return {"score": memory.score + amount}
        case MemoryPinned():
            return {"pinned": True}
        case MemoryUnpinned():
            return {"pinned": False}
        case MemoryTagged(tags=tags):
            return {"tags_manual": united(memory.tags_manual, tags), "updated_at": at}
        case MemoryUntagged(tags=tags):
            return {**_without_tags(memory, tags), "updated_at": at}
        case MemorySuperseded(by=by):
            return {"superseded_by": by}
        case MemoryMerged() as event:
            return _absorbed(memory, event) if memory.id == recorded.subject else _grown(memory, recorded, event)
        case ConflictDetected(against=against, outcome=outcome):
            other = against if memory.id == recorded.subject else recorded.subject or 0
            flagged = _flagged(memory, recorded.seq, other) if outcome == FLAGGED else {}
            return {"ties": united(memory.ties, (other,)), **flagged}
        case ConflictResolved(conflict=conflict, new=new, known=known, mode=mode):
            other = known if memory.id == new else new
            return _flagged(memory, conflict, other) if mode == ASK else _unflagged(memory, conflict)
        case MemoryErased():
            return _without(memory, recorded.subject or 0)
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


def _read(memory: Memory, at: int) -> dict[str, Any]:
    revived = {"state": "active", "stale_since": None} if memory.state == "stale" else {}
    return {"access_count": memory.access_count + 1, "last_accessed_at": at, **revived}


def _absorbed(memory: Memory, event: MemoryMerged) -> dict[str, Any]:
    return {"compressed_into": event.into, "ties": united(memory.ties, (event.into,))}


def _grown(memory: Memory, recorded: Recorded, event: MemoryMerged) -> dict[str, Any]:
    """The memory that stands for both: more words at its end, more tags, the higher importance, one access more."""
    source, grown = recorded.subject or 0, _read(memory, recorded.at)
    grown |= {"ties": united(memory.ties, (source,)), "tags_manual": united(memory.tags_manual, event.tags)}
    if event.importance is not None:
        grown["importance"] = event.importance
    if event.how == "merged":  # also when the words were redacted since
        grown["updated_at"] = recorded.at
    if event.added:
        tail = f"{SEAM}{event.added}"
        content = f"{memory.content}{tail}"
        grown |= {"content": content, "content_hash": content_hash(content)}
        grown["absorbed"] = (*memory.absorbed, (source, len(tail)))
    return grown


def _without(memory: Memory, gone: int) -> dict[str, Any]:
    """Nothing of an erased memory stays with those it was tied to: not its words, not its conflict."""
    left = {
        "conflicts": tuple(one for one in memory.conflicts if one[1] != gone),
        "ties": tuple(one for one in memory.ties if one != gone),
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


def own_content(memory: Memory) -> str:
    """Its words without those that came from others."""
    return memory.content[: len(memory.content) - sum(length for _, length in memory.absorbed)]


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
}


def _updated_fields(event: MemoryUpdated) -> dict[str, Any]:
    fields = ("content", "content_hash", "title", "tags_manual", "tags_auto", "importance", "metadata", "trust")
    return {field: value for field in fields if (value := getattr(event, field)) is not None}


def _without_tags(memory: Memory, tags: tuple[str, ...]) -> dict[str, Any]:
    return {
        "tags_manual": tuple(tag for tag in memory.tags_manual if tag not in tags),
        "tags_auto": tuple(tag for tag in memory.tags_auto if tag not in tags),
    }
