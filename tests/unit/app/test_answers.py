"""A kept answer is the answer that would be given anew, whatever happened in between; the least used leave first."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from reverie.protocol import requests as ask
from reverie.protocol.results import Recalled
from reveried.app.answers import KEPT_FOR, Answers
from reveried.app.commands import Caller
from reveried.config.schema import Config
from reveried.domain.events import MemoryTransitioned
from reveried.domain.policies import RecallPolicy
from reveried.errors import Rejected
from unit.app.asker import NO_MODEL, Asker, WordEmbedder, asker, configured

ANSWER = Recalled(
    memories=[], semantic=True, semantic_reason=None, profile="adaptive", total_tokens=0, budget_used=0.0,
    over_budget=False, took_us=7,
)  # fmt: skip
MINUTES_2 = 2 / 1440


class World:
    """Everything an answer depends on, as numbers that a test can turn."""

    def __init__(self, room: int = 500) -> None:
        self.changes = {"default": 0, "other": 0}
        self.learned = self.time = 0
        self.config = Config(recall=RecallPolicy(cache=room))
        self.answers = Answers(
            lambda namespace: self.changes[namespace], lambda: self.learned, lambda: self.time, lambda: self.config
        )

    def keep(self, query: str, namespace: str = "default") -> None:
        self.answers.keep(question(query), (namespace,), self.answers.mark((namespace,)), ANSWER)

    def knows(self, query: str, namespace: str = "default", **fields: Any) -> bool:
        return self.answers.known(question(query, **fields), (namespace,)) is not None


def question(query: str, **fields: Any) -> ask.Recall:
    return ask.Recall(id=len(query), query=query, **fields)


def test_the_same_question_is_answered_again_and_marked() -> None:
    world = World()
    world.keep("tea")
    again = world.answers.known(ask.Recall(id=99, query="tea"), ("default",))
    assert again == replace(ANSWER, cached=True)
    assert not ANSWER.cached


@pytest.mark.parametrize(
    "fields",
    [
        {"limit": 3},
        {"floor": 0.0},
        {"explain": True},
        {"profile": "recent"},
        {"tags": ["a"]},
        {"include_archived": True},
    ],
)
def test_another_question_is_another_question(fields: dict[str, Any]) -> None:
    world = World()
    world.keep("tea")
    assert not world.knows("tea", **fields)
    assert not world.knows("tea", "other")
    assert not world.knows("Tea")


CHANGES: dict[str, Callable[[World], Any]] = {
    "a write": lambda world: world.changes.update(default=1),
    "a vector": lambda world: setattr(world, "learned", 1),
    "a setting": lambda world: setattr(world, "config", Config(recall=RecallPolicy(limit=7))),
    "time": lambda world: setattr(world, "time", KEPT_FOR + 1),
    "a clock set back": lambda world: setattr(world, "time", -1),
}


@pytest.mark.parametrize("what", CHANGES)
def test_an_answer_is_forgotten_after(what: str) -> None:
    world = World()
    world.keep("tea")
    CHANGES[what](world)
    assert not world.knows("tea")


def test_an_answer_is_kept_through_what_does_not_concern_it() -> None:
    world = World()
    world.keep("tea")
    world.changes["other"] = 5
    world.time = KEPT_FOR
    assert world.knows("tea")


def test_an_answer_from_two_namespaces_is_forgotten_after_a_write_in_either() -> None:
    for written in ("default", "other"):
        world, both = World(), ("default", "other")
        world.answers.keep(question("tea"), both, world.answers.mark(both), ANSWER)
        assert world.answers.known(question("tea"), both)
        world.changes[written] += 1
        assert world.answers.known(question("tea"), both) is None


def test_an_answer_found_while_something_happened_is_not_kept() -> None:
    world = World()
    mark = world.answers.mark(("default",))
    world.changes["default"] = 1
    world.answers.keep(question("tea"), ("default",), mark, ANSWER)
    assert not world.knows("tea")


def test_the_configuration_counts_by_its_values_and_not_by_its_address() -> None:
    """An address may be used again for another configuration; a file saved unchanged is no change."""
    world = World()
    world.keep("tea")
    world.config = Config(recall=RecallPolicy(cache=500))
    assert world.knows("tea")


def test_the_least_used_leaves_first_and_a_hit_counts_as_use() -> None:
    world = World(room=3)
    for query in ("a", "b", "c"):
        world.keep(query)
    assert world.knows("a")
    world.keep("d")
    assert [query for query in "abcd" if world.knows(query)] == ["a", "c", "d"]


def test_answering_anew_counts_as_use_too() -> None:
    world = World(room=2)
    for query in ("a", "b", "a", "c"):
        world.keep(query)
    assert [query for query in "abc" if world.knows(query)] == ["a", "c"]


def test_500_answers_are_kept_by_default_and_none_if_so_configured() -> None:
    world = World(Config().recall.cache)
    for number in range(501):
        world.keep(f"question {number}")
    assert sum(world.knows(f"question {number}") for number in range(501)) == 500
    none = World(room=0)
    none.keep("tea")
    assert not none.knows("tea")


@pytest.fixture
async def known(tmp_path: Path) -> AsyncIterator[Asker]:
    async with asker(tmp_path) as asking:
        for content in ("Ada drinks tea", "Ben drinks coffee", "tea grows in Assam"):
            await asking.store(content)
        yield asking


async def test_a_repeated_question_is_not_searched_again(known: Asker) -> None:
    first, again = await known.recall("who drinks tea"), await known.recall("who drinks tea")
    assert (first.cached, again.cached) == (False, True)
    assert again.memories == first.memories


async def test_a_question_asked_often_is_kept_although_every_asking_is_recorded(known: Asker) -> None:
    for _ in range(2):
        await known.recall("tea")
        await known.settle()
    assert (await known.recall("tea")).cached


async def test_an_answer_from_tables_behind_the_log_is_not_taken_for_a_newer_one(
    known: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write is acknowledged before it can be read; whoever else asks in between must not spoil the cache."""
    await known.settle()
    monkeypatch.setattr("reveried.app.writer.LINGER", 60.0)
    (outcome,) = await known.remember.store(
        ask.Store(id=0, memory=ask.Draft(content="tea needs hot water")), known.caller
    )
    request = ask.Recall(id=0, query="tea", floor=0.0)
    early = await known.recalls.recall(request, Caller("default", "somebody else"))
    assert outcome.id not in [memory.id for memory in early.memories]
    known.caller.written = outcome.seq
    assert outcome.id in await known.ids("tea", floor=0.0)


