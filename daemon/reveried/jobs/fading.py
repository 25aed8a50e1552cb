"""The changes of state that are due, found over columns and proved again over the record before they are written."""

from collections.abc import Collection

import numpy as np

from reveried.config.schema import Config
from reveried.domain.forgetting.columns import NONE, REASONS, next_states
from reveried.domain.forgetting.lifecycle import LADDER, next_state
from reveried.domain.memory import STATES, Memory
from reveried.jobs.work import Change, Work
from reveried.state.forgetting import Page, pages, ripe


async def due(work: Work, wanted: Collection[str]) -> list[Change]:
    """Every memory, live or archived, that should be in one of these states by now."""
    found: list[Change] = []
    only = ripe(work.now, work.config.retention, work.config.forgetting)
    for pool in (work.readers.live, work.readers.archive):
        async for page in pages(pool, only=only):
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


def still_due(work: Work, memory: Memory, change: Change) -> bool:
    config = work.config
    coming = next_state(memory, memory.stale_since, work.now, config.retention, config.forgetting)
    return coming is not None and (coming.after, coming.reason) == (change.after, change.reason)
