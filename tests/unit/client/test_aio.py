"""The asyncio client: many in flight, any order, cancellable, nothing left behind."""

import asyncio
import inspect
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from reverie import AsyncClient, Client
from reverie.errors import BadReply, DaemonUnavailable, NotFound, ReverieError, TimedOut
from unit.client.peer import HANG_UP, SILENCE, Asked, Peer, event, ok, refused, written

Start = Callable[[Callable[[Asked], Any]], Peer]


def public(client: type) -> dict[str, list[str]]:
    return {
        name: [str(given) for given in inspect.signature(method).parameters.values() if given.name != "self"]
        for name, method in vars(client).items()
        if not name.startswith("_") and callable(method)
    }


def test_both_clients_offer_the_same_methods_with_the_same_signatures() -> None:
    assert public(Client) == public(AsyncClient)
    assert inspect.signature(Client).parameters == inspect.signature(AsyncClient).parameters
    assert len(public(Client)) > 25


async def test_answers_out_of_order_reach_their_own_callers(peer: Start) -> None:
    held: list[Asked] = []

    def answer(asked: Asked) -> Any:
        held.append(asked)
        if len(held) < 4:
            return SILENCE
        return [written(one, one["memory"]) for one in reversed(held)]

    daemon = peer(answer)
    async with AsyncClient(daemon.path) as client:
        results = await asyncio.gather(*(client.pin(number) for number in (11, 12, 13, 14)))
    assert [result.id for result in results] == [11, 12, 13, 14]
    assert daemon.connections == 1


async def test_never_more_in_flight_than_the_daemon_allows(peer: Start) -> None:
    held: list[Asked] = []
    most = 0

    def answer(asked: Asked) -> Any:
        nonlocal most
        held.append(asked)
        most = max(most, len(held))
        if len(held) < 4:
            return SILENCE
        replies = [written(one) for one in held]
        held.clear()
        return replies

    daemon = peer(answer)
    async with AsyncClient(daemon.path) as client:
        await asyncio.gather(*(client.pin(1) for _ in range(40)))
    assert most == 4


async def test_a_lost_connection_is_mended_for_everyone_under_the_same_keys(peer: Start) -> None:
    tries = count()
    daemon = peer(lambda asked: HANG_UP if next(tries) == 3 else written(asked, asked["memory"]))
    async with AsyncClient(daemon.path) as client:
        results = await asyncio.gather(*(client.pin(number) for number in range(1, 21)))
    assert [result.id for result in results] == list(range(1, 21))
    assert len({asked["key"] for asked in daemon.asked}) == 20
    assert daemon.connections == 2


async def test_a_cancelled_call_harms_no_other_and_its_late_answer_is_dropped(peer: Start) -> None:
    silent: list[Asked] = []

    def answer(asked: Asked) -> Any:
        if asked["op"] == "doctor":
            silent.append(asked)
            return SILENCE
        late = [refused(one, "internal") for one in silent]
        silent.clear()
        return [*late, ok(asked, {"head": 3})]

    daemon = peer(answer)
    async with AsyncClient(daemon.path) as client:
        await client.ping()
        slow = asyncio.create_task(client.doctor())
        await asyncio.to_thread(daemon.until_asked, 2)
        slow.cancel()
        with pytest.raises(asyncio.CancelledError):
            await slow
        assert (await client.ping()).head == 3
        assert (await client.ping()).head == 3
    assert daemon.connections == 1


async def test_a_slot_of_a_cancelled_call_stays_taken_until_the_daemon_is_done(peer: Start) -> None:
    daemon = peer(lambda asked: SILENCE if asked["op"] == "doctor" else ok(asked, {"head": 1}))
    async with AsyncClient(daemon.path, timeout=0.2) as client:
        await client.ping()
        slow = [asyncio.create_task(client.doctor()) for _ in range(4)]
        await asyncio.to_thread(daemon.until_asked, 5)
        for task in slow:
            task.cancel()
        with pytest.raises(TimedOut):
            await client.ping()


async def test_refusals_timeouts_and_nonsense_are_typed(peer: Start) -> None:
    replies: dict[str, Callable[[Asked], Any]] = {
        "get": lambda asked: refused(asked, "not_found"),
        "status": lambda _: SILENCE,
        "ping": lambda _: {"id": 4711, "ok": True, "result": 0},
    }
    daemon = peer(lambda asked: replies[asked["op"]](asked))
    async with AsyncClient(daemon.path, timeout=0.2) as client:
        with pytest.raises(NotFound):
            await client.get(1)
        with pytest.raises(TimedOut):
            await client.status()
        with pytest.raises(BadReply):
            await client.ping()


async def test_without_a_daemon_it_says_so(tmp_path: Path) -> None:
    async with AsyncClient(tmp_path / "absent.sock") as client:
        with pytest.raises(DaemonUnavailable, match=r"absent\.sock"):
            await client.ping()


async def test_closing_ends_what_still_waits_and_leaves_no_task(peer: Start) -> None:
    daemon = peer(lambda _: SILENCE)
    client = AsyncClient(daemon.path)
    waiting = asyncio.create_task(client.ping())
    await asyncio.to_thread(daemon.until_asked, 1)
    await client.close()
    with pytest.raises(ReverieError, match="closed"):
        await waiting
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_subscription_goes_on_where_a_lost_connection_left_it(peer: Start) -> None:
    def answer(asked: Asked) -> Any:
        start = asked.get("from_seq", 3)
        return [ok(asked, {"subscription": 9, "from_seq": start}), event(9, start)]

    daemon = peer(answer)
    seen = []
    async with AsyncClient(daemon.path) as client:
        stream = client.subscribe()
        async for one in stream:
            seen.append(one.seq)
            daemon.hang_up()
            if len(seen) == 3:
                break
        await stream.aclose()
    assert seen == [3, 4, 5]
    assert [asked.get("from_seq") for asked in daemon.asked] == [None, 4, 5]
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_slow_consumer_gets_every_event_in_order(peer: Start) -> None:
    total = 5_000

    def answer(asked: Asked) -> Any:
        return [ok(asked, {"subscription": 9, "from_seq": 1}), *(event(9, seq) for seq in range(1, total + 1))]

    daemon = peer(answer)
    seen = []
    async with AsyncClient(daemon.path) as client:
        stream = client.subscribe(1)
        async for one in stream:
            seen.append(one.seq)
            if one.seq % 500 == 0:
                await asyncio.sleep(0.002)
            if one.seq == total:
                break
        await stream.aclose()
    assert seen == list(range(1, total + 1))
