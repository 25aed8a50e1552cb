"""While nobody looks, the memory is put in order, step by step. All steps are planned before the first is carried out:
so a dry run names exactly what a run changes, and a step sees the work of another at the next run."""

from typing import Final

from reveried.jobs.steps import hebbian, links, summaries, tags, tiers
from reveried.jobs.work import Done, Job, Plan, Work, counted

# In the order in which they are carried out. Adding one is a module with a `STEP` and one line here.
STEPS: Final = {
    "tag": tags.STEP,
    "link": links.STEP,
    "tiers": tiers.STEP,
    "summarise": summaries.STEP,
    "hebbian": hebbian.STEP,
}


async def _plan(work: Work) -> Plan:
    parts = {name: await step.plan(work) for name, step in STEPS.items()}
    return Plan(
        changes=[change for part in parts.values() for change in part.changes],
        notes=[note for part in parts.values() for note in part.notes],
        parts=parts,
    )


async def _carry_out(work: Work, plan: Plan) -> Done:
    done = Done()
    for name, step in STEPS.items():
        one = await step.carry_out(work, plan.parts[name])
        done.notes += one.notes
        for what, count in one.changed.items():
            counted(done.changed, what, count)
    return done


JOB = Job(plan=_plan, carry_out=_carry_out)
