"""The real daemon, filled with a collection and asked its questions."""

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from bench.retrieval.metrics import Answered
from bench.retrieval.sets import Collection, Text
from bench.serving import RunningDaemon, started
from reverie import Client
from reverie.protocol.results import Recalled

BATCH = 500
DEEP = 60
ROOMY = 1_000_000


class Filled(NamedTuple):
    """A namespace that holds a collection, and which memory is which text."""

    collection: Collection
    client: Client
    names: dict[int, Text]

    def answer(self, query: str, **how: object) -> Recalled:
        return self.client.recall(query, limit=DEEP, token_budget=ROOMY, **how)  # type: ignore[arg-type]

    def ranking(self, query: str, **how: object) -> list[Text]:
        return [self.names[memory.id] for memory in self.answer(query, **how).memories]


@contextmanager
def filled(collections: Sequence[Collection], runtime: str, home: Path | None = None) -> Iterator[list[Filled]]:
    """The files are left behind in `home`, if one is given."""
    given = f"embedding: {{runtime: {runtime}}}\n"
    with (
        tempfile.TemporaryDirectory() as temporary,
        started(RunningDaemon(home or Path(temporary), config=given)) as daemon,
    ):
        yield [_fill(daemon, collection) for collection in collections]
        daemon.stop()


def _fill(daemon: RunningDaemon, collection: Collection) -> Filled:
    client = daemon.client(namespace=collection.name, timeout=120.0)
    names: dict[int, Text] = {}
    for start in range(0, len(collection.texts), BATCH):
        texts = collection.texts[start : start + BATCH]
        written = client.store_many([_draft(text) for text in texts]).results
        names.update({one.id: text for one, text in zip(written, texts, strict=True)})
    while client.status().embedder["events_behind"]:
        time.sleep(0.2)
    return Filled(collection, client, names)


def _draft(text: Text) -> dict[str, object]:
    # The same words may be said twice, and each time is a turn of its own.
    return {
        "content": text.content,
        "speaker": text.speaker,
        "session_id": text.session,
        "created_at": text.at,
        "dedup": False,
    }


def by_turn(ranking: Sequence[Text], evidence: frozenset[str]) -> Answered:
    return Answered([text.name for text in ranking], evidence)


def by_session(ranking: Sequence[Text], evidence: frozenset[str], collection: Collection) -> Answered:
    """A session stands where its first text stands."""
    wanted = {text.session or text.name for text in collection.texts if text.name in evidence}
    return Answered(list(dict.fromkeys(text.session or text.name for text in ranking)), wanted)
