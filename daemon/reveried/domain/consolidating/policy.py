"""When memories are alike enough to become one, when sessions are told by an account, and what is looked over."""

from typing import Annotated

from msgspec import Meta, Struct

# Below this, other facts in similar words are taken for the same too often: it can be set, but not silently.
SAFE_SIMILARITY = 0.80


class ConsolidationPolicy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    compress: Annotated[bool, Meta(description="Whether near-duplicates become one memory")] = True
    similarity: Annotated[
        float,
        Meta(description="Similarity above which they do, unless a word tells them apart", ge=0.5, le=1.0),
    ] = 0.88
    most_compared: Annotated[
        int,
        Meta(
            description="Of a namespace, so many of the newest memories are held against each other",
            ge=2,
            le=1_000_000,
        ),
    ] = 20_000
    sessions: Annotated[bool, Meta(description="Whether old sessions are told by an account")] = True
    sessions_kept: Annotated[
        int, Meta(description="Sessions of a namespace that may stay as they are", ge=1, le=100_000)
    ] = 10
    sessions_at_once: Annotated[
        int, Meta(description="How many of the oldest are compressed when there are more", ge=1, le=1_000)
    ] = 5
    session_sentences: Annotated[int, Meta(description="Sentences of an account that no model wrote", ge=1, le=100)] = (
        10
    )
    session_characters: Annotated[
        int,
        Meta(description="Longest account of a session", ge=100, le=20_000, extra={"unit": "characters"}),
    ] = 2_000
    tags_after: Annotated[
        float,
        Meta(
            description="Automatic tags are looked over when they are older",
            ge=0.0,
            le=36_500.0,
            extra={"unit": "days"},
        ),
    ] = 7.0
    tags_at_once: Annotated[
        int, Meta(description="Memories whose tags are looked over in one run, the oldest first", ge=1, le=10_000)
    ] = 20
    summaries_at_once: Annotated[int, Meta(description="Missing summaries written in one run", ge=1, le=10_000)] = 20

    @property
    def warning(self) -> str:
        """What is risky about these numbers; empty when nothing is."""
        if not self.compress or self.similarity >= SAFE_SIMILARITY:
            return ""
        return (
            f"consolidation.similarity is {self.similarity}: below {SAFE_SIMILARITY} different facts are easily taken "
            "for the same"
        )
