"""What recall is measured against: BM25 alone, as SQLite's full-text index ranks, and cosines alone."""

import sqlite3
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from bench.retrieval.sets import Collection, Text
from reveried.domain.recalling.words import query_words
from reveried.embed.policy import EmbeddingPolicy
from reveried.embed.resolve import Missing, resolve
from reveried.embed.runtimes import load

Ranking = Callable[[str], list[Text]]
Embed = Callable[[Sequence[str]], "np.ndarray"]  # type: ignore[type-arg]
BATCH = 8


def bm25(collection: Collection) -> Ranking:
    """Stemmed words, stop words left out of the query, every row that matches ranked."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE texts USING fts5(content, tokenize='porter unicode61 remove_diacritics 2')")
    rows = [(number, said(text)) for number, text in enumerate(collection.texts)]
    db.executemany("INSERT INTO texts(rowid, content) VALUES (?, ?)", rows)

    def ranking(query: str) -> list[Text]:
        words = " OR ".join(f'"{word}"' for word in query_words(query))
        if not words:
            return []
        found = db.execute("SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank", (words,)).fetchall()
        return [collection.texts[number] for (number,) in found]

    return ranking


def dense(collection: Collection) -> Ranking:
    """One vector a text, of as much of it as the model reads."""
    embed = embedder()
    rows = embed([said(text) for text in collection.texts])

    def ranking(query: str) -> list[Text]:
        (vector,) = embed([query])
        return [collection.texts[number] for number in np.argsort(-(rows @ vector), kind="stable")]

    return ranking


@cache
def embedder() -> Embed:
    model = resolve(EmbeddingPolicy(runtime="onnx"))
    if isinstance(model, Missing):
        raise SystemExit(model.reason)
    embed = load(model)

    def batched(texts: Sequence[str]) -> "np.ndarray":  # type: ignore[type-arg]
        return np.concatenate([embed(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)])

    return batched


def said(text: Text) -> str:
    return f"{text.speaker}: {text.content}" if text.speaker else text.content
