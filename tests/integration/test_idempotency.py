"""A command sent twice under one key happens once, whatever became of the first reply."""

import asyncio
import itertools
import random
from collections.abc import Callable

import pytest

from logfile import count, rows
from reverie.errors import InvalidField, KeyConflict
from running import RunningDaemon
from wire import Wire, store

Start = Callable[..., RunningDaemon]
RETRIED = 10_000
BURST = 250
# The client of these tests does not wait for replies, so the limit on waiting requests is not what they are about.
PATIENT = "server:\n  max_in_flight: 1000\n  max_queue: 100000\n"


def _draft(number: int) -> dict[str, object]:
    return store(number, f"retried remark {number}", key=f"key-{number}")


def test_ten_thousand_commands_with_lost_replies_happen_ten_thousand_times(start: Start) -> None:
    daemon = start(config=PATIENT)
    luck = random.Random(7)
    waiting = set(range(RETRIED))
    repeated = 0
    while waiting:
        with Wire(daemon.socket) as wire:
            burst = list(itertools.islice(waiting, BURST))
            wire.send(*map(_draft, burst))
            # Some replies are read, then the line is cut while the others are on their way.
            for _ in range(luck.choice((0, len(burst) // 2, len(burst), len(burst)))):
                reply = wire.receive()
                assert reply is not None
                assert reply["ok"], reply
                repeated += reply["result"].get("repeated", False)
                waiting.discard(reply["id"])
    assert repeated > 0
    assert count(daemon.data, "memory.stored") == RETRIED
    assert rows(daemon.data, "SELECT count(*), count(DISTINCT key) FROM events") == [(RETRIED, RETRIED)]


def test_a_retry_gets_the_answer_of_the_first_try_also_after_a_kill(start: Start) -> None:
    daemon = start()
    with daemon.client() as client:
        first = client.store("said once", key="only")
        client.store("said in between")
        assert client.store("said once", key="only") == _repeat_of(first)
        tagged = client.tag(first.id, ["a"], key="tagging")
        assert client.tag(first.id, ["a"], key="tagging") == _repeat_of(tagged)
    daemon.kill()
    daemon.start()
    with daemon.client() as client:
        assert client.store("said once", key="only") == _repeat_of(first)
        assert client.status().head == 3


def _repeat_of(first: object) -> object:
    first.repeated = True  # type: ignore[attr-defined]
    return first


def test_one_key_for_two_requests_is_refused_and_changes_nothing(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        id_ = client.store("the first body", key="k").id
        others: list[Callable[[], object]] = [
            lambda: client.store("another body", key="k"),
            lambda: client.reinforce(id_, key="k"),
            lambda: client.update(id_, content="another body", key="k"),
            lambda: client.erase(id_, key="k"),
        ]
        for other in others:
            with pytest.raises(KeyConflict):
                other()
        assert client.status().head == 1
        assert client.get(id_).content == "the first body"


async def test_eight_clients_store_a_thousand_each_and_nothing_is_lost(daemon: RunningDaemon) -> None:
    async def busy(number: int) -> set[int]:
        async with daemon.async_client() as client:
            stores = (client.store(f"client {number} noted thing {turn}", wait="durable") for turn in range(1_000))
            return {written.id for written in await asyncio.gather(*stores)}

    ids = await asyncio.gather(*(busy(number) for number in range(8)))
    assert len(set().union(*ids)) == 8_000
    assert count(daemon.data, "memory.stored") == 8_000
    async with daemon.async_client() as client:
        assert (await client.verify()).ok  # and with that, everything is projected
        assert (await client.status()).memories["active"] == 8_000


def test_a_batch_with_one_bad_memory_stores_none_and_names_it(daemon: RunningDaemon) -> None:
    drafts = [{"content": f"part {number}"} for number in range(40)]
    drafts[23] = {"content": "   "}
    with daemon.client() as client:
        with pytest.raises(InvalidField) as refused:
            client.store_many(drafts)
        assert refused.value.field == "memories[23].content"
        assert client.status().head == 0


def test_a_batch_sees_its_own_duplicates(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        results = client.store_many(["one", "two", "one", "  one ", "three"]).results
        assert [result.outcome for result in results] == ["stored", "stored", "duplicate", "duplicate", "stored"]
        assert {results[2].id, results[3].id} == {results[0].id}
        assert len(client.list().memories) == 3


def test_a_batch_with_one_key_of_another_request_stores_none(daemon: RunningDaemon) -> None:
    with daemon.client() as client:
        client.store("something else", key="batch/3")
        with pytest.raises(KeyConflict):
            client.store_many([f"line {number}" for number in range(5)], key="batch")
        assert client.status().head == 1
        assert client.verify().ok


def test_a_retried_batch_happens_once(daemon: RunningDaemon) -> None:
    texts = [f"line {number}" for number in range(100)]
    with daemon.client() as client:
        first = client.store_many(texts, key="batch").results
        again = client.store_many(texts, key="batch").results
        assert [result.id for result in again] == [result.id for result in first]
        assert all(result.repeated for result in again)
        assert client.status().head == len(texts)
        with pytest.raises(KeyConflict):
            client.store_many([*texts[:-1], "another line"], key="batch")
        assert client.status().head == len(texts)
