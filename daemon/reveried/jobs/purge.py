"""What was deleted long enough ago is erased: its words leave every file."""

from reveried.jobs.applying import erase
from reveried.jobs.fading import due, still_due
from reveried.jobs.work import Done, Job, Plan, Work


async def _plan(work: Work) -> Plan:
    if work.postponed:
        return Plan(notes=[work.postponed])
    return Plan(changes=await due(work, ("purged",)))


async def _carry_out(work: Work, plan: Plan) -> Done:
    erased = await erase(work, plan.changes, lambda memory, change: still_due(work, memory, change, {}))
    return Done(changed=erased, notes=plan.notes)


JOB = Job(plan=_plan, carry_out=_carry_out)
