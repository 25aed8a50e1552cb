"""What a recall cannot cost less than: the bytes through a socket, the rows out of the index, a pass over the vectors.
And what it would cost to let the index rank."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import sqlite3
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from bench.remembered import clustered
from reveried.domain.policies import RecallPolicy
from reveried.domain.recalling.words import query_words
from reveried.vectors.matrix import LARGE, Matrix

NEWEST = "SELECT rowid FROM fulltext WHERE fulltext MATCH ? ORDER BY rowid DESC LIMIT ?"
RANKED = "SELECT rowid FROM fulltext WHERE fulltext MATCH ? ORDER BY rank LIMIT 10"


def quantiles(calls: Iterable[Callable[[], object]]) -> tuple[float, float]:
    """Median and 99th percentile in milliseconds."""
    samples = []
    for call in calls:
        started = time.perf_counter()
        call()
        samples.append((time.perf_counter() - started) * 1000)
    return statistics.median(samples), sorted(samples)[min(len(samples) - 1, round(len(samples) * 0.99))]


def keywords(state: Path, questions: Sequence[str]) -> float:
    """The newest holders of each word, one statement a word."""
    db, cap = _opened(state), RecallPolicy().term_cap

    def search(question: str) -> None:
        for word in query_words(question):
            db.execute(NEWEST, (f'"{word}"', cap)).fetchall()

    return _warm(search, questions)


def ranked_by_the_index(state: Path, questions: Sequence[str]) -> float:
    db = _opened(state)
    return _warm(lambda question: db.execute(RANKED, (_any_of(question),)).fetchall(), questions)


def vector_pass(count: int, dimension: int) -> float:
    """The faster of exact and coarse rows, and the ten best of them."""
    passes = []
    for large in (0, 1 << 40) if count <= LARGE * 10 else (0,):
        matrix = Matrix(dimension, large)
        for block in clustered(count, dimension):
            matrix.write(np.arange(matrix.rows, matrix.rows + len(block)), block)
        query = matrix.of(np.array([0]))[0]
        passes.append(_warm(lambda _, matrix=matrix, query=query: np.argpartition(matrix.times(query), -10), "x" * 20))
    return min(passes)


def _warm(call: Callable[[str], object], given: Sequence[str]) -> float:
    for one in given[:5]:
        call(one)
    return quantiles(lambda one=one: call(one) for one in given)[0]


def _opened(state: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{state}?mode=ro", uri=True)


def _any_of(question: str) -> str:
    return " OR ".join(f'"{word}"' for word in query_words(question)) or '"nothing"'
