"""What tools answer with: the part of the daemon's results that a model can use, with moments in ISO 8601."""

from datetime import UTC, datetime

from msgspec import Struct

from reverie.protocol.results import ContextBlock, MemoryView, Recalled, RecalledMemory, WhyReport, Written


class Hit(Struct, kw_only=True):
    id: int
    content: str
    title: str
    kind: str
    tags: list[str]
    trust: str
    state: str
    score: float
    created_at: str


class Found(Struct, kw_only=True):
    memories: list[Hit]
    total_tokens: int
    semantic: bool
    semantic_reason: str | None = None


class Outcome(Struct, kw_only=True):
    id: int
    outcome: str
    notes: list[str]


class Memory(Struct, kw_only=True):
    id: int
    content: str
    title: str
    kind: str
    tags: list[str]
    entities: list[str]
    trust: str
    state: str
    tier: str
    importance: float
    confidence: float
    score: int
    pinned: bool
    source: str
    speaker: str | None
    session_id: str | None
    superseded_by: int | None
    created_at: str
    updated_at: str
    expires_at: str | None
    retention: float | None


class Block(Struct, kw_only=True):
    block: str
    ids: list[int]
    total_tokens: int
    semantic: bool


class Reason(Struct, kw_only=True):
    id: int
    returned: bool
    rank: int | None
    reason: str
    contributions: dict[str, float]


def iso(moment: int) -> str:
    # Not through a float, which cannot hold microseconds of today.
    return datetime.fromtimestamp(moment // 1_000_000, UTC).replace(microsecond=moment % 1_000_000).isoformat()


def found(answer: Recalled) -> Found:
    return Found(
        memories=[_hit(memory) for memory in answer.memories],
        total_tokens=answer.total_tokens,
        semantic=answer.semantic,
        semantic_reason=answer.semantic_reason,
    )


def _hit(memory: RecalledMemory) -> Hit:
    return Hit(
        id=memory.id,
        content=memory.content,
        title=memory.title,
        kind=memory.kind,
        tags=memory.tags,
        trust=memory.trust,
        state=memory.state,
        score=round(memory.score, 4),
        created_at=iso(memory.created_at),
    )


def outcome(written: Written) -> Outcome:
    return Outcome(id=written.id, outcome=written.outcome, notes=written.notes)


def memory(view: MemoryView) -> Memory:
    same = {name: getattr(view, name) for name in Memory.__struct_fields__}
    moments = {"created_at": iso(view.created_at), "updated_at": iso(view.updated_at)}
    expires = None if view.expires_at is None else iso(view.expires_at)
    return Memory(**(same | moments | {"expires_at": expires}))


def block(context: ContextBlock) -> Block:
    return Block(block=context.block, ids=context.ids, total_tokens=context.total_tokens, semantic=context.semantic)


def reason(report: WhyReport) -> Reason:
    return Reason(
        id=report.memory,
        returned=report.returned,
        rank=report.rank,
        reason=report.reason,
        contributions={name: round(value, 4) for name, value in report.contributions.items()},
    )
