"""When two texts are the same, when they contradict each other, and what is done about it."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

Mode = Literal["keep_existing", "use_new", "merge", "ask", "temporal"]
MODES: tuple[Mode, ...] = ("keep_existing", "use_new", "merge", "ask", "temporal")


class ReconcilingPolicy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    dedup: Annotated[bool, Meta(description="Whether texts that mean the same become one memory")] = True
    duplicate: Annotated[
        float, Meta(description="Similarity from which a text without a difference is a duplicate", ge=0.5, le=1.0)
    ] = 0.95
    merge: Annotated[
        float, Meta(description="Similarity from which such a text is a subset or is merged", ge=0.5, le=1.0)
    ] = 0.85
    same_words: Annotated[
        float,
        Meta(description="Similarity from which a text of the very same content words is a subset", ge=0.5, le=1.0),
    ] = 0.7
    subset_words: Annotated[
        float, Meta(description="Share of a text's words that make it a subset of another", ge=0.5, le=1.0)
    ] = 0.9
    conflicts: Annotated[Mode, Meta(description="What is done about a contradiction when the caller does not say")] = (
        "temporal"
    )
    related: Annotated[
        float, Meta(description="Similarity from which two memories may contradict each other", ge=0.0, le=1.0)
    ] = 0.6
    candidates: Annotated[int, Meta(description="Known memories a new one is held against", ge=1, le=100)] = 10
    subject_overlap: Annotated[
        float, Meta(description="Share of common content words that makes two texts speak of the same", ge=0.0, le=1.0)
    ] = 0.3
    certain: Annotated[
        float, Meta(description="Confidence from which a contradiction is settled without asking", ge=0.0, le=1.0)
    ] = 0.75
    series: Annotated[
        int,
        Meta(
            description="So many memories that differ in one number or name are a list, not a contradiction",
            ge=2,
            le=100,
        ),
    ] = 3
    doubt: Annotated[
        float, Meta(description="What is left of the rank of a memory whose contradiction is open", ge=0.0, le=1.0)
    ] = 0.6
    deadline: Annotated[
        float,
        Meta(
            description="How long a store waits to hear what became of it",
            ge=0.0,
            le=60.0,
            extra={"unit": "seconds"},
        ),
    ] = 0.5
