"""`python -m bench.peers --locomo FILE [--only NAME …]`: speed and quality beside other memories, in one run.

Everybody gets every turn as one text with its speaker before it, and the same questions. What ours does beyond that
with speakers, sessions and dates, where they are given, is measured by `bench.retrieval`.
"""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from bench.peers import ours
from bench.peers.catalog import PEERS, served
from bench.peers.work import Served, Space, Work
from bench.retrieval.baselines import embedder, said
from bench.retrieval.metrics import Answered, scores
from bench.retrieval.sets import ADVERSARIAL, Collection, locomo

SINGLY, TIMED = 300, 300
OURS = {"reverie": "auto", "reverie, keywords": "none"}


def main() -> None:
    chosen = _arguments()
    everybody = {name: _peer(name) for name in PEERS} | {name: _own(runtime) for name, runtime in OURS.items()}
    names = chosen.only or list(everybody)
    with tempfile.TemporaryDirectory() as directory:
        collections = [_answerable(one) for one in locomo(chosen.locomo)[: chosen.conversations]]
        spaces = [_space(one, Path(directory)) for one in collections]
        whole = _together(spaces, Path(directory))
        print(_speed({name: _given(everybody[name], name, [whole], SINGLY) for name in names}, len(whole.texts)))
        for name in names:
            rankings = _given(everybody[name], name, spaces, 0).rankings
            print(_quality(name, collections, rankings), flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("--locomo", type=Path, required=True, help="locomo10.json")
    parser.add_argument("--conversations", type=int, default=10, help="how many of them")
    parser.add_argument("--only", nargs="*", choices=[*PEERS, *OURS])
    return parser.parse_args()


Serve = Callable[[Work], Served]


def _peer(name: str) -> Serve:
    return lambda work: served(name, work)


def _own(runtime: str) -> Serve:
    return lambda work: ours.served(work, runtime)


def _given(serve: Serve, name: str, spaces: list[Space], singly: int) -> Served:
    print(f"  {name}: {sum(len(space.texts) for space in spaces):,} texts …", file=sys.stderr)
    with tempfile.TemporaryDirectory() as home:
        return serve(Work(home, spaces, singly))


def _answerable(collection: Collection) -> Collection:
    return collection._replace(questions=[one for one in collection.questions if one.category != str(ADVERSARIAL)])


def _space(collection: Collection, directory: Path) -> Space:
    texts, questions = [said(text) for text in collection.texts], [one.text for one in collection.questions]
    path = directory / f"{collection.name}.npy"
    np.save(path, embedder()([*texts, *questions]))
    return Space(collection.name, texts, questions, str(path))


def _together(spaces: Sequence[Space], directory: Path) -> Space:
    """One memory of all texts, for the speed: a conversation alone is too small to tell."""
    vectors = [np.load(space.vectors or "") for space in spaces]
    texts = [text for space in spaces for text in space.texts]
    asked = [question for space in spaces for question in space.questions]
    chosen = np.linspace(0, len(asked) - 1, TIMED).astype(int)
    of_texts = [rows[: len(space.texts)] for rows, space in zip(vectors, spaces, strict=True)]
    of_questions = np.concatenate([rows[len(space.texts) :] for rows, space in zip(vectors, spaces, strict=True)])
    path = directory / "together.npy"
    np.save(path, np.concatenate([*of_texts, of_questions[chosen]]))
    return Space("together", texts, [asked[number] for number in chosen], str(path))


def _speed(timed: dict[str, Served], texts: int) -> str:
    columns = "start s | stores/s, one by one | stores/s, batches | question p50 ms | p99 ms | memory MB"
    lines = [f"| | {columns} |", f"|---|{'---|' * 6}"]
    for name, one in timed.items():
        asked = sorted(one.asked)
        values = (
            f"{one.ready:.2f}", f"{SINGLY / one.singly:,.0f}", f"{(texts - SINGLY) / one.batched:,.0f}",
            f"{statistics.median(asked):.1f}", f"{asked[int(len(asked) * 0.99)]:.1f}", f"{one.resident:.0f}",
        )  # fmt: skip
        lines.append(f"| {name} | {' | '.join(values)} |")
    return "\n".join([*lines, "", "| | any@1 | any@5 | fraction@10 | MRR |", "|---|---|---|---|---|"])


def _quality(name: str, collections: Sequence[Collection], rankings: Sequence[Sequence[Sequence[int]]]) -> str:
    answered = [
        Answered([collection.texts[place].name for place in ranking], question.evidence)
        for collection, answers in zip(collections, rankings, strict=True)
        for question, ranking in zip(collection.questions, answers, strict=True)
    ]
    found = scores(answered)
    values = (found.any[1], found.any[5], found.fraction[10], found.mrr)
    return f"| {name} | {' | '.join(f'{value:.3f}' for value in values)} |"


main()