async def test_an_answer_without_meaning_is_kept_only_where_there_is_no_model(tmp_path: Path) -> None:
    for name, embedder, kept in (("none", WordEmbedder(present=False), True), ("cold", WordEmbedder(), False)):
        embedder.ready = False
        (tmp_path / name).mkdir()
        async with asker(tmp_path / name, embedder=embedder) as asking:
            await asking.store("Ada drinks tea")
            first = await asking.recall("tea")
            assert (first.semantic, first.semantic_reason) == (False, NO_MODEL)
            assert (await asking.recall("tea")).cached is kept


async def test_what_comes_back_by_being_read_is_shown_as_it_is(known: Asker) -> None:
    await known.life.tell(MemoryTransitioned(ids=(1,), what="state", before="active", after="stale", reason="faded"))
    await known.settle()
    first = await known.recall("Ada")
    assert [memory.state for memory in first.memories] == ["stale"]
    await known.settle()
    assert [memory.state for memory in (await known.recall("Ada")).memories] == ["active"]


async def test_what_is_better_kept_by_being_read_ranks_as_it_is(known: Asker) -> None:
    known.life.clock.pass_days(90)
    first = await known.recall("tea")
    await known.settle()
    again = await known.recall("tea")
    assert not again.cached
    kept = [{memory.id: memory.signals["retention"] for memory in answer.memories} for answer in (first, again)]
    assert kept[0].keys() == kept[1].keys()
    assert all(kept[1][id_] > kept[0][id_] for id_ in kept[0])


