"""When a memory changes state by itself: every rule has one due moment, so what will happen is known beforehand."""

from collections.abc import Callable, Iterator
from typing import Annotated, Literal

from msgspec import Meta, Struct

from reveried.domain.forgetting.retention import RetentionPolicy, first_below
from reveried.domain.forgetting.units import DAY, Days
from reveried.domain.memory import LIVE_STATES, STATES, Memory

Reason = Literal[
    "retention_recovered",
    "retention_below_stale",
    "retention_below_archive",
    "stale_too_long",
    "retention_below_delete",
    "expired",
    "purge_due",
]
LADDER = (*STATES, "purged")

Threshold = Annotated[float, Meta(ge=1e-9, lt=1)]


class LifecyclePolicy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    mode: Annotated[
        Literal["archive", "full", "never"],
        Meta(description="How far fading goes by itself: to the archive, to deletion, or nowhere."),
    ] = "archive"
    stale_below: Annotated[Threshold, Meta(description="Retention under which a memory is stale.")] = 0.3
    archive_below: Annotated[Threshold, Meta(description="Retention under which it is archived.")] = 0.1
    delete_below: Annotated[Threshold, Meta(description="Retention under which it is deleted; mode full only.")] = 0.01
    stale_days: Annotated[Days, Meta(description="Days of being stale after which it is archived.")] = 30.0
    purge_days: Annotated[Days, Meta(description="Days a deleted memory can still be restored.")] = 90.0
    manual_tags_protect: Annotated[
        bool, Meta(description="Whether a tag given by hand keeps a memory from fading further than stale.")
    ] = False

    def __post_init__(self) -> None:
        if not self.stale_below >= self.archive_below >= self.delete_below:
            raise ValueError("stale_below, archive_below and delete_below must not increase")


class Transition(Struct, frozen=True):
    before: str
    after: str
    reason: Reason


class Forecast(Struct, frozen=True):
    """The memory will be in `state` from `at` on, for `reason`, if nobody touches it until then."""

    state: str
    at: int
    reason: Reason


def next_state(
    memory: Memory,
    stale_since: int | None,
    now: int,
    retention: RetentionPolicy,
    policy: LifecyclePolicy,
    links: int = 0,
) -> Transition | None:
    """The change that is due, straight to the furthest state reached; None when the memory stays as it is."""
    due = [fall for fall in _falls(memory, stale_since, now, retention, policy, links) if fall.at <= now]
    if not due:
        return None
    furthest = max(due, key=lambda fall: (_depth(fall), -fall.at))
    return Transition(memory.state, furthest.state, furthest.reason)


def forecast(
    memory: Memory,
    stale_since: int | None,
    now: int,
    retention: RetentionPolicy,
    policy: LifecyclePolicy,
    links: int = 0,
) -> Forecast | None:
    """The next change and its moment, which is now for a change already due."""
    if due := next_state(memory, stale_since, now, retention, policy, links):
        return Forecast(due.after, now, due.reason)
    falls = _falls(memory, stale_since, now, retention, policy, links)
    return min(falls, key=lambda fall: (fall.at, -_depth(fall)), default=None)


def _falls(
    memory: Memory,
    stale_since: int | None,
    now: int,
    retention: RetentionPolicy,
    policy: LifecyclePolicy,
    links: int,
) -> Iterator[Forecast]:
    if memory.state == "deleted":
        # A pin keeps what lives; it does not overrule the deletion that somebody asked for.
        if memory.deleted_at is not None:
            yield Forecast("purged", memory.deleted_at + span(policy.purge_days), "purge_due")
        return
    if memory.pinned:
        return
    if memory.expires_at is not None:
        yield Forecast("deleted", memory.expires_at, "expired")
    if policy.mode != "never":
        yield from _fading(memory, stale_since, now, lambda share: first_below(share, memory, links, retention), policy)


def _fading(
    memory: Memory, stale_since: int | None, now: int, falls_below: Callable[[float], int], policy: LifecyclePolicy
) -> Iterator[Forecast]:
    stale_at = falls_below(policy.stale_below)
    if memory.state == "active":
        yield Forecast("stale", stale_at, "retention_below_stale")
    elif memory.state == "stale" and now < stale_at:
        yield Forecast("active", now, "retention_recovered")
        return
    if policy.manual_tags_protect and memory.tags_manual:
        return
    if memory.state in LIVE_STATES:
        yield Forecast("archived", falls_below(policy.archive_below), "retention_below_archive")
    if memory.state == "stale":
        since = stale_at if stale_since is None else stale_since
        yield Forecast("archived", since + span(policy.stale_days), "stale_too_long")
    if policy.mode == "full":
        yield Forecast("deleted", falls_below(policy.delete_below), "retention_below_delete")


def _depth(fall: Forecast) -> int:
    return LADDER.index(fall.state)


def span(days: float) -> int:
    return round(days * DAY)
