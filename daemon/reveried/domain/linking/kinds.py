"""The kinds of link, which of them have a direction, and how each reads from either end."""

from math import isfinite

from msgspec import Struct

from reveried.errors import InvalidField

RELATED_TO, SIMILAR_TO, CO_RECALLED = "related_to", "similar_to", "co_recalled"
PRECEDES, FOLLOWS, PART_OF, SUPERSEDES = "precedes", "follows", "part_of", "supersedes"
SYMMETRIC = (RELATED_TO, SIMILAR_TO, CO_RECALLED)
DIRECTED = ("references", PART_OF, PRECEDES, "authored_by", SUPERSEDES)
KINDS = (*SYMMETRIC, *DIRECTED, FOLLOWS)
# What a person or an agent may say. That two were recalled together is counted, and `supersede` does more than a link.
SAYABLE = tuple(kind for kind in KINDS if kind not in (CO_RECALLED, SUPERSEDES))


class Ends(Struct, frozen=True, order=True):
    """One link and no other: the same two memories by the same kind always give the same ends."""

    a: int
    b: int
    kind: str


class Seen(Struct, frozen=True):
    """A link as one of its ends sees it; with `inverse` it is the other that stands in that relation to it."""

    other: int
    kind: str
    inverse: bool = False


def ends_of(one: int, other: int, kind: str) -> Ends:
    """Without a direction the older comes first; what follows is what the other precedes."""
    if kind == FOLLOWS:
        return Ends(other, one, PRECEDES)
    if kind in SYMMETRIC and one > other:
        return Ends(other, one, kind)
    return Ends(one, other, kind)


def seen_from(memory: int, ends: Ends) -> Seen:
    if memory == ends.a:
        return Seen(ends.b, ends.kind)
    if ends.kind == PRECEDES:
        return Seen(ends.a, FOLLOWS)
    return Seen(ends.a, ends.kind, inverse=ends.kind not in SYMMETRIC)


def checked_kind(kind: str) -> str:
    if kind not in SAYABLE:
        raise InvalidField(f"kind {kind[:64]!r} of link is not known", field="kind", hint=", ".join(SAYABLE))
    return kind


def known_kind(kind: str) -> None:
    if kind not in KINDS:
        raise InvalidField(f"kind {kind[:64]!r} of link is not known", field="kind", hint=", ".join(KINDS))


def checked_share(field: str, value: float) -> float:
    if not (isfinite(value) and 0.0 <= value <= 1.0):
        raise InvalidField(f"{field} is {value:g}; it must be 0 to 1", field=field)
    return value