QUERIES = ("tea", "who drinks coffee", "Ada", "Assam tea blue", "green")
CONTENTS = ("Ada drinks green tea", "Ben drinks coffee", "tea grows in Assam", "the blue cup is Ada's", "coffee is hot")
FIELDS: tuple[dict[str, Any], ...] = (
    {}, {"floor": 0.0}, {"floor": 0.0, "include_archived": True}, {"floor": 0.0, "tags": ["kept"]},
    {"floor": 0.0, "include_stale": False}, {"profile": "balanced", "explain": True}, {"limit": 1},
)  # fmt: skip
ABOUT_ONE = {
    "reinforce": ask.Reinforce, "demote": ask.Demote, "pin": ask.Pin, "unpin": ask.Unpin, "archive": ask.Archive,
    "restore": ask.Restore, "delete": ask.Delete, "erase": ask.Erase,
}  # fmt: skip
EVERYTHING = ("store", "update", "tag", "untag", "supersede", "stale", "embed", "settle", "config", "time", *ABOUT_ONE)
wishes = st.sampled_from((*("ask",) * 12, *("store",) * 2, *EVERYTHING))
steps = st.lists(st.tuples(wishes, st.integers(0, 5), st.integers(0, 6)), min_size=5, max_size=40)


async def happen(asking: Asker, ids: list[int], what: str, which: int, other: int) -> None:
    memory = ids[which % len(ids)]
    feedback, caller, living = asking.feedback, asking.caller, asking.life
    match what:
        case "store":
            ids.append(await asking.store(f"{CONTENTS[which % 5]} {CONTENTS[other % 5]}"))
        case "update":
            request = ask.Update(id=0, memory=memory, content=CONTENTS[other % 5] + "!")
            await asking.written(asking.remember.update(request, caller))
        case "tag" | "untag":
            tags = ask.Tag(id=0, memory=memory, tags=["kept"]) if what == "tag" else None
            untag = ask.Untag(id=0, memory=memory, tags=["kept"])
            await asking.written(feedback.tag(tags, caller) if tags else feedback.untag(untag, caller))
        case "supersede":
            request = ask.Supersede(id=0, old=memory, new=ids[other % len(ids)])
            await asking.written(feedback.supersede(request, caller))
        case "stale":
            await living.tell(
                MemoryTransitioned(ids=(memory,), what="state", before="active", after="stale", reason="faded")
            )
        case "embed":
            await asking.embed(memory)
        case "settle":
            await asking.settle()
        case "config":
            living.settings.current = configured(limit=1 + other)
        case "time":
            living.clock.pass_days(30 if other % 2 else MINUTES_2)
        case _:
            await asking.written(getattr(feedback, what)(ABOUT_ONE[what](id=0, memory=memory), caller))


def told(answer: Recalled) -> dict[str, Any]:
    return {**msgspec.to_builtins(answer), "cached": None, "took_us": None}


async def lives_through(path: Path, steps: list[tuple[str, int, int]]) -> int:
    hits = 0
    async with asker(path) as asking:
        ids = [await asking.store(content) for content in CONTENTS]
        await asking.embed(*ids[:3])
        for what, which, other in steps:
            if what == "ask":
                query, fields = QUERIES[which % 5], FIELDS[other]
                await asking.life.writer.run(lambda: None)
                answer = await asking.recall(query, **fields)
                hits += answer.cached
                assert told(answer) == told(await asking.recall_afresh(query, **fields)), (what, which, other)
            else:
                try:
                    await happen(asking, ids, what, which, other)
                except Rejected:
                    continue
    return hits


@settings(max_examples=25, deadline=None)
@given(steps)
def test_a_kept_answer_always_equals_a_new_one(steps: list[tuple[str, int, int]]) -> None:
    with tempfile.TemporaryDirectory() as path:
        asyncio.run(lives_through(Path(path), steps))


@pytest.mark.parametrize("what", EVERYTHING)
def test_an_answer_is_right_again_after(what: str, tmp_path: Path) -> None:
    """Every question asked twice, then something happens, then every question again."""
    asked = [("ask", query, fields) for query in range(5) for fields in range(7)]
    assert asyncio.run(lives_through(tmp_path, [*asked, *asked, (what, 0, 3), *asked])) >= len(asked) // 2
