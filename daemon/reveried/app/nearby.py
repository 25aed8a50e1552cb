"""The search by meaning, across namespaces and through filters."""

import asyncio
from collections.abc import Sequence

from msgspec import Struct

from reveried.app.places import Place, records
from reveried.app.semantics import Meaning
from reveried.app.wording import Held
from reveried.domain.memory import Memory
from reveried.state.reads import passing
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


async def near_and_passing(
    places: Sequence[Place], everywhere: Sequence[Held], near: Joined | None, count: int
) -> dict[int, Memory]:
    """The `count` nearest of those that pass the filters, or all there are."""
    if near is None:
        return {}
    few = _few(everywhere)
    if few is not None:
        return await records(places, near.among(few, count))
    found = await records(places, near.nearest(count))
    if len(found) >= min(count, len(near)):
        return found
    return await records(places, await _looked_further(places, near, count))


def _few(everywhere: Sequence[Held]) -> list[int] | None:
    known = [one.few for one in everywhere]
    return None if None in known else [id_ for few in known if few is not None for id_ in few]


async def _looked_further(places: Sequence[Place], near: Joined, count: int) -> list[int]:
    """The filters let few of the nearest through: look at more of them, in the end at everything."""
    wider = count
    while True:
        wider *= WIDER
        nearest = await asyncio.to_thread(near.nearest, wider)
        known = await asyncio.gather(*(passing(place.pool, nearest, place.filter) for place in places))
        passed = [id_ for id_ in nearest if any(id_ in some for some in known)]
        if len(passed) >= count or wider >= len(near):
            return passed[:count]
