"""When a file is left alone, and why."""

from typing import Any


class Unusable(Exception):
    """The file cannot be changed safely; the message completes "it was left alone: …"."""


def is_settled(there: Any, wanted: dict[str, Any]) -> bool:
    """Whether an entry says already what is wanted; raises if more was said that replacing it would lose."""
    if there is None:
        return False
    if not isinstance(there, dict):
        raise Unusable("it has an entry named reverie that is none of ours")
    if there | wanted == there:
        return True
    more = sorted(there.keys() - wanted.keys())
    if more:
        raise Unusable(f"its entry reverie differs and has settings of its own ({', '.join(more)})")
    return False
