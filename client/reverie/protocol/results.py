"""Every answer the daemon gives. Times are microseconds since the epoch."""

from typing import Any

from msgspec import Struct


class Welcome(Struct, kw_only=True):
    server: str
    protocol: int
    namespace: str
    head: int
    capabilities: list[str]
    limits: dict[str, int]


class Pong(Struct, kw_only=True):
    head: int


class Written(Struct, kw_only=True, omit_defaults=True):
    """What became of a command. `outcome` names it; `repeated` marks the answer to a retried key."""

    id: int
    outcome: str
    seq: int
    repeated: bool = False
    similarity: float | None = None
    notes: list[str] = []
    enrichment: str | None = None
    against: int | None = None
    conflict: int | None = None
    rule: str | None = None
    confidence: float | None = None
    resolution: str | None = None


class WrittenMany(Struct, kw_only=True):
    results: list[Written]


class PartReceived(Struct, kw_only=True):
    parts: int
    length: int


class Ingested(Struct, kw_only=True):
    """A document and its chunks. Until it is `done`, `handled` of `chunks` are, and the rest is still to be counted."""

    id: int
    outcome: str
    seq: int
    done: bool
    handled: int
    chunks: int
    stored: int
    duplicates: int
    discarded: int
    repeated: bool = False
    notes: list[str] = []


class ConflictView(Struct, kw_only=True):
    """`new` contradicts `known`. `outcome` is what was done at once, `resolution` the mode that closed it later."""

    id: int
    new: int
    known: int
    new_content: str
    known_content: str
    rule: str
    confidence: float
    similarity: float | None
    mode: str
    outcome: str
    open: bool
    detected_at: int
    resolved_at: int | None = None
    resolution: str | None = None
    winner: int | None = None


class ConflictPage(Struct, kw_only=True):
    conflicts: list[ConflictView]
    next: int | None = None


class NextTransition(Struct, kw_only=True):
    """What will become of a memory, and when, if nobody touches it until then."""

    state: str
    at: int
    reason: str


class MemoryView(Struct, kw_only=True):
    id: int
    namespace: str
    content: str
    title: str
    summary: str | None
    kind: str
    system: str
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
    tags: list[str]
    tags_auto: list[str]
    tags_manual: list[str]
    entities: list[str]
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
    archived_at: int | None
    deleted_at: int | None
    metadata: dict[str, Any]
    stored_at: int | None = None
    stale_since: int | None = None
    conflicted: bool = False
    conflicts: list[tuple[int, int]] = []
    absorbed: list[tuple[int, int]] = []
    ties: list[int] = []
    drawn_from: list[int] = []
    relations: list[tuple[str, str, str]] = []
    # Reckoned when it is read, and only for one memory at a time.
    retention: float | None = None
    stability_days: float | None = None
    next_transition: NextTransition | None = None


class RecalledMemory(Struct, kw_only=True):
    """One answer: `score` is its rank value, `signals` what that is made of, `reinforcement` the lasting score."""

    id: int
    rank: int
    score: float
    signals: dict[str, float]
    content: str
    title: str
    summary: str | None
    kind: str
    system: str
    tags: list[str]
    state: str
    trust: str
    pinned: bool
    importance: float
    confidence: float
    reinforcement: int
    source: str
    speaker: str | None
    session_id: str | None
    created_at: int
    updated_at: int
    tokens: int
    contributions: dict[str, float] = {}
    namespace: str = ""
    # Only when an explanation was asked for, as in a MemoryView.
    stability_days: float | None = None
    next_transition: NextTransition | None = None
    conflicted: bool = False
    # Added along a link with the memory that was found, and how it stands to that one.
    linked_to: int | None = None
    link: str | None = None


class Recalled(Struct, kw_only=True):
    memories: list[RecalledMemory]
    semantic: bool
    semantic_reason: str | None
    profile: str
    total_tokens: int
    budget_used: float
    over_budget: bool
    took_us: int
    evidence: float = 0.0
    floor: float = 0.0
    weights: dict[str, float] = {}
    cached: bool = False
    reranked: bool = False
    rerank_reason: str | None = None


class ContextBlock(Struct, kw_only=True):
    """`block` is the text itself; `ids` are the memories in it, in its order."""

    block: str
    ids: list[int]
    total_tokens: int
    semantic: bool
    semantic_reason: str | None


