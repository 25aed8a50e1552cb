"""A subscriber sees every event of its namespace once, in order, across restarts of the daemon, and no others."""

import asyncio
from collections.abc import AsyncGenerator, Callable

import pytest

from reverie.protocol.results import EventView
from running import RunningDaemon
from wire import Wire

Start = Callable[..., RunningDaemon]


async def _take(events: AsyncGenerator[EventView, None], count: int) -> list[EventView]:
    found: list[EventView] = []
    async with asyncio.timeout(30):
        while len(found) < count:
            found.append(await anext(events))
    return found


async def test_events_arrive_as_they_happen(daemon: RunningDaemon) -> None:
    async with daemon.async_client() as client:
        await client.store("before anybody listened")
        tail = client.subscribe()
        first = asyncio.ensure_future(_take(tail, 2))
        while not first.done():  # the subscription begins at some moment; from then on nothing is missed
            await client.store(f"news number {(await client.ping()).head}")
        seen = await first
        assert [event.seq for event in seen] == [seen[0].seq, seen[0].seq + 1]
        assert seen[0].seq > 1
        assert seen[0].payload is not None
        assert seen[0].payload["content"].startswith("news number")
        await tail.aclose()


@pytest.mark.parametrize("ending", ["stop", "kill"])
async def test_a_subscriber_misses_nothing_and_sees_nothing_twice_across_a_restart(start: Start, ending: str) -> None:
    daemon = start()
    async with daemon.async_client() as client:
        await client.store_many([f"entry {number}" for number in range(300)])
        events = client.subscribe(from_seq=1)
        seen = await _take(events, 120)
        following = asyncio.ensure_future(_take(events, 280))
        await asyncio.to_thread(daemon.stop if ending == "stop" else daemon.kill)
        await asyncio.to_thread(daemon.start)
        await client.store_many([f"later entry {number}" for number in range(100)])
        seen += await following
        assert [event.seq for event in seen] == list(range(1, 401))
        await events.aclose()


@pytest.mark.parametrize("from_seq", [1, 2, 199, 200, 201, 250, 401])
async def test_a_subscription_can_begin_anywhere(daemon: RunningDaemon, from_seq: int) -> None:
    async with daemon.async_client() as client:
        await client.store_many([f"entry {number}" for number in range(400)])
        events = client.subscribe(from_seq=from_seq)
        following = asyncio.ensure_future(_take(events, 402 - from_seq))
        last = await client.store("one more")
        assert [event.seq for event in await following] == list(range(from_seq, last.seq + 1))
        await events.aclose()


async def test_what_happens_elsewhere_never_arrives(daemon: RunningDaemon) -> None:
    async with daemon.async_client("ours") as ours, daemon.async_client("theirs") as theirs:
        events = ours.subscribe(from_seq=1)
        following = asyncio.ensure_future(_take(events, 50))
        for number in range(50):
            await theirs.store_many([f"secret {number} {part}" for part in range(5)])
            await ours.store(f"open {number}")
        seen = await following
        assert {event.namespace for event in seen} == {"ours"}
        assert [event.payload["content"] for event in seen if event.payload] == [f"open {n}" for n in range(50)]
        await events.aclose()


def test_a_subscriber_that_stops_reading_is_cut_and_costs_no_memory(start: Start) -> None:
    daemon = start(config="server:\n  slow_reader_timeout: 0.5\n")
    with daemon.client() as client:
        for number in range(40):
            client.store(f"{number} " + "a long story " * 7_000)
        client.list(limit=1)
        before = daemon.resident_bytes
        with Wire(daemon.socket) as deaf:
            deaf.send({"op": "subscribe", "id": 1, "from_seq": 1})
            while client.status().connections > 1:
                client.store("life goes on")
            assert daemon.resident_bytes - before < 32 * 1024 * 1024
            read = 0
            while deaf.receive() is not None:
                read += 1
            assert read < 40
    assert "does not read" in daemon.journal.read_text()


def test_an_ended_subscription_says_no_more(daemon: RunningDaemon) -> None:
    with daemon.client() as client, Wire(daemon.socket) as wire:
        assert wire.ask({"op": "subscribe", "id": 5})["result"]["subscription"] == 5
        client.store("heard")
        heard = wire.receive()
        assert heard is not None
        assert (heard["id"], heard["event"]["type"]) == (5, "memory.stored")
        assert wire.ask({"op": "unsubscribe", "id": 6, "subscription": 5})["id"] == 6
        client.store("not heard")
        assert wire.ask({"op": "ping", "id": 7})["id"] == 7
