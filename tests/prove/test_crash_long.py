"""Hundreds of kills under load, one history: what was acknowledged is there, once."""

from collections.abc import Callable

from crash import Crashes
from running import RunningDaemon


async def test_nothing_acknowledged_is_lost_in_hundreds_of_kills(
    start: Callable[..., RunningDaemon], full: bool, say: Callable[[str], None]
) -> None:
    cycles = 1_000 if full else 200
    crashes = Crashes(start(), seed=1)
    for number in range(1, cycles + 1):
        await crashes.cycle()
        if number % 10 == 0:
            crashes.verify()
    crashes.check_all()
    say(crashes.summary(cycles))
