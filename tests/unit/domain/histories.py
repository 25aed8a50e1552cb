"""Valid histories: random wishes, judged by the real decisions over a plain dictionary of records."""

from collections.abc import Callable
from hashlib import sha256
from typing import Any, NamedTuple

from hypothesis import strategies as st

from reveried.domain import decide
from reveried.domain.consolidating.accounts import Session, Written, account, extract, in_order, may_be_told
from reveried.domain.decide import Decision
from reveried.domain.events import (
    Event,
    MemoryCompressed,
    MemoryErased,
    MemoryRecalled,
    MemoryRetagged,
    MemoryReviewed,
    MemoryStored,
    MemorySummarised,
    MemoryTransitioned,
    MemoryUpdated,
    NarrativeWritten,
    Recorded,
    SessionEnded,
    SessionStarted,
)
from reveried.domain.events import MemoryAccessed as Accessed
from reveried.domain.evolving import concerns, evolve
from reveried.domain.memory import LIVE_STATES, Memory
from reveried.domain.policies import ContentLimits, FeedbackPolicy
from reveried.domain.reconciling.conflicts import Contradiction
from reveried.domain.reconciling.decisions import decision, resolution
from reveried.domain.reconciling.policy import MODES, ReconcilingPolicy
from reveried.domain.reconciling.reconcile import Conflict, Same, settled
from reveried.domain.understanding.understand import UnderstandingPolicy
from reveried.errors import Rejected, WrongState
from reveried.log.sqlite import SqliteLog
from reveried.ports import NewEvent

BORN = 1_700_000_000_000_000
SECOND = 1_000_000
TEXTS = (
    "The staging database lives on amber-17",
    "Deployed the Café menu: naïve, résumé",
    "明日は東京で会議があります",
    "서울에서 만나요",
    "พรุ่งนี้ประชุม",
    "one\x00two",
    "same same same",
)
TAGS = ("infra", "旅行", "café", "x")
LIMITS = ContentLimits()
FEEDBACK = FeedbackPolicy()
RECONCILING = ReconcilingPolicy()
CONTRADICTION = Contradiction("negation", 0.8)
UNDERSTANDING = UnderstandingPolicy()


def hashed(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def stored(content: str = "words", **fields: Any) -> MemoryStored:
    plain: dict[str, Any] = {"title": content[:20], "kind": "fact", "importance": 0.6, "confidence": 0.8}
    plain |= {"content_hash": hashed(content), "created_at": BORN}
    return MemoryStored(content=content, **(plain | fields))


def reworded(content: str, **fields: Any) -> MemoryUpdated:
    return MemoryUpdated(content=content, content_hash=hashed(content), title=content[:20], **fields)


class Act(NamedTuple):
    what: str
    which: int = 0
    other: int = 0
    text: str = TEXTS[0]
    tag: str = TAGS[0]
    namespace: str = "default"


_WEIGHTED = (
    *("store",) * 6, *("archive",) * 3, *("restore",) * 2, *("flush",) * 2, "erase", "update", "reinforce", "demote",
    "pin", "unpin", "tag", "untag", "supersede", "delete", "read", "recall", "transition", *("merge",) * 3,
    *("contradict",) * 3, *("resolve",) * 2, "begin", "end", *("compress",) * 2, "narrate", "unsay", "retag",
    "summarise", "review",
)  # fmt: skip
acts = st.builds(
    Act,
    what=st.sampled_from(_WEIGHTED),
    which=st.integers(0, 7),
    other=st.integers(0, 7),
    text=st.sampled_from(TEXTS) | st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12),
    tag=st.sampled_from(TAGS),
    namespace=st.sampled_from(["default", "default", "default", "other"]),
)
histories = st.lists(acts, min_size=1, max_size=30)


