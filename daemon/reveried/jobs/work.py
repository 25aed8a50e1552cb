"""What a job is given, what it plans, and what it reports. A plan is exact: carrying it out changes nothing else."""

from collections.abc import Awaitable, Callable, Iterator, Sequence

from msgspec import Struct

from reveried.app.directory import DataDirectory
from reveried.app.proposing import Proposer
from reveried.app.readers import Readers
from reveried.app.semantics import Semantics
from reveried.app.summaries import Summaries
from reveried.app.upkeep import Upkeep
from reveried.app.writer import Writer
from reveried.config.schema import Config
from reveried.log.backups import Backups


class Advance(Struct, kw_only=True):
    """How far a run is, for whoever looks on: `total` is 0 until it is known how much there is to do."""

    done: int = 0
    total: int = 0


class Work(Struct, frozen=True, kw_only=True):
    writer: Writer
    readers: Readers
    upkeep: Upkeep
    backups: Backups
    directory: DataDirectory
    proposer: Proposer
    semantics: Semantics
    summaries: Summaries
    config: Config
    now: int
    advance: Advance
    postponed: str | None = None  # why nothing may be deleted at the moment


class Change(Struct, frozen=True):
    id: int
    namespace: str
    what: str
    before: str
    after: str
    reason: str


class Plan(Struct, kw_only=True):
    """What would change. A job made of steps keeps the plan of each of them in `parts`."""

    changes: list[Change] = []
    notes: list[str] = []
    parts: dict[str, "Plan"] = {}


class Done(Struct, kw_only=True):
    changed: dict[str, int] = {}
    notes: list[str] = []


class Job(Struct, frozen=True, kw_only=True):
    plan: Callable[[Work], Awaitable[Plan]]
    carry_out: Callable[[Work, Plan], Awaitable[Done]]


def counted(counts: dict[str, int], name: str, number: int) -> None:
    if number:
        counts[name] = counts.get(name, 0) + number


def chunks(ids: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    for start in range(0, len(ids), size):
        yield ids[start : start + size]
