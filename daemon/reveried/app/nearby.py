"""The search by meaning, across namespaces and through filters."""

from collections.abc import Sequence

from msgspec import Struct

from reveried.app.places import Opened
from reveried.app.semantics import Meaning
from reveried.app.wording import Held
from reveried.state.gist_reads import passing
from reveried.vectors.similarities import Joined

WIDER = 8


class Nearby(Struct, frozen=True):
    """What a query is near to in all namespaces asked; `reason` says why some or all of it is missing, and `passing`
    whether that may be over in a moment."""

    similarities: Joined | None
    reason: str | None = None
    passing: bool = False


def joined(meanings: Sequence[Meaning]) -> Nearby:
    """What several namespaces mean together; what is missing in one of them is said."""
    parts = [one.similarities for one in meanings if one.similarities is not None]
    reason = next((one.reason for one in meanings if one.reason is not None), None)
    return Nearby(Joined(parts) if parts else None, reason, any(one.passing for one in meanings))


def nearest(everywhere: Sequence[Held], near: Joined | None, count: int) -> list[int]:
    """The `count` nearest; where few pass the filters, the nearest of those."""
    if near is None:
        return []
    known = [one.few for one in everywhere]
    if None in known:
        return near.nearest(count)
    return near.among([id_ for few in known if few is not None for id_ in few], count)


def looked_further(places: Sequence[Opened], near: Joined, count: int) -> list[int]:
    """The filters let few of the nearest through: look at more of them, in the end at everything."""
    wider = count
    while True:
        wider *= WIDER
        found = near.nearest(wider)
        known = [passing(place.db, place.kept.gists, found, place.filter) for place in places]
        passed = [id_ for id_ in found if any(id_ in some for some in known)]
        if len(passed) >= count or wider >= len(near):
            return passed[:count]
