"""A fresh copy of the log every day, and no more of them than are wanted."""

from pathlib import Path

from reveried.jobs.work import Done, Job, Plan, Work


async def _plan(work: Work) -> Plan:
    leaving = [path.name for path in _surplus(work, work.config.jobs.keep_snapshots - 1)]
    return Plan(notes=["a copy of the log is made", *(f"{name} is removed" for name in leaving)])


async def _carry_out(work: Work, plan: Plan) -> Done:
    made = await work.upkeep.backup()
    surplus = _surplus(work, work.config.jobs.keep_snapshots)
    for path in surplus:
        work.backups.remove(path)
    return Done(changed={"copied": 1, "removed": len(surplus)}, notes=[f"{Path(made.path).name}, {made.events} events"])


def _surplus(work: Work, keep: int) -> list[Path]:
    """The oldest; their names begin with their time."""
    found = work.backups.all()
    return found[: max(len(found) - keep, 0)]


JOB = Job(plan=_plan, carry_out=_carry_out)
