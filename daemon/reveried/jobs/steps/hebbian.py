"""Having been recalled together is forgotten once it has faded; until then its strength is arithmetic alone."""

from msgspec import field

from reveried.domain.linking.strength import may_fade_before, strength_at
from reveried.jobs.steps.links import removal, unlink
from reveried.jobs.work import Done, Job, Plan, Work, counted
from reveried.state.link_reads import recalled_before
from reveried.state.links import LinkRow

FADED = "faded"
# Looked at in one run, those that were not recalled together for longest.
MOST = 10_000


class FadedPlan(Plan, kw_only=True):
    gone: list[LinkRow] = field(default_factory=list)


async def _plan(work: Work) -> Plan:
    gone = await _faded(work)
    return FadedPlan(changes=[removal(row, FADED) for row in gone], gone=gone)


async def _faded(work: Work) -> list[LinkRow]:
    policy, now = work.config.links, work.now
    rows = await recalled_before(work.readers.live, may_fade_before(now, policy), MOST)
    return [row for row in rows if strength_at(row.together, row.affirmed, row.verified_at, now, policy) < policy.faded]


async def _carry_out(work: Work, plan: Plan) -> Done:
    assert isinstance(plan, FadedPlan)
    still = {row.ends for row in await _faded(work)}
    done = Done()
    counted(done.changed, FADED, await unlink(work, [row for row in plan.gone if row.ends in still], FADED))
    return done


STEP = Job(plan=_plan, carry_out=_carry_out)
