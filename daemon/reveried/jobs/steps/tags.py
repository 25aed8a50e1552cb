"""Automatic tags are read off the words again when they are old, a few memories at a time; tags set by hand stay."""

from collections.abc import Callable

from msgspec import field

from reveried.app.commands import Command, Step, View
from reveried.domain.consolidating.retagging import refreshed
from reveried.domain.decide import UNCHANGED, Decision
from reveried.domain.events import MemoryRetagged, MemoryReviewed
from reveried.domain.forgetting.units import DAY
from reveried.domain.memory import LIVE_STATES
from reveried.jobs.applying import ACTOR, submitted
from reveried.jobs.work import Change, Done, Job, Plan, Work, counted
from reveried.state.looking import with_oldest_tags

WHAT = "tags"


class Looked(Plan, kw_only=True):
    """Whom the run looks at, by namespace; only those that come out different are changes."""

    seen: dict[str, list[int]] = field(default_factory=dict)


async def _plan(work: Work) -> Plan:
    policy = work.config.consolidation
    before = work.now - round(policy.tags_after * DAY)
    found = Looked()
    for memory in await with_oldest_tags(work.readers.live, before, policy.tags_at_once):
        found.seen.setdefault(memory.namespace, []).append(memory.id)
        tags = refreshed(memory, work.config.understanding.tags)
        if tags != memory.tags_auto:
            old, new = " ".join(memory.tags_auto), " ".join(tags)
            found.changes.append(Change(memory.id, memory.namespace, "tags_auto", old, new, "tags_old"))
    return found


async def _carry_out(work: Work, plan: Plan) -> Done:
    assert isinstance(plan, Looked)
    done = Done()
    changing = {change.id for change in plan.changes}
    for namespace, ids in plan.seen.items():
        steps = [Step(decide=_retagging(work, id_)) for id_ in ids if id_ in changing]
        # Last, so that whoever comes out as before is not looked at again before the others had their turn.
        steps.append(Step(decide=_review(tuple(id_ for id_ in ids if id_ not in changing))))
        outcomes = await submitted(work.writer, Command(namespace=namespace, actor=ACTOR, steps=tuple(steps)))
        counted(done.changed, "retagged", sum(outcome.outcome == "retagged" for outcome in outcomes))
    work.advance.done += len(plan.changes)
    return done


def _retagging(work: Work, id_: int) -> Callable[[View], Decision]:
    def decide(view: View) -> Decision:
        memory = view.get(id_)
        tags = () if memory is None else refreshed(memory, work.config.understanding.tags)
        if memory is None or memory.state not in LIVE_STATES or tags == memory.tags_auto:
            return Decision(outcome=UNCHANGED, subject=id_)
        return Decision(outcome="retagged", subject=id_, events=(MemoryRetagged(tags_auto=tags),))

    return decide


def _review(ids: tuple[int, ...]) -> Callable[[View], Decision]:
    def decide(view: View) -> Decision:
        there = tuple(id_ for id_ in ids if view.get(id_) is not None)
        events = (MemoryReviewed(ids=there, what=WHAT),) if there else ()
        return Decision(outcome="reviewed", subject=None if there else 0, events=events)

    return decide


STEP = Job(plan=_plan, carry_out=_carry_out)
