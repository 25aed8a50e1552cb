"""One function per operation: its signature is the signature of the method on both clients. Times are datetimes or
microseconds since the epoch.

Annotations stay text: reading those of sixty functions took a tenth of what a command takes to begin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from reverie.errors import InvalidField
from reverie.protocol import requests as ask
from reverie.protocol import results as got
from reverie.protocol.requests import Draft, Mode, Wait
from reverie.protocol.session import Call

Time = datetime | int


def micros(time: Time | None) -> int | None:
    """A datetime without a zone is local time."""
    return round(time.timestamp() * 1_000_000) if isinstance(time, datetime) else time


# fmt: off
def store(
    content: str, *, title: str | None = None, summary: str | None = None, kind: str | None = None,
    importance: float | None = None, level: int | None = None, confidence: float | None = None,
    priority: float | None = None, pinned: bool = False, tags: Sequence[str] = (), entities: Sequence[str] = (),
    relations: Sequence[tuple[str, str, str]] = (),
    source: str = "agent", source_ref: str | None = None, speaker: str | None = None, session_id: str | None = None,
    narrative_id: int | None = None, task_id: str | None = None, parent_id: int | None = None,
    chunk_index: int | None = None, created_at: Time | None = None, valid_from: Time | None = None,
    valid_to: Time | None = None, expires_at: Time | None = None, metadata: Mapping[str, Any] | None = None,
    dedup: bool = True, on_conflict: Mode | None = None, wait: Wait = "enriched", key: str | None = None,
) -> Call[got.Written]:
    """Remember one thing; the reply means it is on disk, and says what it repeats or contradicts."""
    memory = Draft(
        content=content, title=title, summary=summary, kind=kind, importance=importance, level=level,
        confidence=confidence, priority=priority, pinned=pinned, tags=list(tags), entities=list(entities),
        relations=list(relations), source=source, source_ref=source_ref, speaker=speaker, session_id=session_id,
        narrative_id=narrative_id,
        task_id=task_id, parent_id=parent_id, chunk_index=chunk_index, created_at=micros(created_at),
        valid_from=micros(valid_from), valid_to=micros(valid_to), expires_at=micros(expires_at),
        metadata=dict(metadata or {}), dedup=dedup, on_conflict=on_conflict,
    )
    return Call(ask.Store(id=0, memory=memory, wait=wait, key=key), got.Written)
# fmt: on


def store_many(
    items: Iterable[str | Mapping[str, Any] | Draft], *, wait: Wait = "durable", key: str | None = None
) -> Call[got.WrittenMany]:
    """Remember up to 1,000 things in one write: all of them or none."""
    return Call(ask.StoreMany(id=0, memories=[draft(item) for item in items], wait=wait, key=key), got.WrittenMany)


def import_many(arrivals: Sequence[ask.Arrival]) -> Call[got.WrittenMany]:
    """Take in up to 1,000 memories from elsewhere with the life they had; each succeeds or is `rejected` by itself."""
    return Call(ask.ImportMany(id=0, arrivals=list(arrivals)), got.WrittenMany)


def draft(item: str | Mapping[str, Any] | Draft) -> Draft:
    if isinstance(item, Draft):
        return item
    if isinstance(item, str):
        return Draft(content=item)
    fields = {name: micros(value) if isinstance(value, datetime) else value for name, value in item.items()}
    unknown = fields.keys() - set(Draft.__struct_fields__)
    if unknown:
        raise InvalidField(f"a memory has no field {sorted(unknown)[0]!r}", field=sorted(unknown)[0])
    try:
        return msgspec.convert(fields, Draft)
    except msgspec.ValidationError as error:
        raise InvalidField(f"not a memory: {error}") from error


def ingest_part(upload: str, part: int, text: str) -> Call[got.PartReceived]:
    """A part of a text that is too long for one frame; `ingest` brings the last one, and makes it durable."""
    return Call(ask.IngestPart(id=0, upload=upload, part=part, text=text), got.PartReceived)


# fmt: off
def ingest(
    text: str, *, title: str | None = None, source: str = "agent", source_ref: str | None = None,
    speaker: str | None = None, session_id: str | None = None, task_id: str | None = None, tags: Sequence[str] = (),
    created_at: Time | None = None, metadata: Mapping[str, Any] | None = None,
    chunking: ask.Chunking | None = None, wait: ask.Ingestion = "chunked", upload: str | None = None, parts: int = 0,
    key: str | None = None,
) -> Call[got.Ingested]:
    """Take in a text as a document with chunks; one frame of it, after the parts of `upload` if there are any."""
    request = ask.Ingest(
        id=0, text=text, title=title, source=source, source_ref=source_ref, speaker=speaker, session_id=session_id,
        task_id=task_id, tags=list(tags), created_at=micros(created_at), metadata=dict(metadata or {}),
        chunking=chunking, wait=wait, upload=upload, parts=parts, key=key,
    )
    return Call(request, got.Ingested)
# fmt: on


def ingested(document: int, *, after: int | None = None) -> Call[got.Ingested]:
    """How far a document is, as soon as more than `after` of its chunks are handled."""
    return Call(ask.Ingested(id=0, document=document, after=after), got.Ingested)


# fmt: off
def recall(
    query: str, *, limit: int | None = None, token_budget: int | None = None, profile: str | None = None,
    kinds: Sequence[str] = (), systems: Sequence[str] = (), tags: Sequence[str] = (),
    namespaces: Sequence[str] | None = None, since: Time | None = None, until: Time | None = None,
    include_stale: bool = True, include_archived: bool = False, only_archived: bool = False,
    include_replaced: bool = False, include_compressed: bool = False, min_score: float = 0.0,
    floor: float | None = None, explain: bool = False, expand_links: bool = False,
) -> Call[got.Recalled]:
    """The memories that answer a question, best first, within a budget of tokens."""
    request = ask.Recall(
        id=0, query=query, limit=limit, token_budget=token_budget, profile=profile, kinds=list(kinds),
        systems=list(systems), tags=list(tags),
        namespaces=None if namespaces is None else list(namespaces), since=micros(since), until=micros(until),
        include_stale=include_stale, include_archived=include_archived, only_archived=only_archived,
        include_replaced=include_replaced, include_compressed=include_compressed, min_score=min_score, floor=floor,
        explain=explain, expand_links=expand_links,
    )
    return Call(request, got.Recalled)
# fmt: on


def context(
    query: str, *, token_budget: int | None = None, limit: int | None = None, floor: float | None = None
) -> Call[got.ContextBlock]:
    """What is known about a question or a task, as a block of text to put before a model."""
    return Call(ask.Context(id=0, query=query, limit=limit, token_budget=token_budget, floor=floor), got.ContextBlock)


def why(query: str, memory: int, *, limit: int | None = None) -> Call[got.WhyReport]:
    """Why a memory is, or is not, among the answers to a query. Asking is not access."""
    return Call(ask.Why(id=0, query=query, memory=memory, limit=limit), got.WhyReport)


def get(memory: int) -> Call[got.MemoryView]:
    return Call(ask.Get(id=0, memory=memory), got.MemoryView)


def list_memories(
    *,
    limit: int = 50,
    before: int | None = None,
    after: int | None = None,
    states: Sequence[str] = (),
    kinds: Sequence[str] = (),
    tags: Sequence[str] = (),
) -> Call[got.Page]:
    """Newest first; listing is not access. Go on with ``before=int(page.next)``.

    With `after` the oldest come first; go on with ``after=int(page.next)`` then.
    """
    request = ask.List(id=0, limit=limit, before=before, after=after)
    request.states, request.kinds, request.tags = list(states), list(kinds), list(tags)
    return Call(request, got.Page)


def timeline(
    *,
    since: Time | None = None,
    until: Time | None = None,
    session_id: str | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> Call[got.Page]:
    """In the order things happened. Go on with ``cursor=page.next``."""
    request = ask.Timeline(
        id=0, since=micros(since), until=micros(until), session_id=session_id, limit=limit, cursor=cursor
    )
    return Call(request, got.Page)


def entities(*, type: str | None = None, name: str | None = None, limit: int = 50) -> Call[got.EntitiesReport]:
    """Who and what the memories name, the most often named first; `name` begins one of its words."""
    return Call(ask.Entities(id=0, type=type, name=name, limit=limit), got.EntitiesReport)


def relations(entity: str, *, limit: int = 50) -> Call[got.RelationsReport]:
    """How an entity stands to others, the firmest first."""
    return Call(ask.Relations(id=0, entity=entity, limit=limit), got.RelationsReport)


def update(
    memory: int,
    *,
    content: str | None = None,
    title: str | None = None,
    tags: Sequence[str] | None = None,
    importance: float | None = None,
    level: int | None = None,
    metadata: Mapping[str, Any] | None = None,
    key: str | None = None,
) -> Call[got.Written]:
    """Change what is given; what is None stays."""
    request = ask.Update(id=0, memory=memory, content=content, title=title, importance=importance, level=level, key=key)
    request.tags = None if tags is None else list(tags)
    request.metadata = None if metadata is None else dict(metadata)
    return Call(request, got.Written)


def reinforce(memory: int, *, key: str | None = None) -> Call[got.Written]:
    return Call(ask.Reinforce(id=0, memory=memory, key=key), got.Written)


def demote(memory: int, *, key: str | None = None) -> Call[got.Written]:
    return Call(ask.Demote(id=0, memory=memory, key=key), got.Written)


def pin(memory: int, *, key: str | None = None) -> Call[got.Written]:
    return Call(ask.Pin(id=0, memory=memory, key=key), got.Written)


def unpin(memory: int, *, key: str | None = None) -> Call[got.Written]:
    return Call(ask.Unpin(id=0, memory=memory, key=key), got.Written)


def tag(memory: int, tags: Sequence[str], *, key: str | None = None) -> Call[got.Written]:
    return Call(ask.Tag(id=0, memory=memory, tags=list(tags), key=key), got.Written)


def untag(memory: int, tags: Sequence[str], *, key: str | None = None) -> Call[got.Written]:
    return Call(ask.Untag(id=0, memory=memory, tags=list(tags), key=key), got.Written)


def supersede(old: int, new: int, *, reason: str = "", key: str | None = None) -> Call[got.Written]:
    """`new` stands for `old` from now on; `old` keeps its history and can be restored."""
    return Call(ask.Supersede(id=0, old=old, new=new, reason=reason, key=key), got.Written)


def archive(memory: int, *, reason: str = "", key: str | None = None) -> Call[got.Written]:
    return Call(ask.Archive(id=0, memory=memory, reason=reason, key=key), got.Written)


def restore(memory: int, *, key: str | None = None) -> Call[got.Written]:
    return Call(ask.Restore(id=0, memory=memory, key=key), got.Written)


def delete(memory: int, *, reason: str = "", key: str | None = None) -> Call[got.Written]:
    """Softly: `restore` brings it back."""
    return Call(ask.Delete(id=0, memory=memory, reason=reason, key=key), got.Written)


def erase(memory: int, *, key: str | None = None) -> Call[got.Written]:
    """For good: its words leave every file of the daemon."""
    return Call(ask.Erase(id=0, memory=memory, key=key), got.Written)


def conflicts(*, limit: int = 50, before: int | None = None, every: bool = False) -> Call[got.ConflictPage]:
    """What contradicts what and is still open, newest first; with `every` also what was settled."""
    return Call(ask.Conflicts(id=0, limit=limit, before=before, every=every), got.ConflictPage)


def resolve(conflict: int, mode: Mode, *, key: str | None = None) -> Call[got.Written]:
    """Close a conflict, or decide a settled one anew; who yields keeps its history."""
    return Call(ask.Resolve(id=0, conflict=conflict, mode=mode, key=key), got.Written)


def link(
    memory: int, other: int, *, kind: str = "related_to", weight: float = 1.0, key: str | None = None
) -> Call[got.Written]:
    """The two belong together; `kind` says how the first stands to the other."""
    return Call(ask.Link(id=0, memory=memory, other=other, kind=kind, weight=weight, key=key), got.Written)


def unlink(memory: int, other: int, *, kind: str | None = None, key: str | None = None) -> Call[got.Written]:
    """They do not, and it is not proposed again; without a kind, in no way at all."""
    return Call(ask.Unlink(id=0, memory=memory, other=other, kind=kind, key=key), got.Written)


def related(memory: int, *, kinds: Sequence[str] = (), limit: int = 50) -> Call[got.RelatedReport]:
    """What a memory belongs together with, the firmest first."""
    return Call(ask.Related(id=0, memory=memory, kinds=list(kinds), limit=limit), got.RelatedReport)


def path(memory: int, other: int, *, hops: int = 6) -> Call[got.PathReport]:
    """The shortest way along links from one memory to another."""
    return Call(ask.Path(id=0, memory=memory, other=other, hops=hops), got.PathReport)


def graph(memory: int | None = None, *, hops: int = 2, limit: int = 50) -> Call[got.GraphReport]:
    """What lies around a memory; without one, the firmest links there are."""
    return Call(ask.Graph(id=0, memory=memory, hops=hops, limit=limit), got.GraphReport)


def links(*, after: str | None = None, limit: int = 200) -> Call[got.LinkPage]:
    """Every stored link. Go on with ``after=page.next``."""
    return Call(ask.Links(id=0, after=after, limit=limit), got.LinkPage)


def import_links(links: Sequence[ask.LinkArrival]) -> Call[got.LinksImported]:
    """Links from elsewhere, each with the life it has had, between memories that are here."""
    return Call(ask.ImportLinks(id=0, links=list(links)), got.LinksImported)


def session_begin(session_id: str | None = None, *, key: str | None = None) -> Call[got.SessionBegun]:
    """A session begins, or goes on after it had ended; without an id it gets one."""
    return Call(ask.SessionBegin(id=0, session_id=session_id, key=key), got.SessionBegun)


def session_end(session_id: str, *, summary: str | None = None, key: str | None = None) -> Call[got.Written]:
    """A session is over; the id of the answer is the memory that tells of it, 0 where there was nothing to tell."""
    return Call(ask.SessionEnd(id=0, session_id=session_id, summary=summary, key=key), got.Written)


def sessions(*, limit: int = 50, cursor: str | None = None) -> Call[got.SessionsPage]:
    """Every session something is known of, the latest first. Go on with ``cursor=page.next``."""
    return Call(ask.Sessions(id=0, limit=limit, cursor=cursor), got.SessionsPage)


def narrative_add(
    summary: str, *, topic: str = "", memories: Sequence[int] = (), key: str | None = None
) -> Call[got.Written]:
    """Write down where things stand, as the next link of the chain."""
    return Call(ask.NarrativeAdd(id=0, summary=summary, topic=topic, memories=list(memories), key=key), got.Written)


def narratives(*, limit: int = 1, before: int | None = None, topic: str | None = None) -> Call[got.NarrativePage]:
    """The chain from its end; the first is where to take up again. Go on with ``before=page.next``."""
    return Call(ask.Narratives(id=0, limit=limit, before=before, topic=topic), got.NarrativePage)


def history(memory: int, *, after: int = 0, limit: int = 200) -> Call[got.EventPage]:
    return Call(ask.History(id=0, memory=memory, after=after, limit=limit), got.EventPage)


def events(*, after: int = 0, limit: int = 200) -> Call[got.EventPage]:
    return Call(ask.Events(id=0, after=after, limit=limit), got.EventPage)


def raw_events(*, after: int = 0, limit: int = 200) -> Call[got.RawEventPage]:
    """The log as it is written, of every namespace. Go on with ``after=page.next``."""
    return Call(ask.RawEvents(id=0, after=after, limit=limit), got.RawEventPage)


def namespaces() -> Call[got.NamespacesReport]:
    return Call(ask.Namespaces(id=0), got.NamespacesReport)


def subscription(from_seq: int | None) -> Call[got.Subscribed]:
    return Call(ask.Subscribe(id=0, from_seq=from_seq), got.Subscribed)


def status() -> Call[got.StatusReport]:
    return Call(ask.Status(id=0), got.StatusReport)


def doctor() -> Call[got.DoctorReport]:
    return Call(ask.Doctor(id=0), got.DoctorReport)


def verify(*, expect: str | None = None) -> Call[got.VerifyReport]:
    """Proves that the log is whole and that live state is what the log adds up to.

    `expect` is HEAD:CHAIN of an earlier report: the log must still hold that event, and it must be the same.
    """
    return Call(ask.Verify(id=0, expect=expect), got.VerifyReport)


def rebuild(*, to: int | None = None, to_time: Time | None = None, out: str | None = None) -> Call[got.Rebuilt]:
    """State made anew from the log, up to an event or a moment, in place or into the file `out`."""
    return Call(ask.Rebuild(id=0, to=to, to_time=micros(to_time), out=out), got.Rebuilt)


def backup() -> Call[got.BackedUp]:
    return Call(ask.Backup(id=0), got.BackedUp)


def jobs() -> Call[got.JobsReport]:
    return Call(ask.Jobs(id=0), got.JobsReport)


def run(job: str, *, dry_run: bool = False, limit: int = 1000) -> Call[got.RunReport]:
    """Run a job now; a dry run changes nothing and says what a run would change."""
    return Call(ask.Run(id=0, job=job, dry_run=dry_run, limit=limit), got.RunReport)


def stats(*, days: float = 7.0) -> Call[got.StatsReport]:
    """How memories are spread over states, tiers and kinds, and what will change within so many days."""
    return Call(ask.Stats(id=0, days=days), got.StatsReport)


def curve(memory: int | None = None, *, kind: str | None = None, days: float | None = None) -> Call[got.CurveReport]:
    """How a memory, or any of a kind, fades."""
    return Call(ask.Curve(id=0, memory=memory, kind=kind, days=days), got.CurveReport)


def config() -> Call[got.ConfigReport]:
    return Call(ask.Config(id=0), got.ConfigReport)


def reload() -> Call[got.ConfigReport]:
    return Call(ask.Reload(id=0), got.ConfigReport)


def ping() -> Call[got.Pong]:
    return Call(ask.Ping(id=0), got.Pong)
