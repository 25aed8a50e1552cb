"""Kills under load: what was acknowledged is there, once, and restarts prove their state.

One history is as long as it gets, for what only shows in a store that was killed hundreds of times; there a replay at
every restart would take longer than everything else. In the others every restart is proved.
"""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from crash import Crashes
from running import RunningDaemon


class History(NamedTuple):
    kills: int
    proved_every: int


BOUNDED = (History(60, 1),)
FULL = (History(1_000, 20), *(History(200, 1),) * 5)


@pytest.mark.timeout(4 * 3600)
async def test_nothing_acknowledged_is_lost_and_nothing_is_seen_out_of_order(
    tmp_path: Path, full: bool, record_proof: Callable[[str, str], None]
) -> None:
    for seed, history in enumerate(FULL if full else BOUNDED, 1):
        home = tmp_path / str(seed)
        home.mkdir()
        daemon = RunningDaemon(home)
        try:
            daemon.start()
            told = await _lived(Crashes(daemon, seed), history)
        finally:
            daemon.end()
        record_proof("kills under 8 clients", told)


async def _lived(crashes: Crashes, history: History) -> str:
    proved = 0
    for number in range(1, history.kills + 1):
        await crashes.cycle()
        if number % history.proved_every == 0:
            crashes.verify()
            proved += 1
    crashes.check_all()
    return f"{crashes.summary(history.kills)}; chain and state proved at {proved} restarts"
