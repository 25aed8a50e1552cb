"""The reactor waits for vectors, finds without them what words can tell, and finds nothing twice."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from reveried.app.commands import Command, Outcome, Outcomes, Step, View
from reveried.app.findings import Findings
from reveried.app.progress import Progress
from reveried.app.proposing import Proposer
from reveried.app.readers import Readers
from reveried.app.semantics import Semantics
from reveried.app.writer import Writer
from reveried.config.schema import Config, StoragePolicy
from reveried.domain import decide
from reveried.domain.decide import Decision
from reveried.domain.events import MemoryStored
from reveried.domain.linking.policy import LinksPolicy
from reveried.domain.reconciling.policy import ReconcilingPolicy
from reveried.log.backups import Backups
from reveried.log.sqlite import SqliteLog
from reveried.ports import EmbedderCondition
from reveried.reactors import embedding as reacting
from reveried.reactors import enrich as enriching
from reveried.reactors.embedding import Embedding
from reveried.reactors.enrich import READER, Enrich
from reveried.reactors.linking import Linking
from reveried.state.store import StateStore
from reveried.state.vectors import VectorStore
from reveried.vectors.shortcut import NEVER
from unit.app.test_writer import Still
from unit.domain.histories import stored

# Links have a test of their own.
UNLINKED = Config(storage=StoragePolicy(min_free="1MB"), links=LinksPolicy(propose=False))
QUICK = replace(UNLINKED, reconciling=ReconcilingPolicy(deadline=0.05))
PATIENT = replace(UNLINKED, reconciling=ReconcilingPolicy(deadline=30.0))


class Letters:
    """An embedder that counts letters, and embeds only when the test lets it."""

    dimension, scripts = 32, "all"

    def __init__(self, id_: str = "letters@1", state: str = "ready") -> None:
        self.id = id_
        self.state = state
        self.gate = asyncio.Event()
        self.gate.set()

    @property
    def condition(self) -> EmbedderCondition:
        return EmbedderCondition(state=self.state, reason="", runtime="letters", model="letters", restarts=0)

    def warm(self) -> None:
        pass

    async def embed(self, texts: Sequence[str], deadline: float, *, urgent: bool = False) -> list[bytes]:
        await self.gate.wait()
        return [self._counted(text) for text in texts]

    def _counted(self, text: str) -> bytes:
        counts = np.zeros(self.dimension, np.float32)
        for letter in text.lower():
            counts[ord(letter) % self.dimension] += 1
        return (counts / np.linalg.norm(counts)).astype(np.float32).tobytes()

    async def close(self) -> None:
        pass


class Bench:
    def __init__(self, path: Path, embedder: Letters, config: Config) -> None:
        (path / "backups").mkdir(exist_ok=True)
        self.config, self.embedder = config, embedder
        self.log = SqliteLog(path / "log.db")
        store = StateStore(path / "state.db", path / "archive.db")
        store.catch_up(self.log)
        self.progress = Progress(self.log.head, store.applied)
        self.vectors = VectorStore(path / "vectors.db")
        self.writer = Writer(
            self.log, store, Still(), lambda: self.config, self.progress, Backups(path / "backups"), self.vectors
        )
        self.readers = Readers(path / "log.db", path / "state.db", path / "archive.db", self.writer)
        self.semantics = Semantics(embedder, self.vectors, 0.5, NEVER)
        self.findings = Findings(lambda: self.config)
        self.embedding = Embedding(
            self.semantics, self.readers, self.progress, self.writer, lambda: self.config.embedding
        )
        proposer = Proposer(self.semantics, self.readers, lambda: self.config)
        linking = Linking(proposer, self.readers, self.writer, lambda: self.config)
        enrich = Enrich(
            self.semantics, self.readers, self.progress, self.writer, self.findings, linking, lambda: self.config
        )
        self.work = (self.embedding.run, enrich.run)

    async def store(self, text: str, **fields: str) -> Outcome:
        (told,) = await self.findings.told(await self.written(text, **fields))
        return told

    async def written(self, text: str, **fields: str) -> Outcomes:
        step = Step(decide=lambda view: decide.store(stored(text, **fields), None))
        return await self.writer.submit(Command(namespace="default", actor="tests", steps=(step,)))

    def has_found(self, embedder: Letters) -> None:
        self.embedder = embedder
        self.embedding.reconsider()

    def types(self) -> list[str]:
        return [recorded.type for recorded in self.log.read(0)]


@asynccontextmanager
async def running(path: Path, embedder: Letters, config: Config = PATIENT) -> AsyncIterator[Bench]:
    bench = Bench(path, embedder, config)
    bench.writer.start()
    await bench.readers.open()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(reacting, "embedder_for", lambda policy: bench.embedder)
        tasks = [asyncio.create_task(run()) for run in bench.work]
        yield bench
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await bench.readers.close()
    await bench.writer.stop()
    bench.vectors.close()


async def test_what_says_the_same_is_merged_and_the_caller_is_told(tmp_path: Path) -> None:
    async with running(tmp_path, Letters()) as bench:
        first = await bench.store("The door of the shed is red")
        again = await bench.store("Red is the door of the shed")
        assert (again.id, again.outcome, again.against) == (first.id, "duplicate", first.id)
        assert again.similarity is not None
        assert again.similarity > 0.99


async def test_without_a_model_words_still_tell_a_contradiction(tmp_path: Path) -> None:
    async with running(tmp_path, Letters("")) as bench:
        first = await bench.store("Guests may park in the yard")
        second = await bench.store("Guests may not park in the yard")
        assert (second.outcome, second.against, second.rule) == ("conflict", first.id, "negation")
        assert (await bench.store("The yard is where guests may not park")).outcome == "stored"


async def test_until_the_vectors_are_there_the_answer_is_pending(tmp_path: Path) -> None:
    embedder = Letters()
    embedder.gate.clear()
    async with running(tmp_path, embedder, QUICK) as bench:
        assert (await bench.store("The door of the shed is red")).enrichment == "pending"
        late = await bench.store("Red is the door of the shed")
        assert (late.outcome, late.enrichment) == ("stored", "pending")
        bench.config = PATIENT
        embedder.gate.set()
        assert (await bench.store("An otter swims past the mill")).enrichment == "enriched"
        assert bench.types().count("memory.merged") == 1


async def test_nobody_is_compared_before_a_model_was_looked_for(tmp_path: Path) -> None:
    looking = Letters("", "looking")
    async with running(tmp_path, looking, QUICK) as bench:
        assert (await bench.store("The door of the shed is red")).enrichment == "pending"
        assert (await bench.store("Red is the door of the shed")).enrichment == "pending"
        bench.config = PATIENT
        bench.has_found(Letters())
        assert (await bench.store("An otter swims past the mill")).enrichment == "enriched"
        assert bench.types().count("memory.merged") == 1


@pytest.mark.parametrize("state", ["failed", "starting"])
async def test_while_the_model_cannot_run_words_still_tell_a_contradiction(
    tmp_path: Path, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(enriching, "LOOK_AGAIN", 0.01)
    monkeypatch.setattr(enriching, "PATIENCE", 0.05)
    embedder = Letters()
    embedder.gate.clear()
    async with running(tmp_path, embedder) as bench:
        embedder.state = state
        first = await bench.store("Guests may park in the yard")
        second = await bench.store("Guests may not park in the yard")
        assert (second.outcome, second.against, second.rule) == ("conflict", first.id, "negation")
        embedder.state = "ready"
        embedder.gate.set()
        await bench.store("The door of the shed is red")
        assert (await bench.store("Red is the door of the shed")).outcome == "duplicate"


@pytest.mark.parametrize("model", ["letters@1", ""], ids=["meaning", "words alone"])
async def test_what_was_said_in_a_conversation_stays_as_it_was_said(tmp_path: Path, model: str) -> None:
    async with running(tmp_path, Letters(model)) as bench:
        said = {"session_id": "monday", "speaker": "Ada"}
        for text in ("Guests may park in the yard", "Guests may not park in the yard", "May guests park in the yard"):
            assert (await bench.store(text, **said)).outcome == "stored"
        assert (await bench.store("Guests may no longer park in the yard", speaker="Ada")).outcome == "stored"
        assert set(bench.types()) == {"memory.stored"}


async def test_reading_everything_again_finds_nothing_new(tmp_path: Path) -> None:
    async with running(tmp_path, Letters()) as bench:
        for text in ("Guests may park here", "Guests may not park here", "The door is red", "Red is the door"):
            await bench.store(text)
        before = bench.types()
        bench.vectors.note_read(READER, 0)
    async with running(tmp_path, Letters()) as bench:
        await bench.store("An otter swims past the mill")
        assert bench.types() == [*before, "memory.stored"]


@pytest.mark.parametrize("kept", ["memory.merged", "conflict.detected"])
async def test_a_finding_carries_the_number_of_what_led_to_it_as_its_key(tmp_path: Path, kept: str) -> None:
    async with running(tmp_path, Letters()) as bench:
        for text in ("Guests may park here", "Guests may not park here", "The door is red", "Red is the door"):
            await bench.store(text)
        (found,) = [recorded for recorded in bench.log.read(0) if recorded.type == kept]
        assert found.key == f"reconciling:{found.subject}"
        assert found.actor == "reconciling"


async def test_it_rests_while_others_store_and_hurries_when_somebody_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rests: list[float] = []
    sleep = asyncio.sleep

    async def noted(seconds: float) -> None:
        rests.append(seconds)
        await sleep(0)

    monkeypatch.setattr(enriching, "AT_WORK", 60.0)
    async with running(tmp_path, Letters("")) as bench:
        monkeypatch.setattr(asyncio, "sleep", noted)
        await bench.store("The door of the shed is red")
        assert rests == []
        written = [await bench.written(text) for text in ("An otter swims past the mill", "The mill is closed today")]
        async with asyncio.timeout(30):
            while bench.findings.seq < written[-1][0].seq:
                await sleep(0.001)
        assert len(rests) >= 1
        assert all(0 < rest <= enriching.LONGEST_REST for rest in rests)


class InTwoTurns(Letters):
    """Does not get on with the second turn of the embedding before somebody hurries."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.hurried: set[int] = set()

    async def embed(self, texts: Sequence[str], deadline: float, *, urgent: bool = False) -> list[bytes]:
        while any(LATE in text for text in texts) and not self.hurried and MERGED not in self.texts:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        self.texts += texts
        return await super().embed(texts, deadline, urgent=urgent)


