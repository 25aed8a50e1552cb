"""`python -m bench.retrieval [--locomo FILE] [--sets …] [--profiles …] [--runtimes …]`: how good recall is, as tables.

Ranking is measured without the floor; what the floor costs and gains is measured apart.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.retrieval import baselines, restated, silence, tuning
from bench.retrieval.asking import Filled, by_session, by_turn, filled
from bench.retrieval.metrics import DEPTHS, Answered, Scores, scores
from bench.retrieval.sets import ADVERSARIAL, Collection, Text, locomo, ours

SETS = ("chats", "assistant", "agent_notes", "chinese", "chinese_notes", "mixed_notes")
Ranking = Callable[[str], list[Text]]


def main() -> None:
    chosen = _arguments()
    collections = {name: ours(name) for name in chosen.sets}
    if chosen.locomo:
        collections = {"LoCoMo": [_answerable(one) for one in locomo(chosen.locomo)], **collections}
    for name, group in collections.items():
        print(f"\n### {name}: {sum(len(one.texts) for one in group)} texts, ", end="")
        print(f"{sum(len(one.questions) for one in group)} questions\n\n{_heading()}", flush=True)
        _measure(group, chosen.runtimes, chosen.profiles)
    for runtime in chosen.runtimes:
        print(restated.report(runtime), silence.report(runtime, chosen.plot if runtime == "onnx" else None), sep="\n")
    if chosen.tune:
        _tune(collections["LoCoMo"])


def _tune(group: Sequence[Collection]) -> None:
    with tempfile.TemporaryDirectory() as home:
        with filled(group, "onnx", Path(home)) as spaces:
            pass
        print(tuning.report(spaces, Path(home)))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval", description="How good recall is.")
    parser.add_argument("--locomo", type=Path, help="locomo10.json; a corrected key beside it is applied")
    parser.add_argument("--sets", nargs="*", default=list(SETS), choices=SETS)
    parser.add_argument("--profiles", nargs="*", default=["adaptive", "relevance"])
    parser.add_argument("--runtimes", nargs="*", default=["onnx", "none"])
    parser.add_argument("--plot", type=Path, help="write the curve of silence there, as SVG")
    parser.add_argument("--tune", action="store_true", help="search the weights anew, by cross-validation over LoCoMo")
    chosen = parser.parse_args()
    if chosen.tune and not chosen.locomo:
        parser.error("--tune needs --locomo")
    return chosen


def _answerable(collection: Collection) -> Collection:
    return collection._replace(questions=[one for one in collection.questions if one.category != str(ADVERSARIAL)])


def _measure(group: Sequence[Collection], runtimes: Sequence[str], profiles: Sequence[str]) -> None:
    for runtime in runtimes:
        with filled(group, runtime) as spaces:
            for profile in profiles:
                _print(f"{profile}, {runtime}", [(space.collection, _recall(space, profile)) for space in spaces])
    for name, baseline in (("BM25 alone", baselines.bm25), ("vectors alone", baselines.dense)):
        _print(name, [(collection, baseline(collection)) for collection in group])


def _recall(space: Filled, profile: str) -> Ranking:
    return lambda query: space.ranking(query, profile=profile, floor=0.0)


def _print(name: str, rankings: Sequence[tuple[Collection, Ranking]]) -> None:
    turns: list[Answered] = []
    sessions: list[Answered] = []
    for collection, ranking in rankings:
        for question in collection.questions:
            found = ranking(question.text)
            turns.append(by_turn(found, question.evidence))
            sessions.append(by_session(found, question.evidence, collection))
    print(_row(f"{name}, texts", scores(turns)))
    if any(text.session for collection, _ in rankings for text in collection.texts):
        print(_row(f"{name}, sessions", scores(sessions)))
    sys.stdout.flush()


def _heading() -> str:
    columns = [f"{kind}@{depth}" for kind in ("any", "fraction", "all") for depth in DEPTHS]
    return f"| | {' | '.join(columns)} | MRR |\n|---|{'---|' * (len(columns) + 1)}"


def _row(name: str, found: Scores) -> str:
    values = [kind[depth] for kind in (found.any, found.fraction, found.all) for depth in DEPTHS]
    return f"| {name} | {' | '.join(f'{value:.3f}' for value in (*values, found.mrr))} |"


main()
