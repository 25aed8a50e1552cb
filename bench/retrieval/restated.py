"""Facts that were restated with a new value: which of the two statements comes first."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from bench.retrieval.asking import Filled, filled
from bench.retrieval.sets import OURS, Collection, Text


def report(runtime: str) -> str:
    found = json.loads((OURS / "restated.json").read_text())
    with filled([_collection(found)], runtime) as (space,):
        newer = _first(space, found["pairs"], "newer")
        older = _first(space, found["controls"], "older")
    return (
        f"\n### Restated facts ({runtime})\n\nThe newer statement stands before the older one in {newer} of "
        f"{len(found['pairs'])} pairs; where the older one is asked for, it stands first in {older} of "
        f"{len(found['controls'])}."
    )


def _collection(found: dict[str, Any]) -> Collection:
    pairs = [*found["pairs"], *found["controls"]]
    said = [(f"{pair['id']}:{which}", pair[which]) for pair in pairs for which in ("older", "newer")]
    said += [(one["id"], one) for one in found["distractors"]]
    texts = [Text(name, one["text"], datetime.fromisoformat(one["date"]).replace(tzinfo=UTC)) for name, one in said]
    return Collection("restated", sorted(texts, key=lambda text: text.at), [])


def _first(space: Filled, pairs: Sequence[dict[str, Any]], wanted: str) -> int:
    """In how many pairs the wanted statement comes before the other, or alone."""
    count = 0
    for pair in pairs:
        names = [text.name for text in space.ranking(pair["question"], floor=0.0)]
        here = [name for name in names if name.startswith(f"{pair['id']}:")]
        count += here[:1] == [f"{pair['id']}:{wanted}"]
    return count
