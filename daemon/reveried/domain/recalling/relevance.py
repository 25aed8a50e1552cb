"""How well a memory answers a query, from all the evidence there is: words, meaning, session, speaker.

Scores are fused, never ranks: a list's tenth place says nothing about how good it is. Every part is between 0 and 1
before it is weighed, and the weights look at their evidence: meaning counts for more where texts are long, and what
is said around a memory counts only where the texts are short enough to need it.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated

from msgspec import Meta, Struct

from reveried.domain.recalling.terms import Terms

_WHEN = re.compile(r"\b(?:when|how long ago|(?:what|which) (?:year|month|date|day|time))\b", re.IGNORECASE)
_TIME = re.compile(
    r"\b(?:yesterday|today|tomorrow|last|next|ago|weeks?|months?|years?|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    r"|weekend|january|february|march|april|may|june|july|august|september|october|november|december"
    r"|(?:19|20)\d\d|since|recently|morning|tonight|night)\b",
    re.IGNORECASE,
)
K1, B = 1.2, 0.75


class RelevancePolicy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    meaning: Annotated[
        float, Meta(description="Weight of meaning beside that of words, for short texts", ge=0.0, le=10.0)
    ] = 0.7
    meaning_long: Annotated[
        float, Meta(description="Weight of meaning beside that of words, for long texts", ge=0.0, le=10.0)
    ] = 1.6
    context: Annotated[
        float, Meta(description="How much of both comes from a memory with its predecessor", ge=0.0, le=1.0)
    ] = 0.3
    neighbour: Annotated[
        float, Meta(description="What reaches a memory from each neighbour in its session", ge=0.0, le=1.0)
    ] = 0.2
    neighbour_next: Annotated[
        float, Meta(description="What reaches it from each neighbour but one", ge=0.0, le=1.0)
    ] = 0.15
    session: Annotated[
        float, Meta(description="Weight of what its whole session has to do with the query", ge=0.0, le=10.0)
    ] = 0.3
    speaker: Annotated[float, Meta(description="Added when the query names who said it", ge=0.0, le=10.0)] = 0.35
    dated: Annotated[
        float, Meta(description="Added to what tells a time, when the query asks for one", ge=0.0, le=10.0)
    ] = 0.25
    question: Annotated[float, Meta(description="Taken from what is itself a question", ge=0.0, le=10.0)] = 0.25
    short_words: Annotated[
        int, Meta(description="Texts up to this length count as short", ge=1, le=10_000, extra={"unit": "words"})
    ] = 40
    long_words: Annotated[
        int, Meta(description="Texts from this length on count as long", ge=2, le=10_000, extra={"unit": "words"})
    ] = 120
    outstanding: Annotated[
        float,
        Meta(description="A similarity this many standard deviations above the mean counts in full", ge=0.5, le=20.0),
    ] = 4.0


class Query(Struct, frozen=True):
    """What is asked: its text, how rare each of its terms is, and what similarities are usual for it."""

    text: str
    rarity: Mapping[str, float]
    mean: float = 0.0
    deviation: float = 0.0

    @property
    def asks_when(self) -> bool:
        return _WHEN.search(self.text) is not None


class Candidate(Struct):
    """One memory to be weighed. Cosines are None without a vector; `session` is None where it belongs to none."""

    id: int
    text: str
    terms: Terms
    speaker: str | None = None
    session: str | None = None
    before: tuple[int, ...] = ()  # its predecessors in the session, nearest first
    after: tuple[int, ...] = ()
    cosine: float | None = None
    cosine_in_context: float | None = None


class Relevance(Struct, frozen=True):
    """What a candidate's relevance is made of; `parts` add up to `total`. The rest are shares from 0 to 1."""

    total: float
    keyword: float
    coverage: float
    semantic: float
    parts: dict[str, float]


class _Field(Struct, frozen=True):
    """What all candidates have in common: the query, how short the texts are, how long they usually are."""

    query: Query
    rarities: list[float]
    counts: dict[int, list[int]]
    shortness: float
    usual: float
    policy: RelevancePolicy


def relevance(
    query: Query, candidates: Sequence[Candidate], sessions: Mapping[str, float], policy: RelevancePolicy
) -> dict[int, Relevance]:
    """`sessions` says for each session how much of the query occurs in it, 0 to 1."""
    if not candidates:
        return {}
    field = _field(query, candidates, policy)
    words, meaning = _words(field, candidates), _meaning(field, candidates)
    direct = {id_: words[id_] + meaning[id_] for id_ in words}
    named, asks_when = _named_speaker(query.text, candidates), query.asks_when
    found = {}
    for one in candidates:
        parts = {
            "words": words[one.id],
            "meaning": meaning[one.id],
            "neighbours": _from_neighbours(field, one, direct),
            "session": field.shortness * policy.session * sessions.get(one.session or "", 0.0),
            "speaker": policy.speaker if named is not None and one.speaker == named else 0.0,
            "time": 0.0,
            "question": -policy.question if one.text.endswith(("?", "？")) else 0.0,
        }
        if asks_when and _TIME.search(one.text):
            parts["time"] = policy.dated
        found[one.id] = _put_together(field, one, parts)
    return found


