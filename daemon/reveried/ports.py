"""What the core needs of the outside world, as protocols: a second backend or a fake clock fits in here."""

from collections.abc import Iterator
from typing import Protocol

from msgspec import Struct

from reveried.domain.events import Event, Recorded


class Clock(Protocol):
    def now(self) -> int:
        """Microseconds since the epoch."""
        ...


class NewEvent(Struct, frozen=True):
    """An event on its way into the log. A `MemoryStored` has no subject yet: its own number becomes it."""

    namespace: str
    actor: str
    event: Event
    subject: int | None = None
    key: str | None = None


class ChainReport(Struct, kw_only=True):
    """What a walk over the whole log found; `problems` is empty for a sound log."""

    events: int
    head: int
    chain: str
    erased: int
    problems: list[str]


class EventLog(Protocol):
    """An append-only, gapless, hash-chained sequence of events. One writer at a time."""

    @property
    def head(self) -> int:
        """The number of the last event; 0 when there is none."""
        ...

    def stage(self, new: NewEvent, now: int) -> Recorded:
        """Give an event its place. It is in the log only after `commit`."""
        ...

    def commit(self) -> None:
        """Everything staged, or nothing of it; durable on return."""
        ...

    def discard(self) -> None:
        """Forget what was staged."""
        ...

    def read(self, after: int, upto: int | None = None, limit: int | None = None) -> Iterator[Recorded]: ...

    def by_key(self, namespace: str, key: str) -> Recorded | None: ...

    def erase(self, subject: int, erasure: NewEvent, now: int) -> Recorded:
        """Empty every event about the subject and record that, durably; no word of them stays in the log's files."""
        ...

    def verify(self) -> ChainReport: ...

    def close(self) -> None: ...
