"""Every fact that can happen: the table of contents of the product.

An event, once released, is never edited. A new shape is a new tag; the old one stays readable for good, and so does
its golden example in the tests. Anything that depended on a clock, a model or a setting is written into the event.
"""

from typing import Any, ClassVar

from msgspec import Struct


class Event(Struct, frozen=True, kw_only=True, omit_defaults=True):
    type: ClassVar[str]


class AboutMemory(Event, frozen=True):
    """An event whose `subject` is one memory; erasing that memory empties it."""


class MemoryStored(AboutMemory, frozen=True, kw_only=True):
    """A memory begins. Its id is the sequence number of this event."""

    type = "memory.stored"
    content: str
    title: str
    content_hash: str
    kind: str
    importance: float
    confidence: float
    created_at: int
    summary: str | None = None
    priority: float | None = None
    pinned: bool = False
    source: str = "agent"
    source_ref: str | None = None
    speaker: str | None = None
    session_id: str | None = None
    narrative_id: int | None = None
    task_id: str | None = None
    parent_id: int | None = None
    chunk_index: int | None = None
    tags_auto: tuple[str, ...] = ()
    tags_manual: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    trust: str = "normal"
    valid_from: int | None = None
    valid_to: int | None = None
    expires_at: int | None = None
    metadata: dict[str, Any] = {}
    notes: tuple[str, ...] = ()
    request: str = ""
    dedup: bool = True
    on_conflict: str | None = None
    relations: tuple[tuple[str, str, str], ...] = ()


class MemoryImported(AboutMemory, frozen=True, kw_only=True):
    """The life that a memory brought along from elsewhere; it follows the `MemoryStored` that holds its words.

    A time that is None is not known, or never was. `superseded_by` and `compressed_into` are numbers of this log; 0
    stands for a memory that did not come along.
    """

    type = "memory.imported"
    state: str = "active"
    tier: str = "hot"
    score: int = 0
    access_count: int = 0
    last_accessed_at: int | None = None
    updated_at: int | None = None
    reinforced_at: int | None = None
    stored_at: int | None = None
    stale_since: int | None = None
    archived_at: int | None = None
    deleted_at: int | None = None
    superseded_by: int | None = None
    compressed_into: int | None = None
    request: str = ""


class MemoryRepeated(AboutMemory, frozen=True, kw_only=True):
    """The same words came again; the memory that holds them counts as accessed."""

    type = "memory.repeated"
    request: str = ""


class MemoryUpdated(AboutMemory, frozen=True, kw_only=True):
    """The words, title, tags, importance or metadata changed; what is None stayed as it was."""

    type = "memory.updated"
    content: str | None = None
    content_hash: str | None = None
    title: str | None = None
    tags_manual: tuple[str, ...] | None = None
    tags_auto: tuple[str, ...] | None = None
    importance: float | None = None
    metadata: dict[str, Any] | None = None
    trust: str | None = None
    notes: tuple[str, ...] = ()
    request: str = ""


class MemoryReinforced(AboutMemory, frozen=True, kw_only=True):
    """It proved useful: the score rises and the recency clock starts again."""

    type = "memory.reinforced"
    amount: int
    request: str = ""


class MemoryDemoted(AboutMemory, frozen=True, kw_only=True):
    """It proved useless: the score falls; the clock runs on."""

    type = "memory.demoted"
    amount: int
    request: str = ""


class MemoryRecalled(Event, frozen=True, kw_only=True):
    """A recall returned these memories, best first. The query can be redacted when one of them is erased."""

    type = "memory.recalled"
    query: str
    ids: tuple[int, ...]
    profile: str


class MemoryAccessed(Event, frozen=True, kw_only=True):
    """These memories were read by id or on a timeline."""

    type = "memory.accessed"
    ids: tuple[int, ...]
    how: str


class MemoryPinned(AboutMemory, frozen=True, kw_only=True):
    type = "memory.pinned"
    request: str = ""


class MemoryUnpinned(AboutMemory, frozen=True, kw_only=True):
    type = "memory.unpinned"
    request: str = ""


class MemoryTagged(AboutMemory, frozen=True, kw_only=True):
    type = "memory.tagged"
    tags: tuple[str, ...]
    request: str = ""


class MemoryUntagged(AboutMemory, frozen=True, kw_only=True):
    type = "memory.untagged"
    tags: tuple[str, ...]
    request: str = ""


