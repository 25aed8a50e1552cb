"""Both clients against the real daemon, through restarts."""

import asyncio

from running import RunningDaemon


def test_a_command_sent_while_the_daemon_restarts_is_carried_out_once(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        client.store("zero")
        for number in range(1, 4):
            daemon.kill()
            daemon.start()
            assert client.store(f"memory {number}").outcome == "stored"
        assert len(client.list().memories) == 4


async def test_hundreds_of_tasks_share_one_connection_through_a_kill(daemon: RunningDaemon) -> None:
    async with daemon.async_client() as client:
        await client.ping()
        storing = [asyncio.create_task(client.store(f"note number {number}")) for number in range(300)]
        await storing[20]
        await asyncio.to_thread(daemon.kill)
        await asyncio.to_thread(daemon.start)
        written = await asyncio.gather(*storing)
        assert len({one.id for one in written}) == 300
        newest = await client.list(limit=200)
        older = await client.list(limit=200, before=int(newest.next or 0))
        assert len(newest.memories + older.memories) == 300
        assert (await client.verify()).ok


async def test_a_subscriber_sees_every_event_once_and_in_order(daemon: RunningDaemon) -> None:
    async with daemon.async_client() as client:
        await client.store_many([f"early {number}" for number in range(50)])
        stream = client.subscribe(1)
        late = asyncio.create_task(client.store_many([f"late {number}" for number in range(50)]))
        seen = [(await anext(stream)).seq for _ in range(100)]
        await stream.aclose()
        await late
    assert seen == list(range(1, 101))
