"""Every question a client can ask, one struct each: `op` is the tag, `id` matches the reply.

Unknown fields are ignored and new fields have defaults, so old and new speak to each other.
"""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

Wait = Literal["durable", "projected", "enriched"]
Mode = Literal["keep_existing", "use_new", "merge", "ask", "temporal"]
Chunking = Literal["meaning", "document", "chat"]
Ingestion = Literal["durable", "chunked"]
# What the databases can hold: a larger number is refused here, before it could become part of an event.
Number = Annotated[int, Meta(ge=-(1 << 63), le=(1 << 63) - 1)]
Key = Annotated[str, Meta(max_length=256)]


class Request(Struct, tag_field="op", kw_only=True, omit_defaults=True):
    id: int


class Command(Request, kw_only=True):
    """A request that changes something. A repeat with the same key returns the first outcome."""

    key: Key | None = None


class Hello(Request, tag="hello", kw_only=True):
    protocol: Number
    client: str = "unknown"
    namespace: str = "default"


class Ping(Request, tag="ping", kw_only=True):
    pass


class Draft(Struct, kw_only=True, omit_defaults=True):
    """What a caller may say of a new memory; everything but the content is optional."""

    content: str
    title: str | None = None
    summary: str | None = None
    kind: str | None = None
    importance: float | None = None
    level: Number | None = None
    confidence: float | None = None
    priority: float | None = None
    pinned: bool = False
    source: str = "agent"
    source_ref: str | None = None
    speaker: str | None = None
    session_id: str | None = None
    narrative_id: Number | None = None
    task_id: str | None = None
    parent_id: Number | None = None
    chunk_index: Number | None = None
    tags: list[str] = []
    entities: list[str] = []
    relations: list[tuple[str, str, str]] = []
    created_at: Number | None = None
    valid_from: Number | None = None
    valid_to: Number | None = None
    expires_at: Number | None = None
    metadata: dict[str, Any] = {}
    dedup: bool = True
    on_conflict: Mode | None = None


class Store(Command, tag="store", kw_only=True):
    memory: Draft
    wait: Wait = "enriched"


class StoreMany(Command, tag="store_many", kw_only=True):
    memories: list[Draft]
    wait: Wait = "durable"


class Life(Struct, kw_only=True, omit_defaults=True):
    """What a memory from elsewhere has lived through. Of a `whole` record nothing more is read off its words."""

    state: str = "active"
    tier: str | None = None
    score: Number = 0
    access_count: Number = 0
    last_accessed_at: Number | None = None
    updated_at: Number | None = None
    reinforced_at: Number | None = None
    stored_at: Number | None = None
    stale_since: Number | None = None
    archived_at: Number | None = None
    deleted_at: Number | None = None
    superseded_by: Number | None = None
    compressed_into: Number | None = None
    trust: str = "normal"
    tags_auto: list[str] = []
    whole: bool = False
    # The hash of a long text that this record stands for: it is no memory to be recalled, its chunks are.
    document: str | None = None


class Arrival(Struct, kw_only=True, omit_defaults=True):
    """A memory from elsewhere. Its own key, not one of the batch, makes every repetition safe, however it is cut."""

    key: Key
    memory: Draft
    life: Life | None = None


class ImportMany(Request, tag="import_many", kw_only=True):
    arrivals: list[Arrival]


class IngestPart(Request, tag="ingest_part", kw_only=True):
    """A part of a text that is too long for one frame, in order from 0; `ingest` brings the last one."""

    upload: str
    part: Number
    text: str


class Ingest(Command, tag="ingest", kw_only=True):
    """A text of any length. With `upload`, the parts sent before under that name come first."""

    text: str
    upload: str | None = None
    parts: Number = 0
    title: str | None = None
    source: str = "agent"
    source_ref: str | None = None
    speaker: str | None = None
    session_id: str | None = None
    task_id: str | None = None
    tags: list[str] = []
    created_at: Number | None = None
    metadata: dict[str, Any] = {}
    chunking: Chunking | None = None
    wait: Ingestion = "chunked"


class Ingested(Request, tag="ingested", kw_only=True):
    """How far a document is; answered as soon as more than `after` of its chunks are handled."""

    document: Number
    after: Number | None = None