class MemorySuperseded(AboutMemory, frozen=True, kw_only=True):
    """Another memory took its place; this one keeps its history and can be restored."""

    type = "memory.superseded"
    by: int
    reason: str = ""
    request: str = ""


class MemoryMerged(Event, frozen=True, kw_only=True):
    """It says what another memory says already, which stands for both from now on and gains the sentences in `added`.

    Those are words of the subject: they are redacted when it is erased, while the rest stays, for it is what became
    of the other memory.
    """

    type = "memory.merged"
    into: int
    how: str
    added: str
    similarity: float | None = None
    tags: tuple[str, ...] = ()
    importance: float | None = None


class MemoryCompressed(Event, frozen=True, kw_only=True):
    """The subject is an account of these memories of one session, and stands for them from now on.

    `by` names who wrote it: `extractive`, or the model.
    """

    type = "memory.compressed"
    ids: tuple[int, ...]
    session_id: str
    by: str = "extractive"


class MemorySummarised(AboutMemory, frozen=True, kw_only=True):
    """A memory that had no summary got one; `by` is `extractive`, or the model that wrote it."""

    type = "memory.summarised"
    summary: str
    by: str = "extractive"


class MemoryRetagged(AboutMemory, frozen=True, kw_only=True):
    """Its automatic tags were read off its words anew, and came out different."""

    type = "memory.retagged"
    tags_auto: tuple[str, ...]


class MemoryReviewed(Event, frozen=True, kw_only=True):
    """These memories were looked over, and nothing about them had to change; `what` was looked at."""

    type = "memory.reviewed"
    ids: tuple[int, ...]
    what: str


class MemoryArchived(AboutMemory, frozen=True, kw_only=True):
    type = "memory.archived"
    reason: str
    request: str = ""


class MemoryRestored(AboutMemory, frozen=True, kw_only=True):
    """Back to active from stale, archived, deleted or superseded."""

    type = "memory.restored"
    reason: str = ""
    request: str = ""


class MemoryDeleted(AboutMemory, frozen=True, kw_only=True):
    """Softly: restorable until it is purged."""

    type = "memory.deleted"
    reason: str = ""
    request: str = ""


class MemoryErased(Event, frozen=True, kw_only=True):
    """The words are gone from every file; that they were there, and when they went, stays.

    `others` must know of it; those in `released` were told by it, and speak for themselves again.
    """

    type = "memory.erased"
    reason: str = ""
    request: str = ""
    others: tuple[int, ...] = ()
    released: tuple[int, ...] = ()


class MemoryTransitioned(Event, frozen=True, kw_only=True):
    """The state or the tier of some memories changed by rule; `reason` names the rule."""

    type = "memory.transitioned"
    ids: tuple[int, ...]
    what: str
    before: str
    after: str
    reason: str


class DocumentReceived(AboutMemory, frozen=True, kw_only=True):
    """A text of any length came in: a record of kind document begins, and its id is the number of this event.

    `text` is its first part; `parts` tells how many there are. How it will be cut is settled here.
    """

    type = "document.received"
    text: str
    text_hash: str
    length: int
    title: str
    opening: str
    importance: float
    confidence: float
    created_at: int
    profile: str
    most: int
    least: int = 0
    overlap: int = 0
    discard_below: float = 0.0
    parts: int = 1
    source: str = "agent"
    source_ref: str | None = None
    speaker: str | None = None
    session_id: str | None = None
    task_id: str | None = None
    tags_auto: tuple[str, ...] = ()
    tags_manual: tuple[str, ...] = ()
    trust: str = "normal"
    metadata: dict[str, Any] = {}
    notes: tuple[str, ...] = ()
    request: str = ""


class DocumentContinued(AboutMemory, frozen=True, kw_only=True):
    """A further part of a text that is too long for one event; recorded together with the first."""

    type = "document.continued"
    part: int
    text: str


class DocumentChunked(AboutMemory, frozen=True, kw_only=True):
    """Every chunk of a document was stored, found to be known already, or discarded."""

    type = "document.chunked"
    chunks: int
    stored: int
    duplicates: int
    discarded: int
    notes: tuple[str, ...] = ()
    request: str = ""


class ChunkDiscarded(AboutMemory, frozen=True, kw_only=True):
    """A part of a document was not worth a memory of its own. Its words stand in the document, at `position`."""

    type = "chunk.discarded"
    chunk_index: int
    position: int
    length: int
    reason: str
    importance: float
    novelty: float
    salience: float
    request: str = ""


