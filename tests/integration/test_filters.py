"""Filters and namespaces of a recall, through the real daemon: nothing that passes is lost, nothing else comes."""

from collections.abc import Callable, Iterator

import pytest

import reverie
from reverie.errors import InvalidField
from running import RunningDaemon

DAY = 86_400_000_000
BEGAN = 1_700_000_000_000_000
# As few as the settings allow, so that every bound is met; nothing is too unlikely to be returned.
CONFIG = "recall: {term_cap: 10, candidates: 2, floor: 0.0}\nembedding: {runtime: hashing}\n"


@pytest.fixture
def bounded(start: Callable[..., RunningDaemon]) -> RunningDaemon:
    return start(config=CONFIG)


@pytest.fixture
def client(bounded: RunningDaemon) -> Iterator[reverie.Client]:
    with bounded.client() as client:
        yield client


def _filled(client: reverie.Client) -> dict[str, int]:
    """A hundred notes about the harbour, and under them a few that are special, all of them older."""
    special = {
        "tagged": client.store("harbour, the tagged one", tags=["Blue", "sea"], created_at=BEGAN).id,
        "event": client.store("harbour, what happened there", kind="event", created_at=BEGAN).id,
        "old": client.store("harbour, long ago", created_at=BEGAN - 100 * DAY).id,
        "old tagged": client.store("harbour, long ago and blue", tags=["blue"], created_at=BEGAN - 99 * DAY).id,
    }
    client.store_many(
        [{"content": f"harbour note number {n}", "kind": "fact", "created_at": BEGAN + n} for n in range(100)]
    )
    return special


def _ids(client: reverie.Client, query: str = "harbour", **filters: object) -> set[int]:
    return {memory.id for memory in client.recall(query, limit=50, token_budget=100_000, **filters).memories}


def test_a_narrow_filter_looks_past_what_is_newer(client: reverie.Client) -> None:
    special = _filled(client)
    old_ones = {special["old"], special["old tagged"]}
    assert _ids(client, tags=["blue"]) == {special["tagged"], special["old tagged"]}
    assert _ids(client, tags=["blue", "sea"]) == {special["tagged"]}
    assert _ids(client, kinds=["event"]) == {special["event"]}
    assert _ids(client, until=BEGAN - 50 * DAY) == old_ones
    assert _ids(client, until=BEGAN - 50 * DAY, tags=["blue"]) == {special["old tagged"]}
    assert _ids(client, since=BEGAN - 200 * DAY, until=BEGAN - DAY, kinds=["event"]) == set()
    assert len(_ids(client, systems=["semantic"])) == 50


def test_a_time_of_nought_is_a_time(client: reverie.Client) -> None:
    client.store("harbour before there was time", created_at=-DAY)
    kept = client.store("harbour ever since", created_at=DAY).id
    assert _ids(client, since=0) == {kept}


def test_what_was_deleted_does_not_hide_the_rest(client: reverie.Client) -> None:
    special = _filled(client)
    for memory in client.list(limit=100).memories:
        if memory.id not in special.values():
            client.delete(memory.id)
    assert _ids(client) == {*special.values()}


def test_several_namespaces_are_searched_on_purpose_only(bounded: RunningDaemon, client: reverie.Client) -> None:
    with bounded.client("work") as work, bounded.client("home") as home:
        here, there = work.store("harbour at work").id, home.store("harbour at home").id
        own = client.store("harbour of mine").id
        # Each connection sees its own writes at once; another's when they are projected.
        for one in (work, home):
            one.store("something else", wait="projected")
        assert _ids(client) == {own}
        assert _ids(client, namespaces=["work", "home", "nobody"]) == {here, there}
        answer = client.recall("harbour", namespaces=["default", "work", "work"])
        assert {memory.id: memory.namespace for memory in answer.memories} == {own: "default", here: "work"}
        assert _ids(work) == {here}


@pytest.mark.parametrize("namespaces", [[], [f"n{n}" for n in range(17)]])
def test_no_namespace_and_too_many_are_refused(client: reverie.Client, namespaces: list[str]) -> None:
    with pytest.raises(InvalidField, match="namespaces"):
        client.recall("harbour", namespaces=namespaces)


def test_a_write_in_any_of_the_namespaces_makes_the_answer_anew(start: Callable[..., RunningDaemon]) -> None:
    daemon = start(config="recall: {floor: 0.0}\nembedding: {runtime: hashing}\n")
    with daemon.client() as client, daemon.client("work") as work:
        client.store("harbour of mine", wait="projected")
        both = {"namespaces": ["default", "work"]}
        assert len(_ids(client, **both)) == 1
        new = work.store("harbour at work", wait="projected").id
        assert new in _ids(client, **both)
        work.delete(new)
        work.store("something else", wait="projected")
        assert new not in _ids(client, **both)


def test_an_access_is_recorded_where_the_memory_is(bounded: RunningDaemon) -> None:
    with bounded.client() as client, bounded.client("work") as work:
        own, there = client.store("harbour of mine").id, work.store("harbour at work", wait="projected").id
        client.recall("harbour", namespaces=["default", "work"])
        client.recall("harbour", namespaces=["work"])
    bounded.stop()  # what was read is recorded at the latest now
    bounded.start()
    # The query of the first stands nowhere: an erasure in one namespace would not reach it in the other.
    assert _recalled(bounded, "default") == [([own], "")]
    assert _recalled(bounded, "work") == [([there], ""), ([there], "harbour")]


def _recalled(daemon: RunningDaemon, namespace: str) -> list[tuple[list[int], str]]:
    with daemon.client(namespace) as client:
        events = [event.payload for event in client.events().events if event.type == "memory.recalled"]
    return [([*payload["ids"]], payload["query"]) for payload in events]
