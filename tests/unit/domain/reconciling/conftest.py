"""Cosines of the real model for the labelled pairs: the rules are judged on what they will meet."""

from collections.abc import Callable

import pytest

from data.corpora import rows
from reveried.embed.policy import EmbeddingPolicy
from reveried.embed.resolve import Model, resolve

Cosine = Callable[[str, str], float]


@pytest.fixture(scope="session")
def cosine() -> Cosine:
    model = resolve(EmbeddingPolicy())
    assert isinstance(model, Model), f"the [onnx] extra brings the model: {model}"
    from reveried.embed.runtimes import load

    texts = sorted(
        {row[side] for name in ("conflicts", "duplicates") for row in rows(name) for side in ("known", "new")}
    )
    embed = load(model)
    vectors = {}
    for start in range(0, len(texts), 16):
        batch = texts[start : start + 16]
        vectors.update(zip(batch, embed(batch), strict=True))
    return lambda first, second: float(vectors[first] @ vectors[second])
