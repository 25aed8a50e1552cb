"""What a command leads to: the facts to record and the outcome to report, or a typed refusal. Nothing else decides."""

from collections.abc import Sequence

from msgspec import Struct

from reveried.domain.events import (
    AboutMemory,
    ChunkDiscarded,
    ConflictDetected,
    ConflictResolved,
    DocumentChunked,
    DocumentReceived,
    Event,
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
    MemoryReinforced,
    MemoryRepeated,
    MemoryRestored,
    MemoryRetagged,
    MemoryStored,
    MemorySummarised,
    MemorySuperseded,
    MemoryTagged,
    MemoryTransitioned,
    MemoryUnlinked,
    MemoryUnpinned,
    MemoryUntagged,
    MemoryUpdated,
    NarrativeWritten,
    SessionEnded,
    SessionStarted,
)
from reveried.domain.memory import LIVE_STATES, Memory, united
from reveried.domain.policies import ContentLimits, FeedbackPolicy
from reveried.errors import InvalidField, NotFound, WrongState


class Decision(Struct, frozen=True, kw_only=True):
    """Facts about one memory, and what to tell the caller. A new memory gets its number from the log."""

    outcome: str
    subject: int | None = None
    events: tuple[Event, ...] = ()
    notes: tuple[str, ...] = ()
    # What the decision brings with it for other memories.
    others: tuple[tuple[int, Event], ...] = ()


UNCHANGED = "unchanged"


def required(memory: Memory | None, id_: int, namespace: str) -> Memory:
    """The memory, if it is there and of this namespace; another namespace's is as good as absent."""
    if memory is None or memory.namespace != namespace:
        raise NotFound(
            f"there is no memory [id:{id_}] in namespace {namespace!r}",
            field="memory",
            hint="`reverie list` shows what there is; it may live in another namespace, or be erased",
        )
    return memory


def store(stored: MemoryStored, twin: Memory | None) -> Decision:
    if twin is not None:
        return Decision(outcome="duplicate", subject=twin.id, events=(MemoryRepeated(request=stored.request),))
    return Decision(outcome="stored", events=(stored,), notes=stored.notes)


def receive_text(events: tuple[DocumentReceived, *tuple[Event, ...]], twin: Memory | None) -> Decision:
    """A text that is here already changes nothing at all: ingesting again is how one goes on after a failure."""
    if twin is not None:
        return Decision(outcome="duplicate", subject=twin.id)
    return Decision(outcome="received", events=events, notes=events[0].notes)


def receive(
    stored: MemoryStored, life: MemoryImported | None, known: Sequence[Memory], *, dedup: bool = True
) -> Decision:
    """A memory from elsewhere. `known` are those of this namespace, in any state, that hold the same words.

    What was let go of here stays so, unless the newcomer was touched later than that. Nothing counts as access.
    """
    holds = life is None or (life.state in LIVE_STATES and life.superseded_by is None and life.compressed_into is None)
    for memory in known if dedup and holds else ():
        if memory.holds_its_hash or _touched_at(life) <= _let_go_at(memory):
            refuted = memory.state == "deleted" or memory.replaced
            return Decision(outcome="refuted" if refuted else "duplicate", subject=memory.id)
    return Decision(outcome="stored", events=(stored,) if life is None else (stored, life), notes=stored.notes)


def _touched_at(life: MemoryImported | None) -> int:
    return 0 if life is None else max(life.stored_at or 0, life.updated_at or 0, life.reinforced_at or 0)


def _let_go_at(memory: Memory) -> int:
    """For the last time. Of what arrived replaced nobody knows when that was; it was there before, at any rate."""
    known = [at for at in (memory.deleted_at, memory.archived_at, memory.replaced_at) if at is not None]
    return max(known, default=memory.stored_at)


def update(memory: Memory, change: MemoryUpdated, twin: Memory | None) -> Decision:
    present(memory)
    _no_document(memory)
    if twin is not None and twin.id != memory.id:
        raise WrongState(
            f"memory [id:{twin.id}] already holds exactly these words",
            field="content",
            hint=f"supersede [id:{memory.id}] by [id:{twin.id}] instead",
        )
    if all(getattr(change, name) in (None, getattr(memory, name)) for name in _CHANGEABLE):
        return Decision(outcome=UNCHANGED, subject=memory.id)
    return Decision(outcome="updated", subject=memory.id, events=(change,), notes=change.notes)


