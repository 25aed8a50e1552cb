"""What the core needs of the outside world, as protocols: a second backend or a fake clock fits in here."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from msgspec import Struct

from reveried.domain.events import Event, Recorded


class Clock(Protocol):
    def now(self) -> int:
        """Microseconds since the epoch."""
        ...


class NewEvent(Struct, frozen=True):
    """An event on its way into the log. A record that begins has no subject yet: its own number becomes it."""

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

    def by_keys(self, namespace: str, keys: Sequence[str]) -> dict[str, Recorded]:
        """The events that carry one of these keys."""
        ...

    def erase(self, subject: int, erasure: NewEvent, now: int) -> Recorded:
        """Empty every event about the subject and record that, durably; no word of them stays in the log's files."""
        ...

    def erase_all(self, erasures: Sequence[NewEvent], now: int) -> list[Recorded]:
        """Likewise for several subjects, all of them or none; but their words are gone only after a scrub."""
        ...

    def verify(self) -> ChainReport: ...

    def close(self) -> None: ...


class EmbedderCondition(Struct, frozen=True, kw_only=True):
    """`state` is none, looking, cold, starting, ready, failed or closed; `reason` is for people, and empty when all
    is well; `mend` is the command that helps."""

    state: str
    reason: str
    runtime: str
    model: str
    restarts: int
    directory: str = ""
    pid: int | None = None
    mend: str = ""


class Embedder(Protocol):
    """Turns texts into vectors. It may be absent, cold or broken at any time, and never waits longer than told."""

    @property
    def id(self) -> str:
        """Names the model, not what runs it; empty when there is none."""
        ...

    @property
    def dimension(self) -> int: ...

    @property
    def scripts(self) -> str:
        """ "all", or "latin" for a model that was made for English."""
        ...

    @property
    def condition(self) -> EmbedderCondition: ...

    def warm(self) -> None:
        """Start what has to be started, without waiting for it."""
        ...

    async def embed(self, texts: Sequence[str], deadline: float, *, urgent: bool = False) -> list[bytes]:
        """A little-endian float32 vector of length 1 for each text, or `EmbedderUnavailable` within the deadline.

        What is urgent is a question and goes before everything else; what is not, is a memory's text.
        """
        ...

    async def close(self) -> None: ...


class Said(Struct, frozen=True, omit_defaults=True):
    """A text that is to be summed up, and whose it is."""

    text: str
    speaker: str = ""
    trust: str = "normal"


class Summariser(Protocol):
    """Writes summaries. It may be absent or broken at any time; whoever asks can do without."""

    @property
    def name(self) -> str:
        """The model that writes; empty when there is none."""
        ...

    @property
    def pause(self) -> float:
        """For how many seconds it is left alone after a failure."""
        ...

    async def summary(self, said: Sequence[Said], sentences: int) -> str:
        """A summary of at most so many sentences, or `SummariserUnavailable`."""
        ...
