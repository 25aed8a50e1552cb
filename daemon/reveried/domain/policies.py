"""The numbers the rules run on, each with its default, its range and its meaning; a YAML section is one struct."""

from typing import Annotated

from msgspec import Meta, Struct


class ContentLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    # The upper bounds are chosen so that a memory at every one of them still fits one frame of the protocol.
    max_content: Annotated[
        int, Meta(description="Longest content of one memory", ge=1, le=200_000, extra={"unit": "characters"})
    ] = 100_000
    max_tag: Annotated[int, Meta(description="Longest tag", ge=1, le=128, extra={"unit": "characters"})] = 64
    max_tags: Annotated[int, Meta(description="Most tags on one memory", ge=0, le=128)] = 64
    max_metadata: Annotated[
        int, Meta(description="Largest metadata of one memory", ge=2, le=131_072, extra={"unit": "bytes"})
    ] = 65_536


class FeedbackPolicy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    reinforce: Annotated[int, Meta(description="Added to the score of a memory that helped", ge=0, le=100)] = 3
    demote: Annotated[int, Meta(description="Added to the score of a memory that did not help", ge=-100, le=0)] = -1


class RecallPolicy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    limit: Annotated[int, Meta(description="Memories returned when the caller names no limit", ge=1, le=200)] = 5
    token_budget: Annotated[
        int,
        Meta(
            description="Size of an answer when the caller names no budget",
            ge=1,
            le=1_000_000,
            extra={"unit": "tokens"},
        ),
    ] = 2000
    profile: Annotated[
        str,
        Meta(
            description="Ranking profile when the caller names none",
            pattern="^[a-z][a-z0-9_-]{0,63}\\Z",
            extra={"expects": "a profile's name in lower case"},
        ),
    ] = "adaptive"
    candidates: Annotated[
        int, Meta(description="Memories weighed for words, and as many for meaning", ge=1, le=10_000)
    ] = 50
    term_cap: Annotated[
        int, Meta(description="Memories looked at for one word of the query, the newest first", ge=10, le=1_000_000)
    ] = 1000
    graph_from: Annotated[
        int,
        Meta(
            description="Memories of a namespace from which meaning is searched by a graph, where usearch is installed",
            ge=1_000,
            le=1_000_000_000,
            extra={"restart": True},
        ),
    ] = 100_000
    floor: Annotated[
        float,
        Meta(description="Evidence below which nothing is returned; 0 returns whatever comes nearest", ge=0.0, le=1.0),
    ] = 0.25
    cache: Annotated[int, Meta(description="Answers kept for questions asked again", ge=0, le=100_000)] = 500
    cold_wait: Annotated[
        float,
        Meta(
            description="How long an answer waits for meaning before it is made of words alone",
            ge=0.0,
            le=60.0,
            extra={"unit": "seconds"},
        ),
    ] = 0.25
    rerank: Annotated[
        str,
        Meta(
            description="A cross-encoder's name or directory, which judges the best candidates anew; empty is off",
            extra={"expects": "a name, a directory, or nothing"},
        ),
    ] = ""
    rerank_wait: Annotated[
        float,
        Meta(
            description="How long an answer waits for the cross-encoder",
            ge=0.0,
            le=60.0,
            extra={"unit": "seconds"},
        ),
    ] = 1.0
    profiles: Annotated[
        dict[str, dict[str, float]],
        Meta(
            description="Profiles of your own: a name, and a weight for each signal",
            extra={"expects": "names, each with weights of signals"},
        ),
    ] = {}
    lift_recency: Annotated[
        float, Meta(description="What the newest memory gains over the oldest, of its relevance", ge=0.0, le=0.5)
    ] = 0.1
    lift_retention: Annotated[
        float, Meta(description="What the best kept gains over a forgotten one", ge=0.0, le=0.5)
    ] = 0.04
    lift_importance: Annotated[
        float, Meta(description="What the most important gains over the least", ge=0.0, le=0.5)
    ] = 0.06
    lift_confidence: Annotated[float, Meta(description="What the surest gains over the least sure", ge=0.0, le=0.5)] = (
        0.02
    )
    lift_score: Annotated[
        float, Meta(description="What the most reinforced gains over the most demoted", ge=0.0, le=0.5)
    ] = 0.2
    lift_links: Annotated[
        float, Meta(description="What one firmly linked to the best gains over one that is not", ge=0.0, le=0.5)
    ] = 0.0
    hebbian_score_weight: Annotated[
        float, Meta(description="How steeply the score lifts a memory: exp(weight x score)", ge=0.0, le=2.0)
    ] = 0.2
    hebbian_recency_rate: Annotated[
        float,
        Meta(
            description="How fast a memory sinks: 1 / (1 + rate x days since reinforced or created)",
            ge=0.0,
            le=10.0,
            extra={"unit": "per day"},
        ),
    ] = 0.01
