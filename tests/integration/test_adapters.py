"""The adapters against the real daemon, with no framework installed: the shapes are what frameworks rely on."""

from collections.abc import Iterator

import pytest

from reverie.adapters.langgraph import ReverieStore
from reverie.adapters.openai_agents import ReverieSession, words
from running import RunningDaemon

ADA = ("people", "ada")


@pytest.fixture
def store(daemon: RunningDaemon) -> Iterator[ReverieStore]:
    with daemon.client() as client:
        yield ReverieStore(client)


def test_an_item_is_put_changed_found_and_deleted(store: ReverieStore) -> None:
    store.put(ADA, "drink", {"text": "Ada prefers oolong tea", "cups": 3})
    store.put(ADA, "city", {"text": "Ada lives in Lisbon", "cups": 0})
    store.put(("people", "bob"), "drink", {"text": "Bob prefers coffee", "cups": 5})
    found = store.get(ADA, "drink")
    assert (found.key, found.namespace, found.value["cups"]) == ("drink", ADA, 3)
    store.put(ADA, "drink", {"text": "Ada prefers green tea", "cups": 2})
    assert store.get(ADA, "drink").value == {"text": "Ada prefers green tea", "cups": 2}
    best = store.search(("people",), query="green tea")[0]
    assert (best.key, best.namespace) == ("drink", ADA)
    assert best.score > 0
    store.delete(ADA, "drink")
    assert store.get(ADA, "drink") is None
    assert [item.key for item in store.search(ADA)] == ["city"]


def test_equal_words_under_two_keys_stay_two_items(store: ReverieStore) -> None:
    store.put(ADA, "one", {"text": "the same words"})
    store.put(ADA, "two", {"text": "the same words"})
    assert {item.key for item in store.search(ADA)} == {"one", "two"}


def test_searching_filters_pages_and_stays_below_its_prefix(store: ReverieStore) -> None:
    for number in range(12):
        store.put(("numbers", str(number % 2)), str(number), {"n": number})
    assert [item.value["n"] for item in store.search(("numbers",), limit=3)] == [11, 10, 9]
    assert [item.value["n"] for item in store.search(("numbers",), limit=3, offset=3)] == [8, 7, 6]
    assert [item.value["n"] for item in store.search(("numbers", "1"), filter={"n": {"$gte": 9}})] == [11, 9]
    assert [item.value["n"] for item in store.search((), filter={"n": 4})] == [4]
    assert store.search(("numb",)) == []


def test_namespaces_are_listed_by_their_ends_and_to_a_depth(store: ReverieStore) -> None:
    for path in (("a", "b", "c"), ("a", "x", "c"), ("z",)):
        store.put(path, "k", {"v": 1})
    assert store.list_namespaces() == [("a", "b", "c"), ("a", "x", "c"), ("z",)]
    assert store.list_namespaces(prefix=("a", "*"), max_depth=1) == [("a",)]
    assert store.list_namespaces(suffix=("c",), limit=1) == [("a", "b", "c")]
    assert store.list_namespaces(prefix=("a", "b", "c", "d")) == []


async def test_the_same_with_asyncio(store: ReverieStore) -> None:
    await store.aput(ADA, "drink", {"text": "tea"})
    assert (await store.aget(ADA, "drink")).value == {"text": "tea"}
    assert len(await store.asearch(ADA)) == 1
    assert await store.alist_namespaces() == [ADA]
    await store.adelete(ADA, "drink")
    assert await store.aget(ADA, "drink") is None


async def test_a_conversation_goes_on_in_its_order(daemon: RunningDaemon) -> None:
    async with daemon.async_client() as client:
        session, other = ReverieSession("chat-1", client), ReverieSession("chat-2", client)
        said = [{"role": "user", "content": f"what is {n}?"} for n in range(250)]
        call = {"type": "function_call", "name": "look", "arguments": "{}"}
        await session.add_items([*said, said[0], call])
        assert await session.get_items(3) == [said[249], said[0], call]
        assert len(await session.get_items()) == 252
        assert await other.get_items() == []
        assert await session.pop_item() == call
        assert (await session.get_items(1)) == [said[0]]
        assert (await client.recall("what is 77?")).memories[0].content == "what is 77?"
        await session.clear_session()
        assert await session.get_items() == []
        assert await session.pop_item() is None


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ({"content": " tea "}, "tea"),
        ({"content": [{"type": "output_text", "text": "a"}, {"type": "image"}, {"text": "b"}]}, "a\nb"),
        ({"type": "call", "arguments": "{}"}, '{"type":"call","arguments":"{}"}'),
    ],
)
def test_what_an_item_says(item: dict[str, object], said: str) -> None:
    assert words(item) == said
