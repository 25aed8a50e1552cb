"""Recall at several sizes, beside the sum of its floors and beside letting the index rank.

`python -m bench.recall --texts locomo10.json --sizes 1000,10000` measures as much as is asked for.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bench.corpus import Corpus, corpus
from bench.floors import keywords, quantiles, ranked_by_the_index, vector_pass
from bench.remembered import give_vectors, remember
from bench.roundtrip import echo
from bench.serving import started
from bench.table import Result, render
from running import QUIET, RunningDaemon

SIZES, KEYWORDS_ONLY = (1_000, 10_000, 100_000), (1_000_000,)
QUESTIONS = 200
HYBRID, WORDS = "hybrid", "keywords"
# A graph is optional, and takes minutes to be built: without it everybody has what is measured here.
NO_GRAPH = 1_000_000_000


class Measured(NamedTuple):
    median: float
    worst: float
    floor: float
    ranked: float
    first_time: float


def measure(*chosen: int) -> list[Result]:
    """With sizes of one's own nothing else is measured."""
    return measured(None, chosen, ()) if chosen else measured(None, SIZES, KEYWORDS_ONLY)


def measured(texts: Path | None, sizes: Sequence[int], keywords_only: Sequence[int]) -> list[Result]:
    said, socket_ms = corpus(texts), echo() / 1000
    found: dict[tuple[str, int], Measured] = {}
    for size in (*sizes, *keywords_only):
        print(f"  {size:,} memories of {said.name} …", file=sys.stderr)
        found |= at(said, size, socket_ms, with_vectors=size in sizes)
    results = [_against_the_floors(*key, one, said) for key, one in found.items()]
    results += [_against_ranking(*key, one) for key, one in found.items() if key[1] >= 100_000]
    return [*results, *_growth(found), *_embedding(found)]


def at(said: Corpus, size: int, socket_ms: float, *, with_vectors: bool) -> dict[tuple[str, int], Measured]:
    with tempfile.TemporaryDirectory() as home:
        data = Path(home, "data")
        data.mkdir(mode=0o700)
        remember(data, said, size)
        dimension = give_vectors(data, size) if with_vectors else 0
        questions = said.questions[:QUESTIONS]
        by_words = _measured(Path(home), questions, QUIET["embedding"])
        of_words = socket_ms + keywords(data / "state.db", questions)
        ranked = ranked_by_the_index(data / "state.db", questions[:20])
        found = {(WORDS, size): Measured(*by_words[:2], of_words, ranked, by_words[2])}
        if with_vectors:
            by_both = _measured(Path(home), questions, "embedding: {runtime: auto, idle: 3600}\n")
            floor = of_words + vector_pass(size, dimension)
            found[HYBRID, size] = Measured(*by_both[:2], floor, ranked, by_both[2])
        return found


def _measured(home: Path, questions: Sequence[str], embedding: str) -> tuple[float, float, float]:
    """Median and 99th percentile of a question whose vector is known, and the median of one asked for the first time.
    No answer comes from the cache: there is none."""
    daemon = RunningDaemon(home, config=f"recall: {{cache: 0, cold_wait: 30, graph_from: {NO_GRAPH}}}\n{embedding}")
    with started(daemon), daemon.client() as client:
        client.recall("a first question, to have everything loaded")
        first = quantiles(lambda one=one: client.recall(one) for one in questions)[0]
        again = quantiles(lambda one=one: client.recall(one) for one in questions)
        expected = "none" not in embedding
        assert client.recall(questions[0]).semantic is expected, "the search was not of the kind to be measured"
    return *again, first


def _against_the_floors(kind: str, size: int, one: Measured, said: Corpus) -> Result:
    vectors = ", made-up vectors" if kind == HYBRID else ""
    detail = f"p50 {one.median:.1f} ms, p99 {one.worst:.1f} ms against {one.floor:.1f} ms; {said.name}{vectors}"
    return Result(f"recall, {kind}, {size:,} / socket + index + vectors", one.median / one.floor, 2.0, True, detail)


def _against_ranking(kind: str, size: int, one: Measured) -> Result:
    detail = f"p50 {one.median:.1f} ms against {one.ranked:.0f} ms"
    return Result(f"recall, {kind}, {size:,} / ORDER BY rank", one.median / one.ranked, 0.1, True, detail)


def _growth(found: dict[tuple[str, int], Measured]) -> list[Result]:
    results = []
    for (kind, size), one in found.items():
        tenth = found.get((kind, size // 10))
        if tenth is not None:
            detail = f"p50 {one.median:.1f} ms against {tenth.median:.1f} ms"
            results.append(
                Result(f"recall, {kind}, {size:,} / {size // 10:,}", one.median / tenth.median, 4.0, True, detail)
            )
    return results


def _embedding(found: dict[tuple[str, int], Measured]) -> list[Result]:
    return [
        Result(
            f"a question asked for the first time / again, {size:,}",
            one.first_time / one.median,
            float("inf"),
            True,
            f"p50 {one.first_time:.1f} ms with its embedding against {one.median:.1f} ms with that known",
        )
        for (kind, size), one in found.items()
        if kind == HYBRID
    ]


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",") if number]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.recall", description=__doc__)
    parser.add_argument("--texts", type=Path, help="conversations in the form of LoCoMo; made-up talk without")
    parser.add_argument("--sizes", type=_numbers, default=SIZES, help="memories, for words and for words with meaning")
    parser.add_argument("--keywords-only", type=_numbers, default=KEYWORDS_ONLY, help="memories, for words alone")
    given = parser.parse_args()
    print(render(measured(given.texts, given.sizes, given.keywords_only)))


if __name__ == "__main__":
    main()