_CHANGEABLE = ("content", "title", "tags_manual", "tags_auto", "importance", "metadata")


def reinforce(memory: Memory, policy: FeedbackPolicy, request: str) -> Decision:
    present(memory)
    return _one(memory, "reinforced", MemoryReinforced(amount=policy.reinforce, request=request))


def demote(memory: Memory, policy: FeedbackPolicy, request: str) -> Decision:
    present(memory)
    return _one(memory, "demoted", MemoryDemoted(amount=policy.demote, request=request))


def pin(memory: Memory, request: str) -> Decision:
    present(memory)
    if memory.pinned:
        return Decision(outcome=UNCHANGED, subject=memory.id)
    return _one(memory, "pinned", MemoryPinned(request=request))


def unpin(memory: Memory, request: str) -> Decision:
    present(memory)
    if not memory.pinned:
        return Decision(outcome=UNCHANGED, subject=memory.id)
    return _one(memory, "unpinned", MemoryUnpinned(request=request))


def tag(
    memory: Memory, tags: tuple[str, ...], limits: ContentLimits, request: str, twin: Memory | None = None
) -> Decision:
    """A tag set by hand also brings an archived memory back: somebody cares for it."""
    present(memory)
    new = tuple(tag for tag in tags if tag not in memory.tags_manual)
    if not new:
        return Decision(outcome=UNCHANGED, subject=memory.id)
    if len(united(memory.tags_manual, new)) > limits.max_tags:
        raise InvalidField(f"memory [id:{memory.id}] would carry over {limits.max_tags} tags", field="tags")
    return Decision(
        outcome="tagged",
        subject=memory.id,
        events=(MemoryTagged(tags=new, request=request), *_back_from_archive(memory, twin, "manual_tag")),
    )


def untag(memory: Memory, tags: tuple[str, ...], request: str) -> Decision:
    present(memory)
    carried = tuple(tag for tag in tags if tag in memory.tags)
    if not carried:
        return Decision(outcome=UNCHANGED, subject=memory.id)
    return _one(memory, "untagged", MemoryUntagged(tags=carried, request=request))


def supersede(old: Memory, new: Memory, reason: str, request: str) -> Decision:
    present(old)
    present(new)
    if old.id == new.id:
        raise InvalidField("a memory cannot supersede itself", field="new")
    if old.superseded_by == new.id:
        return Decision(outcome=UNCHANGED, subject=old.id)
    for memory, field in ((old, "old"), (new, "new")):
        _no_document(memory)
        if memory.replaced:
            successor = memory.compressed_into if memory.superseded_by is None else memory.superseded_by
            raise WrongState(
                f"memory [id:{memory.id}] has itself been replaced by [id:{successor}]",
                field=field,
                hint="name the memory that holds now, or restore this one first",
            )
    return Decision(
        outcome="superseded",
        subject=old.id,
        events=(MemorySuperseded(by=new.id, reason=reason, request=request),),
        others=ended_conflicts(old),
    )


def archive(memory: Memory, reason: str, request: str) -> Decision:
    present(memory)
    _no_document(memory)
    if memory.state == "archived":
        return Decision(outcome=UNCHANGED, subject=memory.id)
    if memory.pinned:
        raise WrongState(f"memory [id:{memory.id}] is pinned", hint=f"`reverie unpin {memory.id}` first")
    return _one(memory, "archived", MemoryArchived(reason=reason or "asked", request=request))


def restore(memory: Memory, twin: Memory | None, request: str) -> Decision:
    if memory.state == "active" and not memory.replaced:
        return Decision(outcome=UNCHANGED, subject=memory.id)
    if twin is not None and twin.id != memory.id:
        raise WrongState(
            f"memory [id:{twin.id}] holds the same words by now", hint="delete or supersede that one first"
        )
    return _one(memory, "restored", MemoryRestored(request=request))


def delete(memory: Memory, reason: str, request: str) -> Decision:
    _no_document(memory)
    if memory.state == "deleted":
        return Decision(outcome=UNCHANGED, subject=memory.id)
    return Decision(
        outcome="deleted",
        subject=memory.id,
        events=(MemoryDeleted(reason=reason, request=request),),
        others=ended_conflicts(memory),
    )


