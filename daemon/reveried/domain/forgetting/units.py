"""Time comes in as microseconds and is reckoned in days, and nothing ever happened a negative time ago."""

from typing import Annotated, Protocol

from msgspec import Meta

DAY = 86_400_000_000

# The upper bounds keep every product of settings finite and inside 64 bits of microseconds.
Days = Annotated[float, Meta(ge=0.001, le=36_500)]
Share = Annotated[float, Meta(ge=0, le=1)]
Rate = Annotated[float, Meta(ge=0, le=10)]


class Used(Protocol):
    """What tells when a memory was last of use."""

    @property
    def created_at(self) -> int: ...
    @property
    def stored_at(self) -> int: ...
    @property
    def last_accessed_at(self) -> int | None: ...
    @property
    def reinforced_at(self) -> int | None: ...


def days_since(moment: int, now: int) -> float:
    """Zero for a moment still to come: a clock that stepped back makes things fresh, never stale."""
    return max(now - moment, 0) / DAY


def last_used_at(memory: Used) -> int:
    """When it was last read, reinforced or rewritten; when it was told to us if none of these ever happened.

    Reinforcing and rewriting count, or a memory mended today could be archived today for its age. So does being
    stored: old notes that were imported today are not forgotten today.
    """
    read_at = memory.created_at if memory.last_accessed_at is None else memory.last_accessed_at
    return max(read_at, memory.stored_at, memory.stored_at if memory.reinforced_at is None else memory.reinforced_at)


def last_affirmed_at(memory: Used) -> int:
    """When someone last vouched for it by reinforcing or rewriting it. Being read is not a vote."""
    return memory.created_at if memory.reinforced_at is None else memory.reinforced_at
