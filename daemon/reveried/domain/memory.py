"""The record: what is known of one memory. How events change it is in `evolving`."""

from typing import Any, Literal, TypeVar

from msgspec import Struct

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
# How two memories became one when a job found them alike.
COMPRESSED: Literal["compressed"] = "compressed"


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
    # The memories it is an account of; it holds words of theirs, and goes when one of them is erased.
    drawn_from: tuple[int, ...] = ()
    # When its automatic tags were last read off its words, or looked over.
    tags_at: int = 0
    # Tags that somebody took off: nobody puts them back but by hand.
    untagged: tuple[str, ...] = ()
    # What the caller said of its entities: one, relation, other.
    relations: tuple[tuple[str, str, str], ...] = ()
    # When another memory came to stand for it here; of one that arrived like that it is not known.
    replaced_at: int | None = None

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


def own_content(memory: Memory) -> str:
    """Its words without those that came from others."""
    return memory.content[: len(memory.content) - sum(length for _, length in memory.absorbed)]
