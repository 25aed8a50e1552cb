"""Every section a configuration has; adding a setting is one field in one struct."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from reveried.config.schedules import JobsPolicy
from reveried.config.sizes import EXPECTED, Size, parse_size
from reveried.domain.consolidating.policy import ConsolidationPolicy
from reveried.domain.forgetting.lifecycle import LifecyclePolicy
from reveried.domain.forgetting.priority import PriorityPolicy
from reveried.domain.forgetting.pruning import PrunePolicy
from reveried.domain.forgetting.retention import RetentionPolicy
from reveried.domain.forgetting.tiers import TierPolicy
from reveried.domain.linking.policy import LinksPolicy
from reveried.domain.policies import ContentLimits, FeedbackPolicy, RecallPolicy
from reveried.domain.recalling.relevance import RelevancePolicy
from reveried.domain.reconciling.policy import ReconcilingPolicy
from reveried.domain.understanding.understand import UnderstandingPolicy
from reveried.domain.understanding.worth import IngestPolicy
from reveried.embed.policy import EmbeddingPolicy
from reveried.summarising.policy import SummariserPolicy

__all__ = ["Config", "LogPolicy", "ServerLimits", "StoragePolicy", "parse_size"]


class ServerLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    max_connections: Annotated[int, Meta(description="Most clients connected at once", ge=1, le=10_000)] = 128
    idle_grace: Annotated[
        float,
        Meta(
            description="When all places are taken, a client that was silent this long gives up its own",
            ge=0.1,
            le=86_400.0,
            extra={"unit": "seconds"},
        ),
    ] = 10.0
    max_in_flight: Annotated[int, Meta(description="Most unanswered requests on one connection", ge=1, le=1_000)] = 16
    max_queue: Annotated[
        int,
        Meta(
            description="Most requests waiting in the whole daemon",
            ge=1,
            le=100_000,
            extra={"restart": True},
        ),
    ] = 4096
    header_timeout: Annotated[
        float,
        Meta(
            description="A frame's length must be complete this soon after its first byte",
            ge=0.1,
            le=600.0,
            extra={"unit": "seconds"},
        ),
    ] = 5.0
    body_timeout: Annotated[
        float,
        Meta(
            description="A frame's body must be complete this soon after its length",
            ge=0.1,
            le=600.0,
            extra={"unit": "seconds"},
        ),
    ] = 10.0
    slow_reader_timeout: Annotated[
        float,
        Meta(
            description="A client that leaves its replies unread this long is dropped",
            ge=0.1,
            le=3600.0,
            extra={"unit": "seconds"},
        ),
    ] = 30.0


class StoragePolicy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    min_free: Annotated[
        Size,
        Meta(
            description="Writes are refused while the disk has less free than this",
            extra={"expects": EXPECTED},
        ),
    ] = "64MB"
    checkpoint_pages: Annotated[
        int,
        Meta(
            description="Pages of write-ahead log that start a checkpoint",
            ge=1,
            le=1_000_000,
            extra={"unit": "pages", "restart": True},
        ),
    ] = 1000
    wal_limit: Annotated[
        Size,
        Meta(
            description="Size of write-ahead log at which it is cut back to nothing",
            extra={"expects": EXPECTED, "restart": True},
        ),
    ] = "64MB"
    max_lag: Annotated[
        int,
        Meta(
            description="How far the state may trail the log",
            ge=1,
            le=1_000_000,
            extra={"unit": "events"},
        ),
    ] = 2000

    @property
    def min_free_bytes(self) -> int:
        return parse_size(self.min_free)

    @property
    def wal_limit_bytes(self) -> int:
        return parse_size(self.wal_limit)


class LogPolicy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    level: Annotated[
        Literal["debug", "info", "warning", "error"],
        Meta(description="The least serious message that is written"),
    ] = "info"


class Config(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    content: Annotated[ContentLimits, Meta(description="How large one memory may be.")] = ContentLimits()
    feedback: Annotated[FeedbackPolicy, Meta(description="What feedback does to a memory's score.")] = FeedbackPolicy()
    understanding: Annotated[UnderstandingPolicy, Meta(description="What is read off a text when it is stored.")] = (
        UnderstandingPolicy()
    )
    ingest: Annotated[IngestPolicy, Meta(description="What becomes of a long text.")] = IngestPolicy()
    recall: Annotated[RecallPolicy, Meta(description="How a recall is answered.")] = RecallPolicy()
    relevance: Annotated[RelevancePolicy, Meta(description="What makes a memory answer a question.")] = (
        RelevancePolicy()
    )
    reconciling: Annotated[
        ReconcilingPolicy, Meta(description="When texts are the same, or contradict each other.")
    ] = ReconcilingPolicy()
    links: Annotated[LinksPolicy, Meta(description="How memories are linked to each other.")] = LinksPolicy()
    retention: Annotated[RetentionPolicy, Meta(description="How a memory fades.")] = RetentionPolicy()
    forgetting: Annotated[LifecyclePolicy, Meta(description="When a memory changes state by itself.")] = (
        LifecyclePolicy()
    )
    tiers: Annotated[TierPolicy, Meta(description="Which memories are hot, warm or archive.")] = TierPolicy()
    priority: Annotated[PriorityPolicy, Meta(description="What makes a memory matter.")] = PriorityPolicy()
    prune: Annotated[PrunePolicy, Meta(description="How room is made when the state grows too large.")] = PrunePolicy()
    consolidation: Annotated[
        ConsolidationPolicy, Meta(description="What is kept in fewer words, and looked over from time to time.")
    ] = ConsolidationPolicy()
    summariser: Annotated[SummariserPolicy, Meta(description="A model that writes summaries; off by default.")] = (
        SummariserPolicy()
    )
    jobs: Annotated[JobsPolicy, Meta(description="When the daemon looks after the memories.")] = JobsPolicy()
    embedding: Annotated[EmbeddingPolicy, Meta(description="How texts get their vectors.")] = EmbeddingPolicy()
    server: Annotated[ServerLimits, Meta(description="What clients may ask of the daemon.")] = ServerLimits()
    storage: Annotated[StoragePolicy, Meta(description="How the databases use the disk.")] = StoragePolicy()
    log: Annotated[LogPolicy, Meta(description="What the daemon writes to its own log.")] = LogPolicy()
