"""Which sessions are told by an account from now on, and the account itself where no model writes it."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from reveried.domain.consolidating.policy import ConsolidationPolicy
from reveried.domain.events import MemoryStored
from reveried.domain.memory import LIVE_STATES, Memory, own_content
from reveried.domain.reconciling.duplicates import statements
from reveried.domain.understanding.text import content_hash
from reveried.domain.understanding.understand import UnderstandingPolicy, understand

EXTRACTIVE = "extractive"
CONSOLIDATION = "consolidation"
CONFIDENCE = 0.8
# Of an account that somebody gave of a session in which nothing was stored.
IMPORTANCE = 0.6


class Session(Struct, frozen=True):
    """What was said in one session, in order."""

    namespace: str
    session_id: str
    memories: tuple[Memory, ...]

    @property
    def last_at(self) -> int:
        return max(memory.created_at for memory in self.memories)


class Written(Struct, frozen=True):
    """An account, and who wrote it."""

    text: str
    by: str


def may_be_told(memory: Memory, account: int) -> bool:
    """Whether an account can stand for it. What was pinned stays, and so does what came back from the last account."""
    return (
        memory.session_id is not None
        and memory.id > account
        and memory.system == "episodic"
        and memory.state in LIVE_STATES
        and not (memory.replaced or memory.pinned or memory.is_document or memory.drawn_from)
    )


def oldest_sessions(
    memories: Iterable[Memory], accounts: Mapping[str, int], policy: ConsolidationPolicy
) -> list[Session]:
    """Of one namespace: none while there are few, else the oldest, by when something was last said in them."""
    groups: dict[str, list[Memory]] = {}
    for memory in memories:
        if memory.session_id is not None and may_be_told(memory, accounts.get(memory.session_id, 0)):
            groups.setdefault(memory.session_id, []).append(memory)
    if len(groups) <= policy.sessions_kept:
        return []
    found = [Session(group[0].namespace, name, in_order(group)) for name, group in groups.items()]
    return sorted(found, key=lambda one: (one.last_at, one.session_id))[: policy.sessions_at_once]


def in_order(memories: Iterable[Memory]) -> tuple[Memory, ...]:
    return tuple(sorted(memories, key=lambda memory: (memory.created_at, memory.id)))


def extract(memories: Sequence[Memory], sentences: int, characters: int) -> str:
    """The first sentence of everything, the most important first where not all fit; then their second ones, and so on.

    Only its own words of each: what was merged into a memory is another's, and would outlive its erasure here.
    """
    said = {memory.id: statements(own_content(memory)) for memory in memories}
    ranked = sorted(memories, key=lambda memory: -memory.importance)
    rounds = range(max((len(found) for found in said.values()), default=0))
    chosen: set[tuple[int, int]] = set()
    room = characters
    for number, memory in ((number, memory) for number in rounds for memory in ranked):
        if number >= len(said[memory.id]) or len(chosen) == sentences:
            continue
        length = len(_told(memory, said[memory.id][number], first=number == 0)) + 1
        if length <= room:
            chosen.add((memory.id, number))
            room -= length
    lines = [
        " ".join(_told(memory, said[memory.id][number], first=number == at[0]) for number in at)
        for memory in memories
        if (at := sorted(number for id_, number in chosen if id_ == memory.id))
    ]
    return "\n".join(lines) or own_content(memories[0])[:characters]


def _told(memory: Memory, sentence: str, *, first: bool) -> str:
    """In an account "I" is nobody, unless it says who spoke."""
    return f"{memory.speaker}: {sentence}" if first and memory.speaker else sentence


def account(session: Session, written: Written, source: str, policy: UnderstandingPolicy, now: int) -> MemoryStored:
    """The account as a memory: a fact of the time it tells of, trusted no more than what it was drawn from."""
    reference = f"session:{session.session_id}"
    read = understand(written.text, kind="fact", source=source, source_ref=reference, policy=policy)
    trusted = all(memory.trust == "normal" for memory in session.memories)
    return MemoryStored(
        content=read.content,
        title=read.title,
        summary=read.summary,
        content_hash=content_hash(read.content),
        kind=read.kind,
        importance=max((memory.importance for memory in session.memories), default=IMPORTANCE),
        confidence=CONFIDENCE,
        created_at=min(session.last_at, now) if session.memories else now,
        source=source,
        source_ref=reference,
        session_id=session.session_id,
        tags_auto=read.tags_auto,
        trust=read.trust if trusted else "low",
        notes=(f"summary:{written.by}", *read.notes),
        dedup=False,
    )
