"""Everything `store` reads off a text, in one call. What the caller said of a memory always wins."""

from typing import Annotated

from msgspec import Meta, Struct

from reveried.domain.understanding.cleaning import clean
from reveried.domain.understanding.kinds import kind_of_reading
from reveried.domain.understanding.salience import SaliencePolicy, importance_of, level_of, salience_of_reading
from reveried.domain.understanding.secrets import redact
from reveried.domain.understanding.tags import TagPolicy, auto_tags_of_reading
from reveried.domain.understanding.text import first_sentences, title_from
from reveried.domain.understanding.trust import Trust, instruction_in
from reveried.domain.understanding.words import read


class UnderstandingPolicy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    redact: Annotated[
        bool, Meta(description="Replace credentials before they reach the log", extra={"expects": "true or false"})
    ] = True
    title_limit: Annotated[
        int,
        Meta(ge=16, le=500, description="Longest title taken from the text", extra={"unit": "characters"}),
    ] = 120
    summary_sentences: Annotated[
        int, Meta(ge=1, le=20, description="Sentences of a summary; only a longer text gets one")
    ] = 3
    chunk_sentences: Annotated[
        int, Meta(ge=1, le=20, description="Sentences of the summary of a chunk; only a longer one gets one")
    ] = 2
    salience: Annotated[SaliencePolicy, Meta(description="How importance is read off a text.")] = SaliencePolicy()
    tags: Annotated[TagPolicy, Meta(description="The tags a memory gets by itself.")] = TagPolicy()

    def sentences_for(self, *, chunk: bool) -> int:
        return self.chunk_sentences if chunk else self.summary_sentences


DEFAULT = UnderstandingPolicy()


class Understood(Struct, frozen=True, kw_only=True):
    """`notes` say what was done to the text, as `redacted:rule` and `low_trust:sign`, for the reply and the log."""

    content: str
    title: str
    summary: str | None
    kind: str
    importance: float
    tags_auto: tuple[str, ...]
    trust: Trust
    notes: tuple[str, ...]
    signals: dict[str, float]


def understand(
    content: str,
    *,
    kind: str | None = None,
    importance: float | None = None,
    title: str | None = None,
    summary: str | None = None,
    source: str = "agent",
    source_ref: str | None = None,
    chunk: bool = False,
    policy: UnderstandingPolicy = DEFAULT,
) -> Understood:
    """Signals are empty when the caller gave the importance: nothing was weighed."""
    found: list[str] = []
    given = [text for text in (title, summary) if text]
    content = _safe(clean(content), found, policy)
    sentences = policy.sentences_for(chunk=chunk)
    opening = first_sentences(content, sentences + 1)
    title = title_from("".join(opening[:1]), policy.title_limit) if title is None else _safe(title, found, policy)
    summary = _summary(opening, sentences) if summary is None else _safe(summary, found, policy)
    reading = read(content)
    told, kind = kind, kind or kind_of_reading(reading)
    signals: dict[str, float] = {}
    if importance is None:
        # Preference is the first rule for kinds, so a kind that was read off already says whether one is stated.
        prefers = None if told else kind == "preference"
        salience = salience_of_reading(reading, kind, policy.salience, prefers)
        importance, signals = importance_of(level_of(salience, policy.salience)), salience.signals
    sign = instruction_in(reading) or _instruction_in_given(given)
    return Understood(
        content=content,
        title=title,
        summary=summary,
        kind=kind,
        importance=importance,
        tags_auto=auto_tags_of_reading(reading, source, source_ref, policy.tags),
        trust="low" if sign else "normal",
        notes=_notes(found, sign),
        signals=signals,
    )


def _safe(text: str, found: list[str], policy: UnderstandingPolicy) -> str:
    if not policy.redact:
        return text
    redaction = redact(text)
    found += redaction.found
    return redaction.text


def _summary(opening: list[str], count: int) -> str | None:
    return " ".join(opening[:count]) if len(opening) > count else None


def _instruction_in_given(texts: list[str]) -> str | None:
    return next((sign for text in texts if (sign := instruction_in(read(text)))), None)


def _notes(found: list[str], sign: str | None) -> tuple[str, ...]:
    redacted = tuple(f"redacted:{rule}" for rule in dict.fromkeys(found))
    return redacted if sign is None else (*redacted, f"low_trust:{sign}")
