"""Memories move to the tier they belong to."""

import numpy as np
from msgspec import field

from reveried.app.edges import edge_rule
from reveried.config.schema import Config
from reveried.domain.forgetting.columns import TIER_REASONS, TIERS, priorities_at, relationship_scores, tiers
from reveried.domain.forgetting.priority import priority_at
from reveried.domain.forgetting.tiers import relationship_score, tier_change, tier_signals
from reveried.domain.memory import LIVE_STATES, STATES, Memory
from reveried.jobs.applying import transition
from reveried.jobs.fading import degrees_for
from reveried.jobs.work import Change, Done, Job, Plan, Work
from reveried.state.forgetting import Linked, Page, pages
from reveried.state.link_reads import ALONE, Degree

_LIVE = [STATES.index(state) for state in LIVE_STATES]


class TierPlan(Plan, kw_only=True):
    """The links that the moves were planned with: those that this very sleep makes are for the next one to see."""

    degrees: dict[int, Degree] = field(default_factory=dict)


async def _plan(work: Work) -> Plan:
    found: list[Change] = []
    async for page in pages(work.readers.live, linked=Linked(work.readers.live, edge_rule(work.now, work.config))):
        found += _moves(page, work.now, work.config)
    return TierPlan(changes=found, degrees=await degrees_for(work, found))


def _moves(page: Page, now: int, config: Config) -> list[Change]:
    columns = page.columns
    priority = priorities_at(columns, now, relationship_scores(columns, config.tiers), config.priority)
    wanted, reasons = tiers(columns, now, priority, config.retention, config.tiers)
    moving = (wanted != columns.tier) & np.isin(columns.state, _LIVE)
    return [
        Change(
            int(columns.id[row]),
            page.namespaces[row],
            "tier",
            TIERS[columns.tier[row]],
            TIERS[wanted[row]],
            TIER_REASONS[reasons[row]],
        )
        for row in np.flatnonzero(moving).tolist()
    ]


async def _carry_out(work: Work, plan: Plan) -> Done:
    assert isinstance(plan, TierPlan)
    degrees = plan.degrees
    changed = await transition(
        work, plan.changes, lambda memory, change: _holds(work, memory, change, degrees.get(memory.id, ALONE))
    )
    return Done(changed=changed)


def _holds(work: Work, memory: Memory, change: Change, degree: Degree) -> bool:
    config = work.config
    related = relationship_score(degree.edges, degree.recent, config.tiers)
    signals = tier_signals(
        memory,
        work.now,
        priority=priority_at(memory, work.now, related, config.priority),
        edges=degree.edges,
        recent_edges=degree.recent,
        retention=config.retention,
        policy=config.tiers,
    )
    coming = tier_change(memory, signals, config.tiers)
    return coming is not None and (coming.after, coming.reason) == (change.after, change.reason)


STEP = Job(plan=_plan, carry_out=_carry_out)
