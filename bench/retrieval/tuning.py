"""Are the weights of relevance fitted or found? They are searched on some conversations and scored on the others.

Every fold starts from the same plain weights, walks them one by one as long as the conversations of its training set
are answered better, and is then asked the questions of the conversations it has not seen.
"""

import asyncio
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from msgspec.structs import replace

from bench.retrieval.asking import Filled
from bench.retrieval.metrics import Answered, Scores, scores
from reveried.app.candidates import Candidates, Gathered, Search
from reveried.app.places import Place, looking
from reveried.app.semantics import Semantics
from reveried.domain.policies import RecallPolicy
from reveried.domain.recalling.relevance import RelevancePolicy, relevance
from reveried.embed.choosing import embedder_for
from reveried.embed.policy import EmbeddingPolicy
from reveried.log.pool import Pool
from reveried.state.reads import Filter
from reveried.state.vectors import VectorStore

FOLDS = 5
PLAIN = RelevancePolicy(
    words=1.0, meaning=1.0, words_context=0.5, meaning_context=0.5, successor=0.1, second=0.1, session=0.5,
    speaker=0.2, dated=0.2, question=0.1,
)  # fmt: skip
STEPS = (0.5, 0.75, 1.35, 2.0)
WALKED = ("words", "meaning", "words_context", "meaning_context", "successor", "second", "session", "speaker", "dated",
          "question")  # fmt: skip
SHARES = ("words_context", "meaning_context", "successor", "second")


class Case(NamedTuple):
    """One question with everything that was gathered for it."""

    conversation: str
    gathered: Gathered
    evidence: frozenset[str]
    names: Mapping[int, str]


def report(spaces: Sequence[Filled], home: Path) -> str:
    """The daemon that filled the spaces must be stopped: its files are read here."""
    cases = asyncio.run(_cases(spaces, home))
    lines = ["\n### Weights found on other conversations\n", "| held out | any@5 | fraction@10 | MRR | weights |"]
    lines.append("|---|---|---|---|---|")
    tried, held = _Tried(cases), []
    for fold in _folds(cases):
        found = _walked(tried, [case for case in cases if case.conversation not in fold])
        unseen = [case for case in cases if case.conversation in fold]
        held += [tried.answer(found, case) for case in unseen]
        lines.append(_row(", ".join(sorted(fold)), tried.scores(found, unseen), _told(found)))
        print(f"tuned without {', '.join(sorted(fold))}", file=sys.stderr)
    lines.append(_row("**all held out**", scores(held), ""))
    lines.append(_row("the weights that ship", tried.scores(RelevancePolicy(), cases), _told(RelevancePolicy())))
    return "\n".join(lines)


async def _cases(spaces: Sequence[Filled], home: Path) -> list[Case]:
    pool, store = Pool(home / "data" / "state.db", 4), VectorStore(home / "data" / "vectors.db")
    await pool.open()
    embedder = embedder_for(EmbeddingPolicy(runtime="onnx"))
    recall, weights = RecallPolicy(cold_wait=60.0), RelevancePolicy()
    candidates = Candidates(Semantics(embedder, store, weights.meaning_context, recall.graph_from))
    cases = []
    for space in spaces:
        name = space.collection.name
        places = [Place(pool, Filter(namespace=name, replaced=False))]
        names = {id_: text.name for id_, text in space.names.items()}
        for question in space.collection.questions:
            search = Search(question.text, recall.limit, recall, weights)
            meaning, words = await candidates.searched(search, places)
            gathered = await looking(places, partial(candidates.gathered, search, meaning, words))
            cases.append(Case(name, gathered, question.evidence, names))
    await embedder.close()
    await pool.close()
    store.close()
    return cases


class _Tried:
    """What weights give for each case, worked out once: folds share most of what they try."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self._numbers = {id(case): number for number, case in enumerate(cases)}
        self._answers = cache(lambda policy: [_answered(case, policy) for case in cases])

    def answer(self, policy: RelevancePolicy, case: Case) -> Answered:
        return self._answers(policy)[self._numbers[id(case)]]

    def scores(self, policy: RelevancePolicy, cases: Sequence[Case]) -> Scores:
        return scores([self.answer(policy, case) for case in cases])


def _answered(case: Case, policy: RelevancePolicy) -> Answered:
    gathered = case.gathered
    found = relevance(gathered.query, gathered.candidates, gathered.sessions, policy)
    ranking = sorted(found, key=lambda id_: (-found[id_].total, -id_))
    return Answered([case.names[id_] for id_ in ranking], case.evidence)


def _walked(tried: _Tried, cases: Sequence[Case]) -> RelevancePolicy:
    best, value = PLAIN, _value(tried.scores(PLAIN, cases))
    for _ in range(2):
        for candidate in _neighbours(best, tried, cases):
            best, value = max(((best, value), candidate), key=lambda one: one[1])
    return best


def _neighbours(
    start: RelevancePolicy, tried: _Tried, cases: Sequence[Case]
) -> Iterator[tuple[RelevancePolicy, float]]:
    best, value = start, _value(tried.scores(start, cases))
    for name in WALKED:
        for step in STEPS:
            weight = getattr(best, name) * step
            tried_policy = replace(best, **{name: round(min(weight, 1.0) if name in SHARES else weight, 3)})
            reached = _value(tried.scores(tried_policy, cases))
            if reached > value:
                best, value = tried_policy, reached
        yield best, value


def _value(found: Scores) -> float:
    return mean((found.any[5], found.fraction[10], found.mrr))


def _folds(cases: Sequence[Case]) -> list[set[str]]:
    names = sorted({case.conversation for case in cases})
    return [set(names[start::FOLDS]) for start in range(FOLDS)]


def _row(name: str, found: Scores, weights: str) -> str:
    return f"| {name} | {found.any[5]:.3f} | {found.fraction[10]:.3f} | {found.mrr:.3f} | {weights} |"


def _told(policy: RelevancePolicy) -> str:
    return ", ".join(f"{name} {getattr(policy, name):g}" for name in WALKED)