class Update(Command, tag="update", kw_only=True):
    memory: Number
    content: str | None = None
    title: str | None = None
    tags: list[str] | None = None
    importance: float | None = None
    level: Number | None = None
    metadata: dict[str, Any] | None = None


class Reinforce(Command, tag="reinforce", kw_only=True):
    memory: Number


class Demote(Command, tag="demote", kw_only=True):
    memory: Number


class Pin(Command, tag="pin", kw_only=True):
    memory: Number


class Unpin(Command, tag="unpin", kw_only=True):
    memory: Number


class Tag(Command, tag="tag", kw_only=True):
    memory: Number
    tags: list[str]


class Untag(Command, tag="untag", kw_only=True):
    memory: Number
    tags: list[str]


class Supersede(Command, tag="supersede", kw_only=True):
    old: Number
    new: Number
    reason: str = ""


class Archive(Command, tag="archive", kw_only=True):
    memory: Number
    reason: str = ""


class Restore(Command, tag="restore", kw_only=True):
    memory: Number


class Delete(Command, tag="delete", kw_only=True):
    memory: Number
    reason: str = ""


class Erase(Command, tag="erase", kw_only=True):
    memory: Number


class Conflicts(Request, tag="conflicts", kw_only=True):
    """Memories that contradict each other; the open ones, or every one that was ever found."""

    limit: Number = 50
    before: Number | None = None
    every: bool = False


class Resolve(Command, tag="resolve", kw_only=True):
    conflict: Number
    mode: Mode


class Link(Command, tag="link", kw_only=True):
    """These two belong together; `kind` says how the first stands to the other."""

    memory: Number
    other: Number
    kind: str = "related_to"
    weight: float = 1.0


class Unlink(Command, tag="unlink", kw_only=True):
    """They do not; without a kind, in no way at all."""

    memory: Number
    other: Number
    kind: str | None = None


class Related(Request, tag="related", kw_only=True):
    """What a memory belongs together with, the firmest first."""

    memory: Number
    kinds: list[str] = []
    limit: Number = 50


class Path(Request, tag="path", kw_only=True):
    """The shortest way along links from one memory to another."""

    memory: Number
    other: Number
    hops: Number = 6


class Graph(Request, tag="graph", kw_only=True):
    """What lies around a memory; without one, the firmest links there are."""

    memory: Number | None = None
    hops: Number = 2
    limit: Number = 50


class Links(Request, tag="links", kw_only=True):
    """Every link that is stored, page by page: for a copy."""

    after: str | None = None
    limit: Number = 200


class LinkArrival(Struct, kw_only=True, omit_defaults=True):
    """A link from elsewhere, as `links` shows it, between numbers of this daemon."""

    a: Number
    b: Number
    kind: str
    weight: float = 1.0
    confidence: float = 1.0
    tags: Number = 0
    entities: Number = 0
    cosine: float | None = None
    how: str = "asked"
    created_at: Number | None = None
    verified_at: Number | None = None
    together: Number = 0
    affirmed: Number = 0


class ImportLinks(Request, tag="import_links", kw_only=True):
    links: list[LinkArrival]


class Recall(Request, tag="recall", kw_only=True):
    query: str
    limit: Number | None = None
    token_budget: Number | None = None
    profile: str | None = None
    kinds: list[str] = []
    systems: list[str] = []
    tags: list[str] = []
    namespaces: list[str] | None = None  # the connection's own, where nothing is said
    since: Number | None = None
    until: Number | None = None
    include_stale: bool = True
    include_archived: bool = False
    only_archived: bool = False
    include_replaced: bool = False
    include_compressed: bool = False
    min_score: float = 0.0
    floor: float | None = None
    explain: bool = False
    expand_links: bool = False


class Context(Request, tag="context", kw_only=True):
    """The answer as a block to put before a model."""

    query: str
    limit: Number | None = None
    token_budget: Number | None = None
    floor: float | None = None


class Why(Request, tag="why", kw_only=True):
    """Why a memory is, or is not, among the answers to a query."""

    query: str
    memory: Number
    limit: Number | None = None


class Get(Request, tag="get", kw_only=True):
    memory: Number


