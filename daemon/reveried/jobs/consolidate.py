"""What is known is kept in fewer words: near-duplicates as one memory, old sessions as an account of each.

Both are planned before either is carried out, the sessions as they will be after the near-duplicates; so a dry run
names exactly what a run changes. Every pair and every session is one command: a kill leaves whole ones, and the
next run finds the rest.
"""

from reveried.jobs.consolidating import duplicates, sessions
from reveried.jobs.work import Done, Job, Plan, Work


async def _plan(work: Work) -> Plan:
    alike = await duplicates.plan(work)
    old = await sessions.plan(work, alike.after)
    return Plan(
        changes=alike.changes + old.changes,
        notes=alike.notes + old.notes,
        parts={"duplicates": alike, "sessions": old},
    )


async def _carry_out(work: Work, plan: Plan) -> Done:
    alike, old = plan.parts["duplicates"], plan.parts["sessions"]
    assert isinstance(alike, duplicates.Duplicates)
    assert isinstance(old, sessions.Sessions)
    first, second = await duplicates.carry_out(work, alike), await sessions.carry_out(work, old)
    return Done(changed={**first.changed, **second.changed}, notes=first.notes + second.notes)


JOB = Job(plan=_plan, carry_out=_carry_out)