def erase(memory: Memory, request: str, holding: Sequence[Memory] = (), reason: str = "asked") -> Decision:
    """`holding` are those that hold its words: the chunks of a document, the accounts that were drawn from it."""
    return Decision(
        outcome="erased",
        subject=memory.id,
        events=(_erased(memory, reason, request),),
        others=tuple((one.id, _erased(one, f"with [id:{memory.id}]")) for one in holding),
    )


def erase_narrative(id_: int, request: str) -> Decision:
    return Decision(outcome="erased", subject=id_, events=(MemoryErased(reason="asked", request=request),))


def _erased(memory: Memory, reason: str, request: str = "") -> MemoryErased:
    return MemoryErased(reason=reason, request=request, others=memory.ties, released=memory.drawn_from)


def read(memory: Memory, twin: Memory | None = None) -> Decision:
    """Looking at a memory by its id counts as access and brings an archived one back."""
    accessed = MemoryAccessed(ids=(memory.id,), how="get")
    return Decision(
        outcome="accessed", subject=memory.id, events=(accessed, *_back_from_archive(memory, twin, "access"))
    )


def _back_from_archive(memory: Memory, twin: Memory | None, reason: str) -> tuple[Event, ...]:
    """Unless another memory holds the same words by now: those must not live twice."""
    if memory.state != "archived" or memory.replaced or twin is not None:
        return ()
    back = MemoryTransitioned(ids=(memory.id,), what="state", before="archived", after="active", reason=reason)
    return (back,)


def ended_conflicts(gone: Memory, but: int = 0) -> tuple[tuple[int, Event], ...]:
    """Whoever contradicted it need not be doubted any more."""
    return tuple(
        (gone.id, ConflictResolved(conflict=number, new=gone.id, known=other, mode="gone", winner=other))
        for number, other in gone.conflicts
        if number != but
    )


def present(memory: Memory) -> None:
    """Refuses what is deleted."""
    if memory.state == "deleted":
        raise WrongState(
            f"memory [id:{memory.id}] is deleted", field="memory", hint=f"`reverie restore {memory.id}` brings it back"
        )


def _no_document(memory: Memory) -> None:
    if memory.is_document:
        raise WrongState(
            f"[id:{memory.id}] is a document, and its chunks are memories of their own",
            field="memory",
            hint=f"`reverie erase {memory.id}` removes it with all of them",
        )


def _one(memory: Memory, outcome: str, event: Event) -> Decision:
    return Decision(outcome=outcome, subject=memory.id, events=(event,))


# The outcome a caller was told, derived again from the fact that carries its idempotency key.
OUTCOMES: dict[str, str] = {
    MemoryStored.type: "stored",
    MemoryRepeated.type: "duplicate",
    MemoryUpdated.type: "updated",
    MemoryReinforced.type: "reinforced",
    MemoryDemoted.type: "demoted",
    MemoryPinned.type: "pinned",
    MemoryUnpinned.type: "unpinned",
    MemoryTagged.type: "tagged",
    MemoryUntagged.type: "untagged",
    MemorySuperseded.type: "superseded",
    MemoryMerged.type: "merged",
    MemoryCompressed.type: "compressed",
    MemorySummarised.type: "summarised",
    MemoryRetagged.type: "retagged",
    MemoryArchived.type: "archived",
    MemoryRestored.type: "restored",
    MemoryDeleted.type: "deleted",
    MemoryErased.type: "erased",
    DocumentReceived.type: "received",
    DocumentChunked.type: "chunked",
    ChunkDiscarded.type: "discarded",
    ConflictDetected.type: "conflict",
    ConflictResolved.type: "resolved",
    MemoryLinked.type: "linked",
    MemoryUnlinked.type: "unlinked",
    SessionStarted.type: "started",
    SessionEnded.type: "ended",
    NarrativeWritten.type: "written",
}
_ALSO_REQUESTED = (MemoryErased, ConflictResolved, MemoryLinked, MemoryUnlinked, SessionStarted, SessionEnded)


def carries_request(event: Event | None) -> str:
    """The fingerprint of the request that led to an event; empty once it was erased."""
    return getattr(event, "request", "") if isinstance(event, (AboutMemory, *_ALSO_REQUESTED)) else ""
