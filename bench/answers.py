"""Whether two versions of the code give the same answers: `python -m bench.answers DATA --write FILE` with the one,
`--against FILE` with the other, each on its own copy of one data directory. The clock stands still and nothing is
recorded, so every difference is one of the code."""

import argparse
import asyncio
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from reverie.protocol.requests import Recall as RecallRequest
from reveried.app.answers import Answers
from reveried.app.candidates import Candidates
from reveried.app.commands import Caller
from reveried.app.expanding import Expanding
from reveried.app.readers import Readers
from reveried.app.recall import Recall
from reveried.app.reranking import reranking
from reveried.app.semantics import Semantics
from reveried.config.schema import Config
from reveried.domain.policies import RecallPolicy
from reveried.embed.choosing import embedder_for
from reveried.embed.policy import EmbeddingPolicy
from reveried.embed.reranker import Reranker
from reveried.log.sqlite import SqliteLog
from reveried.state.rebuild import replay
from reveried.state.store import reached
from reveried.state.vectors import VectorStore

NOW = 1_790_000_000_000_000
CONFIG = Config(recall=RecallPolicy(cache=0, cold_wait=60.0))
CLOSE = 1e-9
# Ways of asking, in turn: most questions plainly, the others with whatever changes the way through the search.
WAYS: tuple[dict[str, Any], ...] = (
    {"limit": 10, "floor": 0.0}, {}, {"limit": 60, "token_budget": 1_000_000, "floor": 0.0},
    {"profile": "balanced", "floor": 0.0}, {"profile": "hebbian", "limit": 20, "floor": 0.0}, {"token_budget": 60},
    {"kinds": ["preference", "event"], "floor": 0.0}, {"since": NOW // 2, "until": NOW, "floor": 0.0},
    {"include_archived": True, "floor": 0.0}, {"systems": ["episodic"], "limit": 20, "floor": 0.0},
)  # fmt: skip


class Given(NamedTuple):
    evidence: float
    ids: list[int]
    scores: list[float]


class _Nobody:
    """Neither waits for a writer nor records what was read."""

    async def projected(self, seq: int) -> None:
        pass

    def recalled(self, *what: object) -> None:
        pass

    def followed(self, *what: object) -> None:
        pass


async def answers(data: Path, asked: list[tuple[str, str]], runtime: str) -> list[Given]:
    readers = Readers(data / "log.db", data / "state.db", data / "archive.db", _Nobody())  # type: ignore[arg-type]
    store = VectorStore(data / "vectors.db")
    await readers.open()
    embedder = embedder_for(EmbeddingPolicy(runtime=runtime))  # type: ignore[arg-type]
    semantics = Semantics(embedder, store, CONFIG.relevance.meaning_context, 1 << 40)
    kept = Answers(lambda _: 0, lambda: 0, lambda: NOW, lambda: CONFIG)
    clock = type("Clock", (), {"now": lambda _: NOW})()
    rerank = reranking(Reranker(), lambda: CONFIG)
    expanding = Expanding(readers, clock, lambda: CONFIG)  # type: ignore[arg-type]
    recall = Recall(readers, _Nobody(), Candidates(semantics), kept, clock, lambda: CONFIG, rerank, expanding)  # type: ignore[arg-type]
    given = []
    for at, (namespace, question) in enumerate(asked):
        request = RecallRequest(id=0, query=question, **WAYS[at % len(WAYS)])
        answer = await recall.recall(request, Caller(namespace, "bench"))
        given.append(
            Given(answer.evidence, [one.id for one in answer.memories], [one.score for one in answer.memories])
        )
    await semantics.close()
    await readers.close()
    store.close()
    return given


def differences(before: list[Given], after: list[Given]) -> Iterator[int]:
    for at, (old, new) in enumerate(zip(before, after, strict=True)):
        numbers = zip([old.evidence, *old.scores], [new.evidence, *new.scores], strict=False)
        if old.ids != new.ids or any(abs(one - other) > CLOSE for one, other in numbers):
            yield at


def brought_up(data: Path) -> None:
    """The state as this version of the code has it."""
    log = SqliteLog(data / "log.db")
    if reached(data / "state.db", data / "archive.db") != log.head:
        for name in ("state.db", "archive.db"):
            for suffix in ("", "-wal", "-shm"):
                (data / f"{name}{suffix}").unlink(missing_ok=True)
        replay(log._db, data / "state.db", data / "archive.db")
    log.close()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.answers", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--questions", type=Path, required=True, help="JSON: namespace -> questions")
    parser.add_argument("--runtime", default="onnx")
    parser.add_argument("--write", type=Path)
    parser.add_argument("--against", type=Path)
    chosen = parser.parse_args()
    asked = [(name, one) for name, some in json.loads(chosen.questions.read_text()).items() for one in some]
    brought_up(chosen.data)
    given = asyncio.run(answers(chosen.data, asked, chosen.runtime))
    if chosen.write:
        chosen.write.write_text(json.dumps(given))
    if chosen.against:
        before = [Given(*one) for one in json.loads(chosen.against.read_text())]
        changed = list(differences(before, given))
        for at in changed[:5]:
            print(asked[at], WAYS[at % len(WAYS)], before[at], given[at], sep="\n  ", file=sys.stderr)
        print(f"{len(asked)} questions, {len(changed)} answered differently")


if __name__ == "__main__":
    main()
