"""A data directory that remembers a corpus: events in the log, and a vector for each memory.

Embedding a hundred thousand texts takes an hour, and the cost of a search does not depend on what the vectors mean:
they are random, in clusters as those of texts are, and written where the model's own would be.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bench.corpus import Corpus
from reveried.domain.events import MemoryStored
from reveried.domain.understanding.text import content_hash
from reveried.embed.policy import EmbeddingPolicy
from reveried.embed.resolve import Model, resolve
from reveried.log.sqlite import SqliteLog
from reveried.ports import NewEvent
from reveried.state.vectors import Embedded, VectorStore
from reveried.vectors.space import IN_CONTEXT, ITSELF

START = 1_690_000_000_000_000
AT_ONCE = 1_000


def remember(directory: Path, corpus: Corpus, count: int) -> None:
    log = SqliteLog(directory / "log.db")
    for n, turn in enumerate(corpus.turns(count), 1):
        event = MemoryStored(
            content=turn.text,
            title=turn.text[:80],
            content_hash=content_hash(turn.text),
            kind="fact",
            importance=0.5,
            confidence=0.8,
            created_at=START + n * 30_000_000,
            speaker=turn.speaker,
            session_id=turn.session,
        )
        log.stage(NewEvent("default", "bench", event), START + n * 30_000_000)
        if n % AT_ONCE == 0:
            log.commit()
    log.commit()
    log.close()


def clustered(count: int, dimension: int) -> Iterator["np.ndarray"]:  # type: ignore[type-arg]
    dice = np.random.default_rng(4)
    centres = dice.standard_normal((max(8, count // 50), dimension))
    for start in range(0, count, AT_ONCE):
        size = min(AT_ONCE, count - start)
        near = centres[dice.integers(0, len(centres), size)] + dice.standard_normal((size, dimension))
        yield (near / np.linalg.norm(near, axis=1, keepdims=True)).astype(np.float32)


def give_vectors(directory: Path, count: int) -> int:
    """Two for each memory, as a memory in a session has; returns their dimension."""
    model = resolve(EmbeddingPolicy())
    assert isinstance(model, Model), model
    store, memory = VectorStore(directory / "vectors.db"), 0
    for block in clustered(count, model.manifest.dimension):
        rows = []
        for vector in block:
            memory += 1
            text = memory.to_bytes(15, "big")
            rows += [
                Embedded(memory, "default", role, text + bytes([role]), vector.tobytes())
                for role in (ITSELF, IN_CONTEXT)
            ]
        store.write(model.manifest.id, count, [], rows)
    store.close()
    return model.manifest.dimension