class ConflictDetected(Event, frozen=True, kw_only=True):
    """The subject contradicts another memory. Its number names the conflict; `outcome` says what was done about it."""

    type = "conflict.detected"
    against: int
    rule: str
    confidence: float
    mode: str
    outcome: str
    similarity: float | None = None


class ConflictResolved(Event, frozen=True, kw_only=True):
    """A conflict was closed, or opened again with mode `ask`. `winner` is the memory that holds, if one does."""

    type = "conflict.resolved"
    conflict: int
    new: int
    known: int
    mode: str
    winner: int | None = None
    request: str = ""


class Link(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A link to another memory, and what speaks for it: numbers only, so that an erasure finds no words here.

    Times and counts are of a link that lived elsewhere before; otherwise it begins with its event.
    """

    to: int
    kind: str
    weight: float = 1.0
    confidence: float = 1.0
    tags: int = 0
    entities: int = 0
    cosine: float | None = None
    created_at: int | None = None
    verified_at: int | None = None
    together: int = 0
    affirmed: int = 0


class MemoryLinked(Event, frozen=True, kw_only=True):
    """The subject belongs together with others; a link that was there before is verified, and weighed anew.

    `how` is asked, proposed or verified; of links from elsewhere also recalled or refused, as they were there.
    """

    type = "memory.linked"
    links: tuple[Link, ...]
    how: str
    request: str = ""


class MemoryUnlinked(Event, frozen=True, kw_only=True):
    """These links are gone, each named by its two ends and its kind. What was `asked` for is not proposed again."""

    type = "memory.unlinked"
    links: tuple[tuple[int, int, str], ...]
    reason: str
    request: str = ""


class SessionStarted(Event, frozen=True, kw_only=True):
    """A session begins, or goes on after it had ended."""

    type = "session.started"
    session_id: str
    request: str = ""


class SessionEnded(Event, frozen=True, kw_only=True):
    """A session is over. The subject is the account of it, drawn from these memories; none if nothing was said."""

    type = "session.ended"
    session_id: str
    ids: tuple[int, ...] = ()
    by: str = ""
    request: str = ""


class NarrativeWritten(AboutMemory, frozen=True, kw_only=True):
    """Where things stand, in somebody's own words. Its number is its id, and `previous` the one before it."""

    type = "narrative.written"
    summary: str
    topic: str = ""
    memories: tuple[int, ...] = ()
    previous: int | None = None
    trust: str = "normal"
    notes: tuple[str, ...] = ()
    request: str = ""


class ConfigChanged(Event, frozen=True, kw_only=True):
    type = "config.changed"
    changed: dict[str, Any]


class JobRan(Event, frozen=True, kw_only=True):
    """A job came to its end: what it changed, and why it ran. `scheduled` is the minute it was due at, if it was."""

    type = "job.ran"
    job: str
    started: int
    finished: int
    reason: str
    scheduled: int | None = None
    changed: dict[str, int] = {}
    notes: tuple[str, ...] = ()
    failed: str = ""


# The catalogue. Adding an event is one class above, one line here, one case in `evolving.evolve`.
EVENTS: dict[str, type[Event]] = {
    event.type: event
    for event in (
        MemoryStored, MemoryImported, MemoryRepeated, MemoryUpdated, MemoryReinforced, MemoryDemoted, MemoryRecalled,
        MemoryAccessed, MemoryPinned, MemoryUnpinned, MemoryTagged, MemoryUntagged, MemorySuperseded, MemoryMerged,
        MemoryCompressed, MemorySummarised, MemoryRetagged, MemoryReviewed, MemoryArchived, MemoryRestored,
        MemoryDeleted, MemoryErased, MemoryTransitioned, DocumentReceived, DocumentContinued, DocumentChunked,
        ChunkDiscarded, ConflictDetected, ConflictResolved, MemoryLinked, MemoryUnlinked, SessionStarted, SessionEnded,
        NarrativeWritten, ConfigChanged, JobRan,
    )
}  # fmt: skip


class Recorded(Struct, frozen=True):
    """An event with its place in the log. `event` is None once its payload was erased."""

    seq: int
    at: int
    namespace: str
    subject: int | None
    actor: str
    key: str | None
    type: str
    event: Event | None
