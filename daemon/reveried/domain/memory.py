"""The record, and how each event changes it. Live state is a fold of `evolve` over the log, and nothing else."""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from reveried.domain.events import (
    DocumentReceived,
    MemoryAccessed,
    MemoryArchived,
    MemoryDeleted,
    MemoryDemoted,
    MemoryErased,
    MemoryImported,
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


def united(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return first if not second else tuple(dict.fromkeys((*first, *second)))


def concerns(recorded: Recorded) -> tuple[int, ...]:
    """The memories an event may change."""
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
    if isinstance(event, MemoryErased):
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
            revived = {"state": "active", "stale_since": None} if memory.state == "stale" else {}
            return {"access_count": memory.access_count + 1, "last_accessed_at": at, **revived}
        case MemoryImported() as event:
            return _lived(memory, event)
        case MemoryUpdated() as event:
            return {**_updated_fields(event), "updated_at": at, "reinforced_at": at}
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
