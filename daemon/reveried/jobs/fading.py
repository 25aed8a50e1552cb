"""The changes of state that are due, found over columns and proved again over the record before they are written."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from reveried.app.edges import edge_rule
from reveried.config.schema import Config
from reveried.domain.forgetting.columns import NONE, REASONS, next_states
from reveried.domain.forgetting.lifecycle import LADDER, next_state
from reveried.domain.memory import STATES, Memory
from reveried.jobs.work import Change, Work, chunks
from reveried.state.forgetting import Linked, Page, pages_of
from reveried.state.link_reads import ALONE, Degree, degrees_of
from reveried.state.ripening import ripe_ids

# Links of so many memories are counted by one query.
AT_ONCE = 5_000


async def due(work: Work, wanted: Collection[str]) -> list[Change]:
    """Every memory, live or archived, that should be in one of these states by now."""
    found: list[Change] = []
    linked = Linked(work.readers.live, edge_rule(work.now, work.config))
    for pool in (work.readers.live, work.readers.archive):
        ids = await ripe_ids(pool, work.now, work.config.retention, work.config.forgetting)
        async for page in pages_of(pool, ids, linked):
            found += [change for change in due_in(page, work.now, work.config) if change.after in wanted]
    return found


def due_in(page: Page, now: int, config: Config) -> list[Change]:
    columns = page.columns
    states, reasons = next_states(columns, now, config.retention, config.forgetting)
    return [
        Change(
            int(columns.id[row]),
            page.namespaces[row],
            "state",
            STATES[columns.state[row]],
            LADDER[states[row]],
            REASONS[reasons[row]],
        )
        for row in np.flatnonzero(states != NONE).tolist()
    ]


async def degrees_for(work: Work, changes: Sequence[Change]) -> dict[int, Degree]:
    """The links of those that are to change, as they are by now."""
    found: dict[int, Degree] = {}
    for part in chunks([change.id for change in changes], AT_ONCE):
        found |= await degrees_of(work.readers.live, part, edge_rule(work.now, work.config))
    return found


def still_due(work: Work, memory: Memory, change: Change, degrees: Mapping[int, Degree]) -> bool:
    config, links = work.config, degrees.get(memory.id, ALONE).edges
    coming = next_state(memory, memory.stale_since, work.now, config.retention, config.forgetting, links)
    return coming is not None and (coming.after, coming.reason) == (change.after, change.reason)
