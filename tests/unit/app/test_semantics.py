"""Meaning on demand: what is kept, what is not compared, and what is said instead."""

import asyncio
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from reveried.app.semantics import Semantics
from reveried.domain.policies import RecallPolicy
from reveried.embed.errors import EmbedderUnavailable
from reveried.ports import EmbedderCondition
from reveried.state.vectors import Embedded, VectorStore

EAST, NORTH = struct.pack("2f", 1.0, 0.0), struct.pack("2f", 0.0, 1.0)
GRAPH_FROM = RecallPolicy().graph_from


class Answering:
    dimension = 2

    def __init__(self, id_: str, scripts: str = "all") -> None:
        self.id = id_
        self.scripts = scripts
        self.asked: list[str] = []
        self.open, self.begun = asyncio.Event(), asyncio.Event()
        self.open.set()

    @property
    def condition(self) -> EmbedderCondition:
        return EmbedderCondition(state="ready", reason="", runtime="fake", model=self.id, restarts=0)

    def warm(self) -> None:
        return

    async def embed(self, texts: Sequence[str], deadline: float, *, urgent: bool = False) -> list[bytes]:
        self.asked += texts
        self.begun.set()
        try:
            async with asyncio.timeout(deadline):
                await self.open.wait()
        except TimeoutError:
            raise EmbedderUnavailable("not in time") from None
        return [EAST for _ in texts]

    async def close(self) -> None:
        self.open.set()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[VectorStore]:
    opened = VectorStore(tmp_path / "vectors.db")
    opened.write("one", 2, [1, 2], [Embedded(1, "a", 0, b"1", EAST), Embedded(2, "a", 0, b"2", NORTH)])
    opened.write("two", 2, [1], [Embedded(1, "a", 0, b"1", NORTH)])
    yield opened
    opened.close()


async def test_what_is_near_comes_from_this_model_alone(store: VectorStore) -> None:
    semantics = Semantics(Answering("one"), store, 0.5, GRAPH_FROM)
    near = (await semantics.near("a", "east", 1.0)).similarities
    assert near is not None
    assert near.nearest(5) == [1, 2]
    await semantics.use(Answering("two"))
    near = (await semantics.near("a", "east", 1.0)).similarities
    assert near is not None
    assert near.nearest(5) == [1]
    assert near.of([1])[1].cosine == pytest.approx(0.0), "the old model's vector would have been 1"


async def test_a_model_changed_in_the_middle_of_a_question_is_not_mixed_up(store: VectorStore) -> None:
    slow = Answering("one")
    slow.open.clear()
    semantics = Semantics(slow, store, 0.5, GRAPH_FROM)
    asked = asyncio.create_task(semantics.near("a", "east", 5.0))
    await slow.begun.wait()
    await semantics.use(Answering("two"))
    meaning = await asked
    assert meaning.similarities is None
    assert "changed meanwhile" in str(meaning.reason)
    await semantics.near("a", "east", 1.0)
    assert semantics.embedder.asked == ["east"], "what the old model said was not kept for the new one"  # type: ignore[attr-defined]


async def test_a_question_asked_again_is_embedded_once(store: VectorStore) -> None:
    one = Answering("one")
    semantics = Semantics(one, store, 0.5, GRAPH_FROM)
    for _ in range(3):
        await semantics.near("a", "east", 1.0)
    assert one.asked == ["east"]


async def test_no_answer_waits_longer_than_told(store: VectorStore) -> None:
    stuck = Answering("one")
    stuck.open.clear()
    meaning = await Semantics(stuck, store, 0.5, GRAPH_FROM).near("a", "east", 0.01)
    assert meaning.similarities is None
    assert meaning.reason


@pytest.mark.parametrize(("query", "told"), [("  ", "no words"), ("東京の会議", "does not read this script")])
async def test_what_the_model_cannot_read_it_is_not_asked(store: VectorStore, query: str, told: str) -> None:
    latin = Answering("one", "latin")
    meaning = await Semantics(latin, store, 0.5, GRAPH_FROM).near("a", query, 1.0)
    assert told in str(meaning.reason)
    assert latin.asked == []


async def test_an_empty_namespace_says_so(store: VectorStore) -> None:
    meaning = await Semantics(Answering("one"), store, 0.5, GRAPH_FROM).near("elsewhere", "east", 1.0)
    assert "nothing here has been embedded" in str(meaning.reason)
