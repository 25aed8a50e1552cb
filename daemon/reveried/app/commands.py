"""A command on its way to the writer, and what it comes back with."""

import asyncio
from collections.abc import Callable
from typing import Protocol

from msgspec import Struct

from reveried.domain.decide import OUTCOMES, Decision, carries_request
from reveried.domain.events import DocumentReceived, MemoryStored, Recorded
from reveried.domain.memory import Memory
from reveried.errors import KeyConflict
from reveried.state.sessions import SessionRow


class View(Protocol):
    """The state a decision sees: every event before it, also those no table holds yet."""

    def get(self, id_: int) -> Memory | None: ...

    def holding(self, memory: Memory) -> tuple[Memory, ...]:
        """Who else holds its words: the chunks of a document, and the accounts drawn from it or from them."""
        ...

    def by_hash(self, namespace: str, content_hash: str) -> Memory | None: ...

    def all_by_hash(self, namespace: str, content_hash: str) -> list[Memory]: ...
    def absorbing(self, namespace: str, content_hash: str) -> Memory | None: ...

    def session(self, namespace: str, session_id: str) -> SessionRow | None: ...

    def narrative(self, namespace: str, id_: int) -> bool:
        """Whether there is one of that number whose words are still there."""
        ...

    def latest_narrative(self, namespace: str) -> int | None: ...

    def narratives_naming(self, memory: Memory) -> list[int]: ...


class Caller(Struct):
    """Who asks, on one connection, and the last event written there: its reads must see at least that."""

    namespace: str
    actor: str
    written: int = 0


class Outcome(Struct, frozen=True, kw_only=True, omit_defaults=True):
    id: int
    outcome: str
    seq: int
    repeated: bool = False
    notes: tuple[str, ...] = ()
    # What was found out about it afterwards, see `app.findings`.
    enrichment: str | None = None
    against: int | None = None
    similarity: float | None = None
    conflict: int | None = None
    rule: str | None = None
    confidence: float | None = None
    resolution: str | None = None


class Step(Struct, frozen=True, kw_only=True):
    """One decision. It runs on the writer's thread and sees everything before it, earlier steps included."""

    decide: Callable[[View], Decision]
    key: str | None = None
    fingerprint: str = ""


class Command(Struct, frozen=True, kw_only=True):
    """Steps that become durable together or not at all; only the first may refuse."""

    namespace: str
    actor: str
    steps: tuple[Step, ...]
    erases: bool = False


Outcomes = tuple[Outcome, ...]


class Submitted(Struct, frozen=True):
    command: Command
    done: "asyncio.Future[Outcomes]"


def outcome_of(decision: Decision, recorded: list[Recorded], head: int) -> Outcome:
    if not recorded:
        return Outcome(id=decision.subject or 0, outcome=decision.outcome, seq=head)
    id_ = recorded[0].seq if decision.subject is None else decision.subject
    return Outcome(id=id_, outcome=decision.outcome, seq=recorded[-1].seq, notes=decision.notes)


def outcome_again(step: Step, namespace: str, recorded: Recorded) -> Outcome:
    """The answer to a retried step: what the first try led to. The same key with another body is a mistake."""
    first = carries_request(recorded.event)
    if recorded.namespace != namespace or (first and first != step.fingerprint):
        raise KeyConflict(
            "this idempotency key was used before, for another request",
            field="key",
            hint="use a new key for each new request",
        )
    notes = recorded.event.notes if isinstance(recorded.event, MemoryStored | DocumentReceived) else ()
    return Outcome(
        id=recorded.seq if recorded.subject is None else recorded.subject,
        outcome=OUTCOMES.get(recorded.type, recorded.type),
        seq=recorded.seq,
        repeated=True,
        notes=notes,
    )
