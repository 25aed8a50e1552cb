"""How well a memory answers a query, from all the evidence there is: words, meaning, session, speaker.

Scores are fused, never ranks: a list's tenth place says nothing about how good it is. Words count by how much of the
query's rarity they cover, not by who covers most of it: where the best match in words is a poor one, meaning decides.
What is said around a memory counts only where the texts are short enough to need it.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated

from msgspec import Meta, Struct

from reveried.domain.recalling.words import unspaced_runs

_WHEN = re.compile(r"\b(?:when|how long ago|(?:what|which) (?:year|month|date|day|time))\b", re.IGNORECASE)
K1, B = 1.2, 0.75


class RelevancePolicy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    words: Annotated[float, Meta(description="Weight of the query's words", ge=0.0, le=10.0)] = 1.6
    meaning: Annotated[float, Meta(description="Weight of likeness in meaning", ge=0.0, le=10.0)] = 0.85
    words_context: Annotated[
        float, Meta(description="How much of the words counts together with the predecessor's", ge=0.0, le=1.0)
    ] = 0.7
    meaning_context: Annotated[
        float, Meta(description="How much of the meaning counts together with the predecessor's", ge=0.0, le=1.0)
    ] = 0.6
    successor: Annotated[
        float, Meta(description="What reaches a memory from the next one in its session", ge=0.0, le=1.0)
    ] = 0.2
    second: Annotated[
        float, Meta(description="What reaches it from those two places before and after it", ge=0.0, le=1.0)
    ] = 0.12
    session: Annotated[
        float, Meta(description="Weight of what its whole session has to do with the query", ge=0.0, le=10.0)
    ] = 1.2
    speaker: Annotated[float, Meta(description="Added when the query names who said it", ge=0.0, le=10.0)] = 0.5
    dated: Annotated[
        float, Meta(description="Added to what tells a time in a session, when the query asks for one", ge=0.0, le=10.0)
    ] = 0.4
    question: Annotated[
        float, Meta(description="Taken from what is itself a question in a session", ge=0.0, le=10.0)
    ] = 0.15
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
    """What is asked: its text, how rare each of its terms is, what similarities are usual for it, and which share of
    its rarity occurs anywhere in the memory."""

    text: str
    rarity: Mapping[str, float]
    mean: float = 0.0
    deviation: float = 0.0
    known: float = 1.0

    @property
    def asks_when(self) -> bool:
        return _WHEN.search(self.text) is not None


class Candidate(Struct):
    """One memory to be weighed. `hits` says how often it holds which of the query's terms, by their places there.
    Cosines are None without a vector; `session` is None where it belongs to none."""

    id: int
    hits: Mapping[int, int]
    length: int
    tells_time: bool = False
    asks: bool = False
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
    nearest: float = 0.0  # in meaning, alone or with its predecessor


class _Field(Struct, frozen=True):
    """What all candidates have in common: the query, how short the texts are, how long they usually are."""

    query: Query
    rarities: list[float]
    whole: float
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
        parts = {"words": words[one.id], "meaning": meaning[one.id]}
        if one.session is not None:
            parts["neighbours"] = _from_neighbours(field, one, direct)
            parts["session"] = policy.session * sessions.get(one.session, 0.0)
            if asks_when and one.tells_time:
                parts["time"] = policy.dated
            if one.asks:
                parts["question"] = -policy.question
        if named is not None and one.speaker == named:
            parts["speaker"] = policy.speaker
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
    usual = sum([one.length for one in candidates]) / len(candidates)
    rarities = list(query.rarity.values())
    return _Field(
        query=query,
        rarities=rarities,
        whole=sum(rarities) or 1.0,
        shortness=min(1.0, max(0.0, (policy.long_words - usual) / max(1, policy.long_words - policy.short_words))),
        usual=max(1.0, usual),
        policy=policy,
    )


def _put_together(field: _Field, one: Candidate, parts: dict[str, float]) -> Relevance:
    held = keyword = 0.0
    for place, count in one.hits.items():
        rarity = field.rarities[place]
        held += rarity
        keyword += rarity * count / (count + K1)
    total, cosine = sum(parts.values()), one.cosine or 0.0
    return Relevance(
        total if total > 0 else 0.0,
        keyword / field.whole,
        held / field.whole,
        cosine if cosine > 0 else 0.0,
        parts,
        max(0.0, cosine, one.cosine_in_context or 0.0),
    )


def _words(field: _Field, candidates: Sequence[Candidate]) -> dict[int, float]:
    """Words of the memory itself, and of it together with its predecessor."""
    share, scale = field.policy.words_context, field.policy.words / (field.whole * (K1 + 1))
    rarities, usual, scores = field.rarities, field.usual, {}
    known = {one.id: one for one in candidates}
    for one in candidates:
        own = one.hits
        alone = both = bm25(rarities, own, one.length / usual) if own else 0.0
        before = known.get(one.before[0]) if one.before else None
        if before is not None and (own or before.hits):
            both = bm25(rarities, _together(own, before.hits), (one.length + before.length) / (2 * usual))
        scores[one.id] = ((1 - share) * alone + share * both) * scale
    return scores


def _together(some: Mapping[int, int], more: Mapping[int, int]) -> Mapping[int, int]:
    if not some or not more:
        return some or more
    return {place: some.get(place, 0) + more.get(place, 0) for place in {**some, **more}}


def bm25(rarities: Sequence[float], hits: Mapping[int, int], length: float) -> float:
    """Okapi BM25 of a text that holds terms of the query, by their places, so often; its length is given in usual
    lengths."""
    stretch, score = K1 * (1 - B + B * length), 0.0
    for place, count in hits.items():
        score += rarities[place] * count / (count + stretch)
    return score * (K1 + 1)


def _meaning(field: _Field, candidates: Sequence[Candidate]) -> dict[int, float]:
    """How far each similarity stands out from what is usual for this query."""
    query, policy = field.query, field.policy
    if query.deviation <= 0:
        return {one.id: 0.0 for one in candidates}
    scale = 1 / (query.deviation * policy.outstanding)
    share = policy.meaning_context

    def outstanding(cosine: float) -> float:
        return min(1.0, max(0.0, (cosine - query.mean) * scale))

    scores = {}
    for one in candidates:
        own = together = 0.0 if one.cosine is None else outstanding(one.cosine)
        if one.cosine_in_context is not None:
            together = outstanding(one.cosine_in_context)
        scores[one.id] = policy.meaning * ((1 - share) * own + share * together)
    return scores


def _from_neighbours(field: _Field, one: Candidate, direct: Mapping[int, float]) -> float:
    """What reaches a memory from those beside it; the predecessor counts already, as its context. One that is no
    candidate has nothing to give."""
    policy = field.policy
    reached = policy.successor * direct.get(one.after[0], 0.0) if one.after else 0.0
    for side in (one.before, one.after):
        if len(side) > 1:
            reached += policy.second * direct.get(side[1], 0.0)
    return field.shortness * reached


def _named_speaker(text: str, candidates: Sequence[Candidate]) -> str | None:
    """The one speaker whose name the query holds; none if it names several, or there is only one anyway."""
    speakers = {one.speaker for one in candidates if one.speaker}
    lower = text.lower()
    named = [name for name in speakers if _names(lower, name.lower())]
    return named[0] if len(named) == 1 and len(speakers) > 1 else None


def _names(text: str, name: str) -> bool:
    if name not in text:
        return False
    # Where words carry no spaces, a name has no edges to look for.
    return bool(unspaced_runs(name)) or re.search(rf"\b{re.escape(name)}\b", text) is not None
