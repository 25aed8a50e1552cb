"""What was found out about a memory after it was stored, for the caller who still waits to hear it."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from reveried.app.commands import Outcome, Outcomes
from reveried.config.schema import Config
from reveried.domain.reconciling.reconcile import Conflict, Finding, Same

ENRICHED, PENDING = "enriched", "pending"
# A caller asks right after its store was answered; nobody comes back for an older one.
KEPT = 4_096
# With more than this many events before it, an answer in time is unlikely, and waiting would only hold up the caller.
IN_REACH = 128


class Found(Struct, frozen=True):
    """A finding that is in the log, and the event that says so; without one, nothing was to be found."""

    finding: Finding | None = None
    number: int = 0
    seq: int = 0


NOTHING = Found()


class Findings:
    def __init__(self, config: Callable[[], Config]) -> None:
        self._config = config
        self._recent: OrderedDict[int, Found] = OrderedDict()
        self._waiting: dict[int, asyncio.Future[Found]] = {}
        self.seq = 0

    @property
    def awaited(self) -> bool:
        return bool(self._waiting)

    def tell(self, seq: int, found: Found) -> None:
        """The words that event `seq` brought have been held against everything known."""
        self._recent[seq] = found
        while len(self._recent) > KEPT:
            self._recent.popitem(last=False)
        waiting = self._waiting.pop(seq, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(found)

    async def told(self, outcomes: Outcomes) -> Outcomes:
        """The outcomes with what was found out in time; `pending` where nobody knows yet."""
        try:
            async with asyncio.timeout(self._config().reconciling.deadline):
                return tuple([await self._told(outcome) for outcome in outcomes])
        except TimeoutError:
            return tuple(self._known(outcome) for outcome in outcomes)

    async def _told(self, outcome: Outcome) -> Outcome:
        if outcome.outcome == "stored" and not self._is_known(outcome.id) and outcome.id - self.seq <= IN_REACH:
            waiting = self._waiting.setdefault(outcome.id, asyncio.get_running_loop().create_future())
            await asyncio.shield(waiting)
        return self._known(outcome)

    def _is_known(self, id_: int) -> bool:
        return id_ in self._recent or id_ <= self.seq

    def _known(self, outcome: Outcome) -> Outcome:
        if outcome.outcome != "stored":
            return outcome
        if not self._is_known(outcome.id):
            self._waiting.pop(outcome.id, None)
            return replace(outcome, enrichment=PENDING)
        return with_finding(outcome, self._recent.get(outcome.id, NOTHING))


def with_finding(outcome: Outcome, found: Found) -> Outcome:
    """The outcome as it stands by now: `id` is the memory that holds the words."""
    outcome = replace(outcome, enrichment=ENRICHED, seq=max(outcome.seq, found.seq))
    match found.finding:
        case Same(into=into, how=how, similarity=similarity):
            notes = (*outcome.notes, f"kept as [id:{outcome.id}], merged into [id:{into.id}]")
            return replace(outcome, id=into.id, outcome=how, against=into.id, similarity=similarity, notes=notes)
        case Conflict(against=against, found=hit, similarity=similarity, outcome=resolution):
            return replace(
                outcome,
                outcome="conflict",
                against=against.id,
                similarity=similarity,
                conflict=found.number,
                rule=hit.rule,
                confidence=hit.confidence,
                resolution=resolution,
            )
    return outcome
