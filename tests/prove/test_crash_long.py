"""Kills under load, one history: what was acknowledged is there, once, and every restart proves its state."""

from collections.abc import Callable

from crash import Crashes
from running import RunningDaemon

CYCLES, FULL_CYCLES = 60, 1_000


async def test_nothing_acknowledged_is_lost_and_nothing_is_seen_out_of_order(
    start: Callable[..., RunningDaemon], full: bool, record_proof: Callable[[str, str], None]
) -> None:
    cycles = FULL_CYCLES if full else CYCLES
    crashes = Crashes(start(), seed=1)
    for _ in range(cycles):
        await crashes.cycle()
        crashes.verify()
    crashes.check_all()
    record_proof("kills under 8 clients", f"{crashes.summary(cycles)}; chain and state proved at every restart")
