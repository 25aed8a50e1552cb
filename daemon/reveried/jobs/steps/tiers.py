"""Memories move to the tier they belong to."""

import numpy as np

from reveried.config.schema import Config
from reveried.domain.forgetting.columns import TIER_REASONS, TIERS, priorities_at, relationship_scores, tiers
from reveried.domain.forgetting.priority import priority_at
from reveried.domain.forgetting.tiers import tier_change, tier_signals
from reveried.domain.memory import LIVE_STATES, STATES, Memory
from reveried.jobs.applying import transition
from reveried.jobs.work import Change, Done, Job, Plan, Work
from reveried.state.forgetting import Page, pages

_LIVE = [STATES.index(state) for state in LIVE_STATES]


async def _plan(work: Work) -> Plan:
    found: list[Change] = []
    async for page in pages(work.readers.live):
        found += _moves(page, work.now, work.config)
    return Plan(changes=found)


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
    return Done(changed=await transition(work, plan.changes, lambda memory, change: _holds(work, memory, change)))


def _holds(work: Work, memory: Memory, change: Change) -> bool:
    config = work.config
    signals = tier_signals(
        memory,
        work.now,
        priority=priority_at(memory, work.now, 0.0, config.priority),
        edges=0,
        recent_edges=0,
        retention=config.retention,
        policy=config.tiers,
    )
    coming = tier_change(memory, signals, config.tiers)
    return coming is not None and (coming.after, coming.reason) == (change.after, change.reason)


STEP = Job(plan=_plan, carry_out=_carry_out)
