"""Kills under load, one history: what was acknowledged is there, once, and every restart proves its state."""

from collections.abc import Callable

from crash import Crashes
from running import RunningDaemon

# In the long loop a replay of the whole log at every restart would take longer than everything else.
CYCLES, FULL_CYCLES, FULL_VERIFY_EVERY = 60, 1_000, 20


async def test_nothing_acknowledged_is_lost_and_nothing_is_seen_out_of_order(
    start: Callable[..., RunningDaemon], full: bool, record_proof: Callable[[str, str], None]
) -> None:
    cycles = FULL_CYCLES if full else CYCLES
    crashes = Crashes(start(), seed=1)
    proved = 0
    for number in range(1, cycles + 1):
        await crashes.cycle()
        if not full or number % FULL_VERIFY_EVERY == 0:
            crashes.verify()
            proved += 1
    crashes.check_all()
    record_proof("kills under 8 clients", f"{crashes.summary(cycles)}; chain and state proved at {proved} restarts")
