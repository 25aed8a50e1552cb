"""The state of forgetting in numbers and points: how memories are spread, what will change, how one of them fades."""

from collections import Counter
from collections.abc import Callable, Sequence

from reverie.protocol.requests import Curve, Stats
from reverie.protocol.results import Coming, CurveReport, Mark, StatsReport
from reveried.app.commands import Caller
from reveried.app.edges import edge_rule
from reveried.app.readers import Readers
from reveried.config.schema import Config
from reveried.domain import decide, drafts
from reveried.domain.forgetting.course import Use, left_at, uses_of
from reveried.domain.forgetting.retention import first_below, stability_days
from reveried.domain.forgetting.units import DAY, last_used_at
from reveried.domain.memory import Memory
from reveried.errors import InvalidField
from reveried.log.reads import affirmations_of, reads_of
from reveried.ports import Clock
from reveried.state.link_reads import ALONE, degrees_of
from reveried.state.reads import by_id

POINTS = 120
# More of them would not be told apart in a picture.
MOST_MARKS = 200
ACCESSED = "accessed"
MOST_DAYS = 3_650


class Outlook:
    def __init__(self, readers: Readers, clock: Clock, config: Callable[[], Config]) -> None:
        self._readers = readers
        self._clock = clock
        self._config = config

    async def stats(self, request: Stats, caller: Caller) -> StatsReport:
        from reveried.jobs.fading import due_in
        from reveried.state.forgetting import Linked, counts, pages_of
        from reveried.state.ripening import ripe_ids

        days = _checked_days(request.days)
        await self._readers.up_to_date(caller)
        config, then = self._config(), self._clock.now() + round(days * DAY)
        states, tiers, kinds = Counter[str](), Counter[str](), Counter[str]()
        coming = Counter[tuple[str, str, str]]()
        for pool in (self._readers.live, self._readers.archive):
            for state, tier, kind, number in await counts(pool, caller.namespace):
                states[state] += number
                tiers[tier] += number
                kinds[kind] += number
            ids = await ripe_ids(pool, then, config.retention, config.forgetting)
            linked = Linked(self._readers.live, edge_rule(then, config))
            async for page in pages_of(pool, ids, linked, caller.namespace):
                coming.update((c.before, c.after, c.reason) for c in due_in(page, then, config))
        changes = [Coming(before=b, after=a, reason=r, count=n) for (b, a, r), n in coming.most_common()]
        return StatsReport(states=dict(states), tiers=dict(tiers), kinds=dict(kinds), days=days, coming=changes)

    async def curve(self, request: Curve, caller: Caller) -> CurveReport:
        """Looking at a curve is not access."""
        config, now = self._config(), self._clock.now()
        memory = await self._subject(request, caller, now)
        past = await self._past(memory) if memory.id else []
        degrees = await degrees_of(self._readers.live, [memory.id], edge_rule(now, config))
        links = degrees.get(memory.id, ALONE).edges
        uses = uses_of(
            memory, [at for what, at in past if what == ACCESSED], [at for what, at in past if what != ACCESSED]
        )
        end = _end(request, memory, now, config, links)
        return CurveReport(
            memory=memory.id or None,
            kind=memory.kind,
            pinned=memory.pinned,
            stability_days=stability_days(memory, links, config.retention),
            start_at=uses[0].at,
            points=[
                ((at - uses[0].at) / DAY, left_at(memory, at, uses, config.retention, links))
                for at in _moments(uses, end)
            ],
            thresholds={
                "stale": config.forgetting.stale_below,
                "archived": config.forgetting.archive_below,
                "deleted": config.forgetting.delete_below,
            },
            marks=_marks(memory, past, now) if memory.id else [],
            access_count=memory.access_count,
        )

    async def _past(self, memory: Memory) -> list[tuple[str, int]]:
        """What happened to it that began its time anew. Told again is read again, as the record counts it."""
        affirmed = await affirmations_of(self._readers.log, memory.id)
        repeated = [at for what, at in affirmed if what == "repeated"]
        reads = await reads_of(self._readers.log, memory.id, min(memory.access_count - len(repeated), MOST_MARKS))
        others = [(what, at) for what, at in affirmed if what != "repeated"]
        return sorted([*((ACCESSED, at) for at in [*reads, *repeated]), *others[-MOST_MARKS:]], key=lambda one: one[1])

    async def _subject(self, request: Curve, caller: Caller, now: int) -> Memory:
        if (request.memory is None) == (request.kind is None):
            raise InvalidField("name a memory or a kind, and not both", field="memory")
        if request.memory is None:
            kind = drafts.checked_kind(request.kind)
            return _typical(kind or "fact", now)
        await self._readers.up_to_date(caller)
        found = await by_id(self._readers.live, request.memory) or await by_id(self._readers.archive, request.memory)
        return decide.required(found, request.memory, caller.namespace)


def _end(request: Curve, memory: Memory, now: int, config: Config, links: int) -> int:
    """As far as was asked for after the last use; otherwise beyond its archival, and beyond now."""
    last = last_used_at(memory)
    if request.days is not None:
        return last + round(_checked_days(request.days) * DAY)
    until = max(first_below(config.forgetting.archive_below, memory, links, config.retention), now)
    return last + round((until - last) * 1.1)


def _moments(uses: Sequence[Use], end: int) -> list[int]:
    """Evenly spread, and each use from both of its sides, so that the curve rises steeply there."""
    start = uses[0].at
    even = [start + (end - start) * step // POINTS for step in range(POINTS + 1)]
    sides = [moment for use in uses[1:] for moment in (use.at - 1, use.at) if moment <= end]
    return sorted({*even, *sides})


def _checked_days(days: float) -> float:
    if not 0 < days <= MOST_DAYS:
        raise InvalidField(f"days is {days:g}; it must be above 0 and at most {MOST_DAYS}", field="days")
    return days


def _marks(memory: Memory, past: Sequence[tuple[str, int]], now: int) -> list[Mark]:
    moments = {"stale": memory.stale_since, "archived": memory.archived_at, "deleted": memory.deleted_at, "now": now}
    found = [("stored", memory.stored_at), *past, *((what, at) for what, at in moments.items() if at is not None)]
    return [Mark(what=what, at=at) for what, at in found]


def _typical(kind: str, now: int) -> Memory:
    """A memory of that kind that was stored now and nobody has touched, for its curve alone."""
    blank = dict.fromkeys(Memory.__struct_fields__)
    return Memory(
        **{**blank, "id": 0, "kind": kind, "importance": 0.6, "access_count": 0, "pinned": False}  # type: ignore[arg-type]
        | {"created_at": now, "stored_at": now, "state": "active", "tags_manual": ()}
    )