class List(Request, tag="list", kw_only=True):
    limit: Number = 50
    before: Number | None = None
    after: Number | None = None
    states: list[str] = []
    kinds: list[str] = []
    tags: list[str] = []


class Timeline(Request, tag="timeline", kw_only=True):
    since: Number | None = None
    until: Number | None = None
    session_id: str | None = None
    limit: Number = 50
    cursor: str | None = None


class Entities(Request, tag="entities", kw_only=True):
    """Who and what the memories name, the most often named first."""

    type: str | None = None
    name: str | None = None
    limit: Number = 50


class Relations(Request, tag="relations", kw_only=True):
    """How an entity stands to others, the firmest first."""

    entity: str
    limit: Number = 50


class SessionBegin(Command, tag="session_begin", kw_only=True):
    """A session begins, or goes on. Without an id it gets one, always the same for the same key."""

    session_id: str | None = None


class SessionEnd(Command, tag="session_end", kw_only=True):
    """A session is over; what was said in it is summed up, unless the caller does that."""

    session_id: str
    summary: str | None = None


class Sessions(Request, tag="sessions", kw_only=True):
    """Every session something is known of, the latest first."""

    limit: Number = 50
    cursor: str | None = None


class NarrativeAdd(Command, tag="narrative_add", kw_only=True):
    """Where things stand, as the next link of the namespace's chain."""

    summary: str
    topic: str = ""
    memories: list[Number] = []


class Narratives(Request, tag="narratives", kw_only=True):
    """The chain from its end: the first one is where to take up again."""

    limit: Number = 1
    before: Number | None = None
    topic: str | None = None


class History(Request, tag="history", kw_only=True):
    memory: Number
    after: Number = 0
    limit: Number = 200


class Events(Request, tag="events", kw_only=True):
    after: Number = 0
    limit: Number = 200


class RawEvents(Request, tag="raw_events", kw_only=True):
    """The log as it is written, of every namespace: for a copy that can be restored."""

    after: Number = 0
    limit: Number = 200


class Namespaces(Request, tag="namespaces", kw_only=True):
    pass


class Subscribe(Request, tag="subscribe", kw_only=True):
    from_seq: Number | None = None


class Unsubscribe(Request, tag="unsubscribe", kw_only=True):
    subscription: Number


class Status(Request, tag="status", kw_only=True):
    pass


class Doctor(Request, tag="doctor", kw_only=True):
    pass


class Verify(Request, tag="verify", kw_only=True):
    # HEAD:CHAIN of an earlier report, kept elsewhere.
    expect: str | None = None


class Rebuild(Request, tag="rebuild", kw_only=True):
    to: Number | None = None
    to_time: Number | None = None
    out: str | None = None


class Backup(Request, tag="backup", kw_only=True):
    pass


class Jobs(Request, tag="jobs", kw_only=True):
    pass


class Run(Request, tag="run", kw_only=True):
    job: str
    dry_run: bool = False
    limit: Number = 1000


class Stats(Request, tag="stats", kw_only=True):
    days: float = 7.0


class Curve(Request, tag="curve", kw_only=True):
    memory: Number | None = None
    kind: str | None = None
    days: float | None = None


class Config(Request, tag="config", kw_only=True):
    pass


class Reload(Request, tag="reload", kw_only=True):
    pass


# The catalogue of operations: documentation and dispatch are checked against it.
REQUESTS: tuple[type[Request], ...] = (
    Hello, Ping, Store, StoreMany, ImportMany, IngestPart, Ingest, Ingested, Update, Reinforce, Demote, Pin, Unpin,
    Tag, Untag, Supersede, Archive, Restore, Delete, Erase, Conflicts, Resolve, Link, Unlink, Related, Path, Graph,
    Links, ImportLinks, Recall, Context, Why, Get, List, Timeline, Entities, Relations, SessionBegin, SessionEnd,
    Sessions, NarrativeAdd, Narratives, History, Events, RawEvents, Namespaces, Subscribe, Unsubscribe, Status, Doctor,
    Verify, Rebuild, Backup, Jobs, Run, Stats, Curve, Config, Reload,
)  # fmt: skip


def op_of(request: type[Request]) -> str:
    return str(request.__struct_config__.tag)
