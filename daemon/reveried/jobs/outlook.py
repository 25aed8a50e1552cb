"""The state of forgetting in numbers and points: how memories are spread, what will change, how one of them fades."""

from collections import Counter
from collections.abc import Callable

from reverie.protocol.requests import Curve, Stats
from reverie.protocol.results import Coming, CurveReport, Mark, StatsReport
from reveried.app.commands import Caller
from reveried.app.readers import Readers
from reveried.config.schema import Config
from reveried.domain import decide, drafts
from reveried.domain.forgetting.retention import first_below, stability_days
from reveried.domain.forgetting.units import DAY, last_used_at
from reveried.domain.memory import Memory
from reveried.errors import InvalidField
from reveried.ports import Clock
from reveried.state.reads import by_id

POINTS = 120
MOST_DAYS = 3_650


class Outlook:
    def __init__(self, readers: Readers, clock: Clock, config: Callable[[], Config]) -> None:
        self._readers = readers
        self._clock = clock
        self._config = config

    async def stats(self, request: Stats, caller: Caller) -> StatsReport:
        from reveried.domain.forgetting.columns import NONE, TIERS
        from reveried.domain.memory import KINDS, STATES
        from reveried.jobs.fading import due_in
        from reveried.state.forgetting import pages

        days = _checked_days(request.days)
        await self._readers.up_to_date(caller)
        then = self._clock.now() + round(days * DAY)
        states, tiers, kinds = Counter[str](), Counter[str](), Counter[str]()
        coming = Counter[tuple[str, str, str]]()
        for pool in (self._readers.live, self._readers.archive):
            async for page in pages(pool, caller.namespace):
                columns = page.columns
                states.update(STATES[code] for code in columns.state)
                tiers.update(TIERS[code] for code in columns.tier)
                kinds.update("other" if code == NONE else KINDS[code] for code in columns.kind)
                coming.update((c.before, c.after, c.reason) for c in due_in(page, then, self._config()))
        changes = [Coming(before=b, after=a, reason=r, count=n) for (b, a, r), n in coming.most_common()]
        return StatsReport(states=dict(states), tiers=dict(tiers), kinds=dict(kinds), days=days, coming=changes)

    async def curve(self, request: Curve, caller: Caller) -> CurveReport:
        """Looking at a curve is not access."""
        memory = await self._subject(request, caller)
        config, now = self._config(), self._clock.now()
        start = last_used_at(memory) if memory.id else now
        stability = stability_days(memory, 0, config.retention)
        span = _span(request, memory, start, now, config)
        times = [span * step / POINTS for step in range(POINTS + 1)]
        return CurveReport(
            memory=memory.id or None,
            kind=memory.kind,
            pinned=memory.pinned,
            stability_days=stability,
            start_at=start,
            points=[(day, _left(memory, day, stability)) for day in times],
            thresholds={
                "stale": config.forgetting.stale_below,
                "archived": config.forgetting.archive_below,
                "deleted": config.forgetting.delete_below,
            },
            marks=_marks(memory, now) if memory.id else [],
        )

    async def _subject(self, request: Curve, caller: Caller) -> Memory:
        if (request.memory is None) == (request.kind is None):
            raise InvalidField("name a memory or a kind, and not both", field="memory")
        if request.memory is None:
            kind = drafts.checked_kind(request.kind)
            return _typical(kind or "fact")
        await self._readers.up_to_date(caller)
        found = await by_id(self._readers.live, request.memory) or await by_id(self._readers.archive, request.memory)
        return decide.required(found, request.memory, caller.namespace)


def _left(memory: Memory, day: float, stability: float) -> float:
    from math import exp

    return 1.0 if memory.pinned else exp(-day / stability)


def _span(request: Curve, memory: Memory, start: int, now: int, config: Config) -> float:
    if request.days is not None:
        return _checked_days(request.days)
    until = first_below(config.forgetting.archive_below, memory, 0, config.retention) - last_used_at(memory)
    return max(until, now - start) / DAY * 1.1


def _checked_days(days: float) -> float:
    if not 0 < days <= MOST_DAYS:
        raise InvalidField(f"days is {days:g}; it must be above 0 and at most {MOST_DAYS}", field="days")
    return days


def _marks(memory: Memory, now: int) -> list[Mark]:
    moments = {
        "stored": memory.stored_at,
        "accessed": memory.last_accessed_at,
        "reinforced": memory.reinforced_at,
        "stale": memory.stale_since,
        "archived": memory.archived_at,
        "deleted": memory.deleted_at,
        "now": now,
    }
    return [Mark(what=what, at=at) for what, at in moments.items() if at is not None]


def _typical(kind: str) -> Memory:
    """A memory of that kind that nobody has touched, for its curve alone."""
    blank = dict.fromkeys(Memory.__struct_fields__)
    return Memory(
        **{**blank, "id": 0, "kind": kind, "importance": 0.6, "access_count": 0, "pinned": False}  # type: ignore[arg-type]
        | {"created_at": 0, "stored_at": 0, "state": "active", "tags_manual": ()}
    )
