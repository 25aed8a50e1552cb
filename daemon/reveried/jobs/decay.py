"""Memories fade: active, stale, archived, and as far as the settings allow, deleted."""

from reveried.jobs.applying import transition
from reveried.jobs.fading import degrees_for, due, still_due
from reveried.jobs.work import Done, Job, Plan, Work

FADING = ("active", "stale", "archived")


async def _plan(work: Work) -> Plan:
    if work.postponed:
        return Plan(changes=await due(work, FADING), notes=[work.postponed])
    return Plan(changes=await due(work, (*FADING, "deleted")))


async def _carry_out(work: Work, plan: Plan) -> Done:
    degrees = await degrees_for(work, plan.changes)
    changed = await transition(work, plan.changes, lambda memory, change: still_due(work, memory, change, degrees))
    return Done(changed=changed, notes=plan.notes)


JOB = Job(plan=_plan, carry_out=_carry_out)