MERGED = "The door of the shed is red\nMice like oats a lot"
LATE = "a late remark"


def _kept(event: MemoryStored, _: View) -> Decision:
    return decide.store(event, None)


async def test_what_a_merge_made_does_not_wait_for_all_that_was_stored_before_it(tmp_path: Path) -> None:
    embedder = InTwoTurns()
    async with running(tmp_path, embedder) as bench:
        embedder.hurried = bench.semantics.hurried
        first = [stored(text) for text in (MERGED.split("\n")[0], MERGED.replace("\n", ". "))]
        others = [f"number {n}" if n < reacting.EVENTS_A_TURN else f"{LATE}, number {n}" for n in range(2, 100)]
        # Said in conversations, so that they are held against nothing.
        said = [stored(text, session_id=text, speaker="Ada") for text in others]
        steps = tuple(Step(decide=partial(_kept, event)) for event in (*first, *said))
        last = (await bench.writer.submit(Command(namespace="default", actor="tests", steps=steps)))[-1].id
        async with asyncio.timeout(30):
            while bench.findings.seq < last:  # noqa: ASYNC110
                await asyncio.sleep(0.001)
        assert bench.types().count("memory.merged") == 1
        assert embedder.texts.index(MERGED) < max(at for at, text in enumerate(embedder.texts) if LATE in text)
