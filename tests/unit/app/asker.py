"""A memory that can be asked: everything a recall goes through but the socket and the model's own process."""

import struct
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from math import sqrt
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from reverie.protocol import requests as ask
from reverie.protocol.results import Recalled
from reveried.app.answers import Answers
from reveried.app.candidates import Candidates
from reveried.app.commands import Caller
from reveried.app.expanding import Expanding
from reveried.app.feedback import Feedback
from reveried.app.recall import Recall
from reveried.app.remember import Remember
from reveried.app.reranking import reranking
from reveried.app.semantics import Semantics
from reveried.config.schema import Config
from reveried.domain.memory import Memory
from reveried.domain.policies import RecallPolicy
from reveried.domain.recalling.embedded import ITSELF
from reveried.domain.recalling.terms import terms
from reveried.embed.errors import EmbedderUnavailable
from reveried.embed.reranker import Reranker
from reveried.ports import EmbedderCondition
from reveried.state.vectors import Embedded
from unit.jobs.living import Life, Turned, life

DIMENSION = 8
NO_MODEL = "no model today"
# The first question loads the arithmetic for vectors, which takes a while on a busy machine.
PATIENT = 60.0


def configured(**recall: Any) -> Config:
    return Config(recall=RecallPolicy(cold_wait=PATIENT, **recall))


class WordEmbedder:
    """Texts with the same words are near; it is there, or it is not yet."""

    id, dimension, scripts = "words", DIMENSION, "all"

    def __init__(self, *, present: bool = True) -> None:
        self.ready = True
        if not present:
            self.id = ""
            self.ready = False

    @property
    def condition(self) -> EmbedderCondition:
        state, reason = ("ready", "") if self.id else ("none", NO_MODEL)
        return EmbedderCondition(state=state, reason=reason, runtime="test", model=self.id, restarts=0)

    def warm(self) -> None:
        return

    async def embed(self, texts: Sequence[str], deadline: float, *, urgent: bool = False) -> list[bytes]:
        if not self.ready:
            raise EmbedderUnavailable(NO_MODEL)
        return [vector_of(text) for text in texts]

    async def close(self) -> None:
        return


def vector_of(text: str) -> bytes:
    sums = [0.01] * DIMENSION
    for term in terms(text):
        sums[sha256(term.encode()).digest()[0] % DIMENSION] += 1.0
    length = sqrt(sum(part * part for part in sums))
    return struct.pack(f"<{DIMENSION}f", *(part / length for part in sums))


class Asker:
    def __init__(self, living: Life, embedder: WordEmbedder) -> None:
        self.life = living
        self.embedder = embedder
        self.caller = Caller("default", "tests")
        settings, writer, clock = living.settings, living.writer, living.clock
        self.semantics = Semantics(embedder, living.vectors, 0.3, living.settings.current.recall.graph_from)
        self.remember = Remember(writer, clock, settings.get)
        self.feedback = Feedback(writer, living.accesses, settings.get)
        self.recalls = self._recall(settings.get)
        self._without_cache = self._recall(self._uncached)

    def _recall(self, config: Any) -> Recall:
        living = self.life
        answers = Answers(living.writer.changes, lambda: self.semantics.version, living.clock.now, config)
        candidates, rerank = Candidates(self.semantics), reranking(Reranker(), config)
        expanding = Expanding(living.readers, living.clock, config)
        return Recall(living.readers, living.accesses, candidates, answers, living.clock, config, rerank, expanding)

    def _uncached(self) -> Config:
        config = self.life.settings.get()
        return replace(config, recall=replace(config.recall, cache=0))

    async def store(self, content: str, **fields: Any) -> int:
        request = ask.Store(id=0, memory=ask.Draft(content=content, **fields))
        return await self.written(self.remember.store(request, self.caller))

    async def written(self, outcomes: Any) -> int:
        made = await outcomes
        self.caller.written = max(self.caller.written, made[-1].seq)
        return int(made[0].id)

    async def recall(self, query: str, **fields: Any) -> Recalled:
        return await self.recalls.recall(ask.Recall(id=0, query=query, **fields), self.caller)

    async def recall_afresh(self, query: str, **fields: Any) -> Recalled:
        return await self._without_cache.recall(ask.Recall(id=0, query=query, **fields), self.caller)

    async def ids(self, query: str, **fields: Any) -> list[int]:
        return [memory.id for memory in (await self.recall(query, **fields)).memories]

    async def settle(self) -> None:
        """What was read is recorded, and everything can be seen."""
        await self.life.accesses.flush()
        await self.life.writer.run(lambda: None)

    async def embed(self, *ids: int) -> None:
        """Give memories their vectors, as the reactor would."""
        memories: dict[int, Memory] = await self.life.memories()
        rows = [
            Embedded(id_, memories[id_].namespace, ITSELF, str(id_).encode(), vector_of(memories[id_].content))
            for id_ in ids
            if id_ in memories
        ]
        kept = self.life.vectors.write(self.embedder.id, self.life.log.head, list(ids), rows)
        await self.semantics.learned(list(ids), kept)


@asynccontextmanager
async def asker(path: Path, config: Config | None = None, embedder: WordEmbedder | None = None) -> AsyncIterator[Asker]:
    with pytest.MonkeyPatch.context() as patch:
        # Readings are recorded when a test says so, and not half a second later.
        patch.setattr("reveried.app.accesses.DELAY", 3600.0)
        async with life(path, Turned(), config or configured()) as living:
            yield Asker(living, embedder or WordEmbedder())
