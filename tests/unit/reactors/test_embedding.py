"""The reactor over a living store: a fake stands for the port alone, and counts what it is asked."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from reveried.app import writer as writing
from reveried.app.commands import Command, Step, View
from reveried.app.semantics import Semantics
from reveried.domain.decide import Decision
from reveried.domain.events import MemoryArchived, MemoryErased, MemoryRecalled
from reveried.domain.recalling.embedded import IN_CONTEXT, ITSELF, text_hash
from reveried.embed.errors import EmbedderUnavailable, TextsRefused
from reveried.embed.policy import EmbeddingPolicy
from reveried.ports import EmbedderCondition
from reveried.reactors import embedding as reacting
from reveried.reactors.embedding import Embedding
from reveried.reactors.making import TEXTS_A_BATCH
from reveried.state.vectors import Embedded
from unit.domain.histories import reworded, stored
from unit.jobs.living import Life, Turned, life

VECTOR = bytes(4 * 4)


async def _at_once(_: Sequence[str]) -> None:
    return


class Counting:
    dimension, scripts = 4, "all"

    def __init__(self, id_: str) -> None:
        self.id = id_
        self.batches: list[list[str]] = []
        self.poison = "poison"
        self.down = 0
        self.closed = False
        self.before: Callable[[Sequence[str]], Awaitable[None]] = _at_once

    @property
    def condition(self) -> EmbedderCondition:
        return EmbedderCondition(state="ready", reason="", runtime="counting", model=self.id, restarts=0)

    @property
    def texts(self) -> list[str]:
        return [text for batch in self.batches for text in batch]

    def warm(self) -> None:
        return

    async def embed(self, texts: Sequence[str], deadline: float, *, urgent: bool = False) -> list[bytes]:
        await self.before(texts)
        if self.down:
            self.down -= 1
            raise EmbedderUnavailable("down for a while")
        if any(self.poison in text for text in texts):
            raise TextsRefused("these texts end the process")
        self.batches.append(list(texts))
        return [VECTOR for _ in texts]

    async def close(self) -> None:
        self.closed = True


class Reacting:
    def __init__(self, living: Life, embedders: dict[str, Counting], monkeypatch: pytest.MonkeyPatch) -> None:
        self.living = living
        self.policy = EmbeddingPolicy(model="one")
        self.embedders = embedders
        monkeypatch.setattr(reacting, "embedder_for", lambda policy: embedders[policy.model])
        monkeypatch.setattr(reacting, "FIRST_PAUSE", 0.001)
        self.semantics = Semantics(Counting(""), living.vectors, 0.5, living.settings.current.recall.graph_from)
        self.embedding = Embedding(self.semantics, living.readers, living.progress, living.writer, lambda: self.policy)

    async def until(self, reached: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not reached():  # noqa: ASYNC110  there is nobody who could be told of it
                await asyncio.sleep(0.005)

    async def caught_up(self, model: str = "one") -> None:
        await self.until(
            lambda: self.semantics.embedder.id == model and self.embedding.backlog.seq >= self.living.log.head
        )

    def rows(self, model: str = "one") -> list[tuple[int, int]]:
        return [(memory, role) for memory, role, _ in self.living.vectors.load(model, "default")]

    async def erase(self, memory: int) -> None:
        decision = Decision(outcome="erased", subject=memory, events=(MemoryErased(),))
        step = Step(decide=lambda _: decision)
        await self.living.writer.submit(Command(namespace="default", actor="t", steps=(step,), erases=True))


@asynccontextmanager
async def reacting_to(path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Reacting]:
    async with life(path, Turned()) as living:
        reactor = Reacting(living, {"one": Counting("one"), "two": Counting("two")}, monkeypatch)
        running = asyncio.create_task(reactor.embedding.run())
        try:
            yield reactor
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


async def test_every_memory_gets_its_vectors_in_small_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with reacting_to(tmp_path, monkeypatch) as reactor:
        ids = [await reactor.living.remember(f"remark number {number}") for number in range(100)]
        await reactor.caught_up()
        one = reactor.embedders["one"]
        assert [memory for memory, _ in reactor.rows()] == ids
        assert max(map(len, one.batches)) <= TEXTS_A_BATCH
        assert sorted(one.texts) == sorted(f"remark number {number}" for number in range(100))


async def test_a_memory_that_is_in_the_log_but_not_yet_in_the_state_is_not_taken_for_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "LINGER", 10.0)
    read = reacting.changes_of_content

    async def read_late(*arguments: Any) -> tuple[list[int], int]:
        if len(ids) == 1:
            ids.append(await living.remember("stored just before the log was read"))
        return await read(*arguments)

    monkeypatch.setattr(reacting, "changes_of_content", read_late)
    async with reacting_to(tmp_path, monkeypatch) as reactor:
        living, ids = reactor.living, [await reactor.living.remember("first")]
        await reactor.until(lambda: len(ids) == 2)
        await reactor.caught_up()
        assert [memory for memory, _ in reactor.rows()] == ids


async def test_the_same_words_are_embedded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with reacting_to(tmp_path, monkeypatch) as reactor:
        for _ in range(3):
            await reactor.living.remember("the same words")
            await reactor.caught_up()
        assert reactor.embedders["one"].texts == ["the same words"]
        assert len(reactor.rows()) == 3


async def test_it_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with reacting_to(tmp_path, monkeypatch) as reactor:
        await reactor.living.remember("before the restart")
        await reactor.caught_up()
    async with reacting_to(tmp_path, monkeypatch) as reactor:
        await reactor.living.remember("after the restart")
        await reactor.caught_up()
        assert reactor.embedders["one"].texts == ["after the restart"]
        assert len(reactor.rows()) == 2


async def test_a_text_that_cannot_be_embedded_is_left_out_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with reacting_to(tmp_path, monkeypatch) as reactor:
        reactor.embedders["one"].down = 1  # so that all of them wait in one batch
        ids = [await reactor.living.remember(f"{word} words") for word in ("sound", "poison", "other")]
        await reactor.caught_up()
        assert [memory for memory, _ in reactor.rows()] == [ids[0], ids[2]]
        assert reactor.embedding.backlog.left_out == {ids[1]}


async def test_an_embedder_that_is_away_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with reacting_to(tmp_path, monkeypatch) as reactor:
        reactor.embedders["one"].down = 3
        await reactor.living.remember("patience")
        await reactor.caught_up()
        await reactor.until(lambda: reactor.embedding.backlog.problem == "")
        assert len(reactor.rows()) == 1


async def test_a_changed_model_embeds_everything_anew_and_the_old_vectors_go_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with reacting_to(tmp_path, monkeypatch) as reactor:
        for number in range(20):
            await reactor.living.remember(f"remark {number}")
        await reactor.caught_up()
        reactor.embedders["two"].down = 10**9
        reactor.policy = EmbeddingPolicy(model="two")
        reactor.embedding.reconsider()
        await reactor.until(lambda: reactor.embedding.backlog.problem != "")
        assert reactor.embedders["one"].closed
        assert len(reactor.rows("one")) == 20, "kept until there is something better"
        meaning = await reactor.semantics.near("default", "remark", 1.0)
        assert meaning.similarities is None
        assert "being embedded (0 of 20 events" in str(meaning.reason)
        reactor.embedders["two"].down = 0
        await reactor.caught_up("two")
        await reactor.until(lambda: reactor.rows("one") == [])
        assert len(reactor.rows("two")) == 20


async def test_reading_the_same_configuration_again_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with reacting_to(tmp_path, monkeypatch) as reactor:
        await reactor.living.remember("one")
        await reactor.caught_up()
        reactor.embedding.reconsider()
        await reactor.living.remember("two")
        await reactor.caught_up()
        assert not reactor.embedders["one"].closed
        assert reactor.embedders["one"].texts == ["one", "two"]


async def test_a_neighbour_is_embedded_together_with_what_came_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with reacting_to(tmp_path, monkeypatch) as reactor:
        first = await reactor.living.remember("how was Rome", session_id="s")
        second = await reactor.living.remember("warm and loud", session_id="s")
        await reactor.caught_up()
        assert "how was Rome\nwarm and loud" in reactor.embedders["one"].texts
        await reactor.living.tell(reworded("how was Oslo"), subject=first)
        await reactor.caught_up()
        assert "how was Oslo\nwarm and loud" in reactor.embedders["one"].texts
        assert reactor.rows() == [(first, ITSELF), (second, ITSELF), (second, IN_CONTEXT)]


async def test_what_was_made_of_erased_words_is_made_anew_without_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with reacting_to(tmp_path, monkeypatch) as reactor:
        ids = [await reactor.living.remember(text, session_id="s") for text in ("before", "secret", "after")]
        await reactor.caught_up()
        await reactor.semantics.near("default", "anything", 1.0)
        await reactor.erase(ids[1])
        await reactor.caught_up()
        assert reactor.rows() == [(ids[0], ITSELF), (ids[2], ITSELF), (ids[2], IN_CONTEXT)]
        assert "before\nafter" in reactor.embedders["one"].texts
        near = (await reactor.semantics.near("default", "anything", 1.0)).similarities
        assert near is not None
        assert near.of(ids).keys() == {ids[0], ids[2]}


def _decided(decision: Decision, _: View) -> Decision:
    return decision


async def test_what_is_hurried_comes_between_two_batches_and_what_was_read_of_it_before_is_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with reacting_to(tmp_path, monkeypatch) as reactor:
        living, one = reactor.living, reactor.embedders["one"]
        first = await living.remember("remark number 100")
        await reactor.caught_up()
        vectors, written = living.vectors, list[bytes]()
        write: Callable[..., list[Embedded]] = vectors.write

        def noted(model: str, seq: int, changed: Sequence[int], rows: Sequence[Embedded]) -> list[Embedded]:
            written.extend(row.text for row in rows if row.memory == first)
            return write(model, seq, changed, rows)

        async def rewritten(texts: Sequence[str]) -> None:
            one.before = _at_once
            await living.tell(reworded("written anew"), subject=first)
            await living.writer.projected(living.log.head)
            reactor.semantics.hurried.add(first)

        monkeypatch.setattr(vectors, "write", noted)
        one.before = rewritten
        told = [Decision(outcome="told", subject=first, events=(reworded("written once"),))]
        told += [Decision(outcome="told", events=(stored(f"remark number {number}"),)) for number in range(20)]
        steps = tuple(Step(decide=partial(_decided, one)) for one in told)  # one turn, of which the memory is part
        await living.writer.submit(Command(namespace="default", actor="tests", steps=steps))
        await reactor.caught_up()
        assert ["written anew" in batch for batch in one.batches[1:]] == [False, True, False, False]
        assert text_hash("written once") not in written
        assert set(written) == {text_hash("written anew")}
        assert reactor.semantics.hurried == set()


async def test_readings_cost_no_write_and_no_answer_that_was_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with reacting_to(tmp_path, monkeypatch) as reactor:
        await reactor.living.remember("asked for often")
        await reactor.caught_up()
        version, noted = reactor.semantics.version, reactor.living.vectors.progress("one")
        await reactor.living.tell(MemoryRecalled(query="often", ids=(1,), profile="adaptive"))
        await reactor.caught_up()
        assert (reactor.semantics.version, reactor.living.vectors.progress("one")) == (version, noted)


async def test_an_archived_memory_keeps_its_vectors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with reacting_to(tmp_path, monkeypatch) as reactor:
        memory = await reactor.living.remember("put away")
        await reactor.caught_up()
        await reactor.living.tell(MemoryArchived(reason="tests"), subject=memory)
        await reactor.caught_up()
        assert reactor.rows() == [(memory, ITSELF)]
        reactor.policy = EmbeddingPolicy(model="two")
        reactor.embedding.reconsider()
        await reactor.caught_up("two")
        assert reactor.rows("two") == [(memory, ITSELF)], "a new model learns what is in the archive too"
