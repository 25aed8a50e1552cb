"""What was deleted long enough ago is erased: its words leave every file."""

from reveried.jobs.applying import erase
from reveried.jobs.fading import due, still_due
from reveried.jobs.work import Change, Done, Job, Plan, Work
from reveried.state.reads import by_ids


async def _plan(work: Work) -> Plan:
    if work.postponed:
        return Plan(notes=[work.postponed])
    changes = await due(work, ("purged",))
    return Plan(changes=changes + await _accounts(work, {change.id: change for change in changes}))


async def _accounts(work: Work, going: dict[int, Change]) -> list[Change]:
    """Whoever tells of those that go holds words of theirs, and goes with them."""
    pools = (work.readers.live, work.readers.archive)
    gone = [memory for pool in pools for memory in await by_ids(pool, list(going))]
    ties = sorted({tie for memory in gone for tie in memory.ties} - going.keys())
    accounts = [memory for pool in pools for memory in await by_ids(pool, ties)]
    return [
        Change(account.id, account.namespace, "state", account.state, "purged", f"tells of [id:{told[0]}]")
        for account in accounts
        if (told := [id_ for id_ in account.drawn_from if id_ in going])
    ]


async def _carry_out(work: Work, plan: Plan) -> Done:
    erased = await erase(work, plan.changes, lambda memory, change: still_due(work, memory, change, {}))
    return Done(changed=erased, notes=plan.notes)


JOB = Job(plan=_plan, carry_out=_carry_out)