class WhyReport(Struct, kw_only=True):
    """`rank` counts all that were ranked, also those that no longer fit; `parts` are what relevance was made of."""

    memory: int
    returned: bool
    rank: int | None
    reason: str
    signals: dict[str, float]
    contributions: dict[str, float]
    parts: dict[str, float]
    evidence: float
    floor: float
    semantic: bool
    semantic_reason: str | None


class Page(Struct, kw_only=True):
    memories: list[MemoryView]
    next: str | None = None


class EntityView(Struct, kw_only=True):
    """`salience` is the highest of one memory; `mentions` counts every time, `memories` those that name it."""

    name: str
    type: str
    aliases: list[str]
    salience: float
    mentions: int
    memories: int
    last_seen_at: int


class EntitiesReport(Struct, kw_only=True):
    entities: list[EntityView]


class RelationView(Struct, kw_only=True):
    """As the entity asked for sees it; with `inverse` it is `other` that stands in the relation to it."""

    relation: str
    other: str
    inverse: bool
    strength: float
    count: int
    confidence: float
    last_seen_at: int
    memories: list[int]


class RelationsReport(Struct, kw_only=True):
    entity: str
    relations: list[RelationView]


class LinkView(Struct, kw_only=True):
    """A link as the memory asked for sees it; with `inverse` it is `other` that stands in that relation to it.

    `how` is asked, proposed, verified, recalled, or implied by the records themselves. `tags` and `entities` are what
    the two share now; how many it was when the link was made, `evidence` says.
    """

    other: int
    kind: str
    inverse: bool
    strength: float
    confidence: float
    how: str
    title: str
    state: str
    tags: list[str] = []
    entities: list[str] = []
    evidence: dict[str, float] = {}
    created_at: int | None = None
    verified_at: int | None = None
    together: int = 0
    affirmed: int = 0


class RelatedReport(Struct, kw_only=True):
    """`edges` and `recent_edges` are what tiers and fading count."""

    memory: int
    links: list[LinkView]
    edges: int
    recent_edges: int


class PathStep(Struct, kw_only=True):
    """The link that leads to `memory` from the one before it; the first has none."""

    memory: int
    title: str
    kind: str | None = None
    inverse: bool = False
    strength: float | None = None


class PathReport(Struct, kw_only=True):
    """Empty when no way was found; `complete` says whether all was looked at within the hops allowed."""

    steps: list[PathStep]
    complete: bool


class GraphNode(Struct, kw_only=True):
    id: int
    title: str
    kind: str
    state: str
    hops: int


class GraphLink(Struct, kw_only=True):
    a: int
    b: int
    kind: str
    strength: float


class GraphReport(Struct, kw_only=True):
    nodes: list[GraphNode]
    links: list[GraphLink]
    complete: bool


class StoredLink(Struct, kw_only=True):
    a: int
    b: int
    kind: str
    weight: float
    confidence: float
    tags: int
    entities: int
    cosine: float | None
    how: str
    created_at: int
    verified_at: int
    together: int
    affirmed: int


class LinksImported(Struct, kw_only=True):
    """`unchanged` were here before; `rejected` could not be taken in, and `notes` say why."""

    linked: int
    unchanged: int
    rejected: int
    notes: list[str] = []


class LinkPage(Struct, kw_only=True):
    links: list[StoredLink]
    next: str | None = None


class SessionBegun(Struct, kw_only=True):
    """`outcome` is started, or unchanged where it was going on already."""

    session_id: str
    outcome: str
    seq: int
    repeated: bool = False


class SessionView(Struct, kw_only=True):
    """A session as its live memories tell it. `account` was written at its end, `compressed_into` stands for them."""

    session_id: str
    open: bool
    memories: int
    first_at: int
    last_at: int
    speakers: list[str]
    started_at: int | None = None
    ended_at: int | None = None
    account: int | None = None
    compressed_into: int | None = None


class SessionsPage(Struct, kw_only=True):
    sessions: list[SessionView]
    next: str | None = None


class NarrativeView(Struct, kw_only=True):
    """Of one that was erased only its place in the chain is left."""

    id: int
    at: int
    summary: str
    topic: str
    memories: list[int]
    previous: int | None
    trust: str
    erased: bool = False


