"""The files are tidied: indexes merged, free pages given back, write-ahead logs cut to nothing."""

from reveried.jobs.reclaiming import reclaim
from reveried.jobs.work import Done, Job, Plan, Work


async def _plan(work: Work) -> Plan:
    return Plan(notes=["indexes are merged, free pages given back, write-ahead logs cut"])


async def _carry_out(work: Work, plan: Plan) -> Done:
    freed = await reclaim(work)
    await work.writer.run(work.writer.log.scrub)
    return Done(changed={"bytes_freed": freed})


JOB = Job(plan=_plan, carry_out=_carry_out)