class World:
    """A log, the records its events fold to, and whoever follows along."""

    def __init__(self, log: SqliteLog, *followers: Callable[[Recorded], None]) -> None:
        self.log = log
        self.memories: dict[int, Memory] = {}
        self.ids: list[int] = []
        self.narratives: list[int] = []
        self.now = BORN
        self._followers = followers

    def by_hash(self, namespace: str, content_hash: str) -> Memory | None:
        for memory in self.memories.values():
            if (memory.namespace, memory.content_hash) == (namespace, content_hash) and memory.holds_its_hash:
                return memory
        return None

    def act(self, act: Act) -> list[Recorded]:
        """What the wish led to; nothing when it was refused, as many random wishes are."""
        try:
            decision = self._decided(act)
        except Rejected:
            return []
        recorded: list[Recorded] = []
        for event in decision.events:
            subject = recorded[0].subject if recorded else decision.subject
            recorded.append(self.record(event, subject, act.namespace))
        return recorded + [self.record(event, subject, act.namespace) for subject, event in decision.others]

    def run(self, *acts: Act) -> None:
        for act in acts:
            assert self.act(act), act
        self.log.commit()

    def record(self, event: Event, subject: int | None = None, namespace: str = "default") -> Recorded:
        self.now += SECOND
        new = NewEvent(namespace, "tests", event, subject)
        if isinstance(event, MemoryErased) and subject is not None:
            recorded = self.log.erase(subject, new, self.now)
        else:
            recorded = self.log.stage(new, self.now)
        if isinstance(event, MemoryStored):
            self.ids.append(recorded.seq)
        if isinstance(event, NarrativeWritten):
            self.narratives.append(recorded.seq)
        for id_ in concerns(recorded):
            after = evolve(self.memories.pop(id_, None), recorded)
            if after is not None:
                self.memories[id_] = after
        for follow in self._followers:
            follow(recorded)
        return recorded

    def _decided(self, act: Act) -> Decision:
        if act.what == "store":
            said = {"kind": "activity", "session_id": act.tag} if act.other % 2 else {}
            new = stored(act.text, tags_manual=(act.tag,), created_at=self.now, **said)
            return decide.store(new, self.by_hash(act.namespace, new.content_hash))
        if act.what in ("begin", "end", "compress"):
            return self._of_session(act)
        id_, other = self._id(act.which), self._id(act.other)
        if act.what == "recall":
            return Decision(outcome="", events=(MemoryRecalled(query=act.text, ids=(id_, other), profile="hebbian"),))
        if act.what == "transition":
            event = MemoryTransitioned(ids=(id_, other), what="state", before="active", after="stale", reason="faded")
            return Decision(outcome="", events=(event, Accessed(ids=(other,), how="timeline")))
        if act.what == "review":
            return Decision(outcome="", events=(MemoryReviewed(ids=(id_, other), what="tags"),))
        if act.what in ("narrate", "unsay"):
            return self._narrated(act, id_)
        return self._judged(act, decide.required(self.memories.get(id_), id_, act.namespace), other)

    def _of_session(self, act: Act) -> Decision:
        if act.what == "begin":
            return Decision(outcome="", events=(SessionStarted(session_id=act.tag),))
        there = [memory for memory in self.memories.values() if memory.namespace == act.namespace]
        said = in_order(memory for memory in there if memory.session_id == act.tag and may_be_told(memory, 0))
        if not said:
            events = (SessionEnded(session_id=act.tag),) if act.what == "end" else ()
            return Decision(outcome="", events=events)
        told = Written(extract(said, 10, 2_000), "extractive")
        new = account(Session(act.namespace, act.tag, said), told, "session", UNDERSTANDING, self.now)
        kind = SessionEnded if act.what == "end" else MemoryCompressed
        ids = tuple(memory.id for memory in said)
        return Decision(outcome="", events=(new, kind(session_id=act.tag, ids=ids, by="extractive")))

    def _narrated(self, act: Act, id_: int) -> Decision:
        if act.what == "narrate":
            previous = self.narratives[-1] if self.narratives else None
            told = NarrativeWritten(summary=act.text, topic=act.tag, memories=(id_,), previous=previous)
            return Decision(outcome="", events=(told,))
        if not self.narratives:
            raise WrongState("nothing was told")
        return decide.erase_narrative(self.narratives[act.which % len(self.narratives)], "")

    def _holding(self, memory: Memory) -> list[Memory]:
        return [one for one in self.memories.values() if memory.id in one.drawn_from]

    def _judged(self, act: Act, memory: Memory, other: int) -> Decision:
        match act.what:
            case "update":
                change = reworded(act.text)
                return decide.update(memory, change, self.by_hash(act.namespace, change.content_hash or ""))
            case "supersede":
                new = decide.required(self.memories.get(other), other, act.namespace)
                return decide.supersede(memory, new, "newer", "")
            case "merge":
                return self._reconciled(memory, Same(self._other(memory, other), "merged", act.text, 0.9))
            case "contradict":
                known, mode = self._other(memory, other), MODES[act.which % len(MODES)]
                outcome = settled(memory, known, CONTRADICTION, mode, RECONCILING)
                return self._reconciled(memory, Conflict(known, CONTRADICTION, None, outcome))
            case "resolve":
                number, against = (*memory.conflicts, (0, 0))[0]
                known = decide.required(self.memories.get(against), against, act.namespace)
                return resolution(number, memory, known, MODES[act.other % len(MODES)], "", RECONCILING)
            case "restore":
                return decide.restore(memory, self.by_hash(memory.namespace, memory.content_hash), "")
            case "read":
                return decide.read(memory)
            case "retag":
                return Decision(outcome="", subject=memory.id, events=(MemoryRetagged(tags_auto=(act.tag,)),))
            case "summarise":
                return Decision(outcome="", subject=memory.id, events=(MemorySummarised(summary=act.text),))
        simple: dict[str, Callable[[], Decision]] = {
            "reinforce": lambda: decide.reinforce(memory, FEEDBACK, ""),
            "demote": lambda: decide.demote(memory, FEEDBACK, ""),
            "pin": lambda: decide.pin(memory, ""),
            "unpin": lambda: decide.unpin(memory, ""),
            "tag": lambda: decide.tag(memory, (act.tag,), LIMITS, ""),
            "untag": lambda: decide.untag(memory, (act.tag,), ""),
            "archive": lambda: decide.archive(memory, "asked", ""),
            "delete": lambda: decide.delete(memory, "", ""),
            "erase": lambda: decide.erase(memory, "", self._holding(memory)),
        }
        return simple[act.what]()

    def _other(self, memory: Memory, id_: int) -> Memory:
        """Somebody to be held against, if the rules would let that happen at all."""
        known = decide.required(self.memories.get(id_), id_, memory.namespace)
        if known.id == memory.id or any(one.replaced or one.state not in LIVE_STATES for one in (memory, known)):
            raise WrongState("nothing to reconcile")
        return known

    def _reconciled(self, memory: Memory, finding: Same | Conflict) -> Decision:
        if memory.absorbed:
            raise WrongState("it stands for others")
        return decision(memory, finding, "temporal", RECONCILING)

    def _id(self, which: int) -> int:
        return self.ids[which % len(self.ids)] if self.ids else 0