class NarrativePage(Struct, kw_only=True):
    narratives: list[NarrativeView]
    next: int | None = None


class EventView(Struct, kw_only=True):
    seq: int
    at: int
    type: str
    namespace: str
    subject: int | None
    actor: str
    payload: dict[str, Any] | None


class EventPage(Struct, kw_only=True):
    events: list[EventView]
    next: int | None = None


class RawEvent(Struct, kw_only=True):
    """A row of the log: `payload` is its exact text, `digest` and `chain` are in hexadecimal."""

    seq: int
    at: int
    type: str
    namespace: str
    subject: int | None
    actor: str
    key: str | None
    payload: str | None
    digest: str
    chain: str


class RawEventPage(Struct, kw_only=True):
    events: list[RawEvent]
    next: int | None = None


class NamespacesReport(Struct, kw_only=True):
    """How many memories each namespace holds, in any state."""

    namespaces: dict[str, int]


class Subscribed(Struct, kw_only=True):
    subscription: int
    from_seq: int


class Done(Struct, kw_only=True):
    ok: bool = True


class Traffic(Struct, kw_only=True):
    """The requests of one operation since the daemon started; `times` are pairs of "below so many µs" and how many."""

    answered: int
    refused: int
    times: list[tuple[int, int]]


class StatusReport(Struct, kw_only=True):
    version: str
    pid: int
    head: int
    projected: int
    memories: dict[str, int]
    sizes: dict[str, int]
    embedder: dict[str, Any]
    degraded: list[str]
    config: dict[str, Any]
    connections: int
    queue: int
    uptime_s: float
    last_verified: dict[str, Any] | None = None
    traffic: dict[str, Traffic] = {}


class Check(Struct, kw_only=True, omit_defaults=True):
    name: str
    status: str  # ok, warn, fail
    detail: str
    fix: str | None = None


class DoctorReport(Struct, kw_only=True):
    ok: bool
    checks: list[Check]


class VerifyReport(Struct, kw_only=True):
    ok: bool
    events: int
    head: int
    chain: str
    live_digest: str
    replayed_digest: str
    erased: int
    problems: list[str]


class Rebuilt(Struct, kw_only=True):
    events: int
    upto: int
    digest: str
    out: str | None
    seconds: float


class BackedUp(Struct, kw_only=True):
    path: str
    events: int
    head: int
    bytes: int


class JobStatus(Struct, kw_only=True):
    """A job, its last run, and its next one; what never happened is null. `done` of `total` is how far it is now."""

    job: str
    summary: str
    schedule: str
    running: bool
    next_run: int | None = None
    started: int | None = None
    finished: int | None = None
    reason: str | None = None
    changed: dict[str, int] = {}
    notes: list[str] = []
    failed: str = ""
    done: int = 0
    total: int = 0


class JobsReport(Struct, kw_only=True):
    jobs: list[JobStatus]


class JobChange(Struct, kw_only=True):
    id: int
    namespace: str
    what: str
    before: str
    after: str
    reason: str


class RunReport(Struct, kw_only=True):
    """`total` counts the changes that were planned, `changes` lists the first of them, `changed` what was done."""

    job: str
    dry_run: bool
    total: int
    changes: list[JobChange]
    changed: dict[str, int]
    notes: list[str]
    failed: str
    seconds: float


class Coming(Struct, kw_only=True):
    before: str
    after: str
    reason: str
    count: int


class StatsReport(Struct, kw_only=True):
    states: dict[str, int]
    tiers: dict[str, int]
    kinds: dict[str, int]
    days: float
    coming: list[Coming]


class Mark(Struct, kw_only=True):
    what: str
    at: int


class CurveReport(Struct, kw_only=True):
    """Points are days since `start_at` and what was, or will be, left then; `marks` name the latest accesses."""

    memory: int | None
    kind: str
    pinned: bool
    stability_days: float
    start_at: int
    points: list[tuple[float, float]]
    thresholds: dict[str, float]
    marks: list[Mark]
    access_count: int = 0


class ConfigReport(Struct, kw_only=True):
    path: str
    loaded: bool
    values: dict[str, Any]
    problem: str | None = None
    needs_restart: list[str] = []
