"""Memories that are long enough for a summary and have none get one, by the model that is configured or by their first
sentences."""

from collections.abc import Callable

from msgspec import field

from reveried.app.commands import Command, Step, View
from reveried.domain.consolidating.accounts import Written
from reveried.domain.consolidating.lacking import lacks_summary
from reveried.domain.decide import UNCHANGED, Decision
from reveried.domain.events import MemorySummarised
from reveried.domain.memory import LIVE_STATES, Memory
from reveried.jobs.applying import ACTOR, submitted
from reveried.jobs.work import Change, Done, Job, Plan, Work, counted
from reveried.state.looking import without_summary

PAGE = 500
# So far a run looks for them: those that are too short for a summary are met again every time.
MOST_LOOKED_AT = 20_000


class Lacking(Plan, kw_only=True):
    memories: list[Memory] = field(default_factory=list)


async def _plan(work: Work) -> Plan:
    found, after, wanted = Lacking(), 0, work.config.consolidation.summaries_at_once
    for _ in range(MOST_LOOKED_AT // PAGE):
        page = await without_summary(work.readers.live, after, PAGE)
        found.memories += [memory for memory in page if lacks_summary(memory, work.config.understanding)]
        if not page or len(found.memories) >= wanted:
            break
        after = page[-1].id
    found.memories = found.memories[:wanted]
    found.changes = [
        Change(memory.id, memory.namespace, "summary", "", f"by {work.summaries.writer}", "missing")
        for memory in found.memories
    ]
    return found


async def _carry_out(work: Work, plan: Plan) -> Done:
    assert isinstance(plan, Lacking)
    done = Done()
    for memory in plan.memories:
        written = await work.summaries.of_memory(memory)
        if written is not None:
            step = Step(decide=_summarising(memory, written))
            command = Command(namespace=memory.namespace, actor=ACTOR, steps=(step,))
            (outcome,) = await submitted(work.writer, command)
            counted(done.changed, "summarised", int(outcome.outcome == "summarised"))
        work.advance.done += 1
    done.notes += work.summaries.warnings() if plan.memories else []
    return done


def _summarising(memory: Memory, written: Written) -> Callable[[View], Decision]:
    def decide(view: View) -> Decision:
        now = view.get(memory.id)
        if now is None or now.summary is not None or now.content_hash != memory.content_hash:
            return Decision(outcome=UNCHANGED, subject=memory.id)
        if now.state not in LIVE_STATES:
            return Decision(outcome=UNCHANGED, subject=memory.id)
        event = MemorySummarised(summary=written.text, by=written.by)
        return Decision(outcome="summarised", subject=memory.id, events=(event,))

    return decide


STEP = Job(plan=_plan, carry_out=_carry_out)
