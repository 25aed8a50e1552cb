"""Room is made when the live state is too large: the least affirmed memories go to the archive, the pinned never.

How many is reckoned beforehand, from the length of each and what the file holds in all, so that a dry run can name
them. Should the reckoning fall short, further rounds follow.
"""

import numpy as np
from msgspec.structs import astuple

from reveried.domain.forgetting.columns import Columns, prune_order
from reveried.domain.forgetting.pruning import round_size
from reveried.domain.memory import LIVE_STATES, STATES, Memory
from reveried.jobs.applying import transition
from reveried.jobs.reclaiming import reclaim
from reveried.jobs.work import Change, Done, Job, Plan, Work, counted
from reveried.log import database
from reveried.state.forgetting import Page, live_bytes, pages

REASON = "size_limit"
# What a row costs beside its words, which the word index holds once more.
OVERHEAD = 400
# Aimed well below: the reckoning is rough, and a store that is just full would be pruned every night.
AIM = 0.9


async def _plan(work: Work) -> Plan:
    used, limit = await live_bytes(work.readers.live), work.config.prune.max_bytes
    if used <= limit:
        return Plan(notes=[f"the live state holds {used} bytes, within the limit of {limit}"])
    found = [page async for page in pages(work.readers.live, lengths=True)]
    return Plan(
        changes=_leaving(found, used - limit * AIM, used, work) if found else [],
        notes=[f"the live state holds {used} bytes, over the limit of {limit}"],
    )


def _leaving(found: list[Page], excess: float, used: int, work: Work) -> list[Change]:
    """Whole rounds, until what leaves should weigh more than the excess."""
    columns = _joined([page.columns for page in found])
    weights = np.concatenate([np.array(page.lengths, dtype=np.float64) for page in found]) + OVERHEAD
    share = dict(zip(columns.id.tolist(), (weights * used / weights.sum()).tolist(), strict=True))
    order = prune_order(columns, work.now, work.config.prune).tolist()
    live = int(np.isin(columns.state, [STATES.index(state) for state in LIVE_STATES]).sum())
    taken, freed = 0, 0.0
    while freed < excess and taken < len(order):
        size = round_size(live - taken, work.config.prune)
        freed += sum(share[id_] for id_ in order[taken : taken + size])
        taken += size
    return _changes(found, set(order[:taken]))


def _changes(found: list[Page], leaving: set[int]) -> list[Change]:
    return [
        Change(id_, page.namespaces[row], "state", STATES[page.columns.state[row]], "archived", REASON)
        for page in found
        for row, id_ in enumerate(page.columns.id.tolist())
        if id_ in leaving
    ]


def _joined(parts: list[Columns]) -> Columns:
    *arrays, sources = zip(*map(astuple, parts), strict=True)
    names = Columns.__struct_fields__
    joined = {name: np.concatenate(values) for name, values in zip(names, arrays, strict=False)}
    return Columns(**joined, source=[source for part in sources for source in part])


async def _carry_out(work: Work, plan: Plan) -> Done:
    done, rounds = Done(notes=list(plan.notes)), 0
    limit = work.config.prune.max_bytes
    while plan.changes:
        moved = await transition(work.writer, plan.changes, _may_leave)
        for name, number in moved.items():
            counted(done.changed, name, number)
        counted(done.changed, "bytes_freed", await reclaim(work))
        rounds += 1
        plan = await _plan(work) if moved else Plan()
    if not rounds and database.size(work.directory.live) > limit:
        counted(done.changed, "bytes_freed", await reclaim(work))
    if rounds > 1:
        done.notes.append(f"the first reckoning fell short: {rounds - 1} more followed")
    return done


def _may_leave(memory: Memory, change: Change) -> bool:
    return memory.state in LIVE_STATES and not memory.pinned


JOB = Job(plan=_plan, carry_out=_carry_out)