def at_first_sight(query: Query, candidates: Sequence[Candidate], policy: RelevancePolicy) -> dict[int, float]:
    """Words and meaning alone: enough to tell whose neighbours are worth a look."""
    if not candidates:
        return {}
    field = _field(query, candidates, policy)
    words, meaning = _words(field, candidates), _meaning(field, candidates)
    return {id_: words[id_] + meaning[id_] for id_ in words}


def _field(query: Query, candidates: Sequence[Candidate], policy: RelevancePolicy) -> _Field:
    usual = sum(one.terms.length for one in candidates) / len(candidates)
    width = max(1, policy.long_words - policy.short_words)
    return _Field(
        query=query,
        rarities=list(query.rarity.values()),
        counts={one.id: [one.terms.counts.get(term, 0) for term in query.rarity] for one in candidates},
        shortness=min(1.0, max(0.0, (policy.long_words - usual) / width)),
        usual=max(1.0, usual),
        policy=policy,
    )


def _put_together(field: _Field, one: Candidate, parts: dict[str, float]) -> Relevance:
    counts = field.counts[one.id]
    whole = sum(field.rarities) or 1.0
    held = sum(rarity for rarity, count in zip(field.rarities, counts, strict=True) if count)
    return Relevance(
        total=max(0.0, sum(parts.values())),
        keyword=bm25(field.rarities, counts, 1.0) / (whole * (K1 + 1)),
        coverage=held / whole,
        semantic=max(0.0, one.cosine or 0.0),
        parts=parts,
    )


def _words(field: _Field, candidates: Sequence[Candidate]) -> dict[int, float]:
    """Words of the memory itself, and of it together with its predecessor; the best candidate has 1."""
    share = field.policy.context * field.shortness
    lengths = {one.id: one.terms.length for one in candidates}
    scores = {}
    for one in candidates:
        own = field.counts[one.id]
        alone = both = bm25(field.rarities, own, lengths[one.id] / field.usual)
        before = field.counts.get(one.before[0]) if one.before else None
        if before is not None and any(before):
            together = [count + more for count, more in zip(own, before, strict=True)]
            length = lengths[one.id] + lengths[one.before[0]]
            both = bm25(field.rarities, together, length / (2 * field.usual))
        scores[one.id] = (1 - share) * alone + share * both
    best = max(scores.values())
    return {id_: score / best for id_, score in scores.items()} if best > 0 else scores


def bm25(rarities: Sequence[float], counts: Sequence[int], length: float) -> float:
    """Okapi BM25 of a text that holds each term so often; its length is given in usual lengths."""
    stretch = K1 * (1 - B + B * length)
    return sum(
        rarity * count * (K1 + 1) / (count + stretch) for rarity, count in zip(rarities, counts, strict=True) if count
    )


def _meaning(field: _Field, candidates: Sequence[Candidate]) -> dict[int, float]:
    """How far each similarity stands out from what is usual for this query, weighed by how long the texts are."""
    query, policy = field.query, field.policy
    if query.deviation <= 0:
        return dict.fromkeys((one.id for one in candidates), 0.0)
    weight = policy.meaning * field.shortness + policy.meaning_long * (1 - field.shortness)
    scale = weight / (query.deviation * policy.outstanding)
    return {
        one.id: min(weight, max(0.0, (_similarity(one, policy.context) - query.mean) * scale)) for one in candidates
    }


def _similarity(one: Candidate, context: float) -> float:
    if one.cosine is None:
        return -1.0
    if one.cosine_in_context is None:
        return one.cosine
    return (1 - context) * one.cosine + context * one.cosine_in_context


def _from_neighbours(field: _Field, one: Candidate, direct: Mapping[int, float]) -> float:
    """What reaches a memory from those beside it; one that is no candidate has nothing to give."""
    reached = 0.0
    for side in (one.before, one.after):
        for id_, weight in zip(side, (field.policy.neighbour, field.policy.neighbour_next), strict=False):
            reached += weight * direct.get(id_, 0.0)
    return field.shortness * reached


def _named_speaker(text: str, candidates: Sequence[Candidate]) -> str | None:
    """The one speaker whose name the query holds; none if it names several, or there is only one anyway."""
    speakers = {one.speaker for one in candidates if one.speaker}
    lower = text.lower()
    named = [name for name in speakers if re.search(rf"\b{re.escape(name.lower())}\b", lower)]
    return named[0] if len(named) == 1 and len(speakers) > 1 else None
