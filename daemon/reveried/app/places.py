"""Where a recall looks: a file, one namespace in it, and what may come from there."""

import asyncio
import time
from collections.abc import Mapping, Sequence

from msgspec import Struct

from reveried.domain.memory import Memory
from reveried.log.pool import Pool
from reveried.state.reads import Extent, Filter, all_passing, extent, of_ids

# A filter that an index resolves to no more than this is resolved before anything is searched.
FEW = 5_000
# Counting a thousand takes some ten microseconds; so it is done again after as many seconds as there are thousands.
FRESH_UNTIL = 5_000
COUNTED_A_SECOND = 1_000


class Place(Struct, frozen=True):
    pool: Pool
    filter: Filter

    async def few(self) -> Mapping[int, str | None] | None:
        """All that passes the filter, each with its session, where an index leads there and they are few."""
        return await all_passing(self.pool, self.filter, FEW) if self.filter.is_selective else None


class Extents:
    """How large each place is. It changes little in a while, and rarity less: it goes by the logarithm."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[Extent, float]] = {}

    async def of(self, place: Place) -> Extent:
        key = str(place.pool.path), place.filter.namespace
        known = self._known.get(key)
        if known is not None and time.monotonic() < known[1]:
            return known[0]
        counted = await extent(place.pool, place.filter.namespace)
        fresh = counted.count / COUNTED_A_SECOND if counted.count >= FRESH_UNTIL else 0.0
        self._known[key] = counted, time.monotonic() + fresh
        return counted


async def records(places: Sequence[Place], ids: Sequence[int]) -> dict[int, Memory]:
    """Those of the memories that pass the filter of some place."""
    if not ids:
        return {}
    found = await asyncio.gather(*(of_ids(place.pool, ids, place.filter) for place in places))
    return {memory.id: memory for memories in found for memory in memories}
