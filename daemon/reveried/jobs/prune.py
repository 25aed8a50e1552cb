"""Room is made when the live state is too large: the least affirmed memories go to the archive, the pinned never.

Who goes is reckoned in whole rounds beforehand, from the bytes of each record and what the file holds in all, so a dry
run names exactly those that a run archives. The run measures afterwards: should it have fallen short, it says so, and
the next one makes up for it.
"""

import numpy as np
from msgspec.structs import astuple

from reveried.domain.forgetting.columns import Columns, prune_order
from reveried.domain.forgetting.pruning import leaving
from reveried.domain.memory import LIVE_STATES, STATES, Memory
from reveried.jobs.applying import transition
from reveried.jobs.reclaiming import packed
from reveried.jobs.work import Change, Done, Job, Plan, Work, counted
from reveried.state.forgetting import Page, history_rows, pages, size_of
from reveried.state.link_reads import link_rows

REASON = "size_limit"
# What a row costs beside its own words: columns of fixed size, the entries of four indexes.
OVERHEAD = 440
# What stays in the live file: a row of history, a link with its places in two indexes, and the pages that every
# table and index begins with.
HISTORY = 20
LINK = 150
FIXED = 188_000
# Aimed well below: the reckoning is rough, and a store that is just full would be pruned every night.
AIM = 0.9


async def _plan(work: Work) -> Plan:
    """The file is packed first, also for a dry run: nobody shall leave for the sake of gaps and unmerged indexes."""
    limit = work.config.prune.max_bytes
    await packed(work, limit)
    used = (await size_of(work.readers.live)).used
    if used <= limit:
        return Plan(notes=[f"the live state holds {_mb(used)}, within the limit of {_mb(limit)}"])
    found = [page async for page in pages(work.readers.live, lengths=True)]
    staying = HISTORY * await history_rows(work.readers.live) + LINK * await link_rows(work.readers.live)
    movable = max(used - FIXED - staying, 1)
    return Plan(
        changes=_changes(found, used - limit * AIM, movable, work) if found else [],
        notes=[f"the live state holds {_mb(used)}, over the limit of {_mb(limit)}"],
    )


def _changes(found: list[Page], excess: float, movable: int, work: Work) -> list[Change]:
    """Every record's share of the movable bytes is what its own bytes are of all of theirs."""
    columns = _joined([page.columns for page in found])
    weights = np.concatenate([np.array(page.lengths, dtype=np.float64) for page in found]) + OVERHEAD
    share = dict(zip(columns.id.tolist(), (weights * movable / weights.sum()).tolist(), strict=True))
    order = prune_order(columns, work.now, work.config.prune).tolist()
    live = int(np.isin(columns.state, [STATES.index(state) for state in LIVE_STATES]).sum())
    going = set(order[: leaving([share[id_] for id_ in order], live, excess, work.config.prune)])
    return [
        Change(id_, page.namespaces[row], "state", STATES[page.columns.state[row]], "archived", REASON)
        for page in found
        for row, id_ in enumerate(page.columns.id.tolist())
        if id_ in going
    ]


def _joined(parts: list[Columns]) -> Columns:
    *arrays, sources = zip(*map(astuple, parts), strict=True)
    names = Columns.__struct_fields__
    joined = {name: np.concatenate(values) for name, values in zip(names, arrays, strict=False)}
    return Columns(**joined, source=[source for part in sources for source in part])


async def _carry_out(work: Work, plan: Plan) -> Done:
    """Only what was planned."""
    done = Done(changed=await transition(work, plan.changes, _may_leave), notes=list(plan.notes))
    limit = work.config.prune.max_bytes
    counted(done.changed, "bytes_freed", await packed(work, limit))
    left = (await size_of(work.readers.live)).used
    if left > limit:
        done.notes.append(f"it still holds {_mb(left)}: the next run goes on")
    return done


def _may_leave(memory: Memory, change: Change) -> bool:
    return memory.state in LIVE_STATES and not memory.pinned


def _mb(size: int) -> str:
    return f"{size / 1_000_000:,.1f} MB"


JOB = Job(plan=_plan, carry_out=_carry_out)
