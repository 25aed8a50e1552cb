"""What was acknowledged survives a kill at any moment, once; what was not is there once or not at all."""

from collections.abc import Callable

from crash import Crashes
from running import RunningDaemon

CYCLES = 10


async def test_nothing_acknowledged_is_lost_in_ten_kills(start: Callable[..., RunningDaemon]) -> None:
    crashes = Crashes(start(), seed=20)
    for number in range(1, CYCLES + 1):
        await crashes.cycle()
        if number % 3 == 0:
            crashes.verify()
    crashes.check_all()
    assert len(crashes.history.acknowledged) > CYCLES


def test_a_client_sees_its_own_write_at_once_also_after_a_kill(start: Callable[..., RunningDaemon]) -> None:
    daemon = start()
    for number in range(5):
        with daemon.client() as client:
            stored = client.store(f"observation {number} of the northern lighthouse")
            assert client.get(stored.id).content == f"observation {number} of the northern lighthouse"
            assert stored.id in [memory.id for memory in client.recall("northern lighthouse", limit=10).memories]
        daemon.kill()
        daemon.start()
    with daemon.client() as client:
        assert len(client.list().memories) == 5
