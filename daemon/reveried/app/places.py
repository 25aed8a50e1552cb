"""Where a recall looks: a file, one namespace in it, and what may come from there."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from reveried.domain.memory import Memory
from reveried.log.pool import Pool, Reader, Reading
from reveried.state.gist_reads import Gist, gists
from reveried.state.keeping import Keeping
from reveried.state.reads import Extent, Filter, all_passing, extent, of_ids
from reveried.state.vitals import Vitals, vitals

T = TypeVar("T")
# A filter that an index resolves to no more than this is resolved before anything is searched.
FEW = 5_000
# Counting a thousand takes some ten microseconds; so it is done again after as many seconds as there are thousands.
FRESH_UNTIL = 5_000
COUNTED_A_SECOND = 1_000
# For whoever asks once.
NOTHING_KEPT = Keeping(0)


class Place(Struct, frozen=True):
    pool: Pool
    filter: Filter
    kept: Keeping = NOTHING_KEPT


class Opened(Struct, frozen=True):
    """A place with a connection to its file at hand."""

    path: Path
    db: Reading
    filter: Filter
    kept: Keeping

    def few(self) -> Mapping[int, str | None] | None:
        """All that passes the filter, each with its session, where an index leads there and they are few."""
        return all_passing(self.db, self.filter, FEW) if self.filter.is_selective else None


async def looking(places: Sequence[Place], work: Callable[[list[Opened]], T]) -> T:
    """All of the work on one thread: handing each of its steps to another costs more than most of the steps."""
    readers: dict[int, Reader] = {}
    async with AsyncExitStack() as held:
        # The live file comes first, as it does for whoever sets the files aside: nobody waits in a circle.
        for pool in dict.fromkeys(place.pool for place in places):
            readers[id(pool)] = await held.enter_async_context(pool.held())
        opened = [Opened(place.pool.path, readers[id(place.pool)], place.filter, place.kept) for place in places]
        return await next(iter(readers.values())).run(lambda: work(opened))


class Extents:
    """How large each place is. It changes little in a while, and rarity less: it goes by the logarithm."""

    def __init__(self) -> None:
        self._known: dict[tuple[Path, str], tuple[Extent, float]] = {}

    def of(self, place: Opened) -> Extent:
        key = place.path, place.filter.namespace
        known = self._known.get(key)
        if known is not None and time.monotonic() < known[1]:
            return known[0]
        counted = extent(place.db, place.filter.namespace)
        fresh = counted.count / COUNTED_A_SECOND if counted.count >= FRESH_UNTIL else 0.0
        self._known[key] = counted, time.monotonic() + fresh
        return counted


def gists_of(places: Sequence[Opened], ids: Sequence[int]) -> dict[int, Gist]:
    """Those of the memories that pass the filter of some place."""
    found: dict[int, Gist] = {}
    for place in places if ids else ():
        found |= gists(place.db, place.kept.gists, ids, place.filter)
    return found


def vitals_of(places: Sequence[Opened], ids: Sequence[int]) -> dict[int, Vitals]:
    """What their order takes of memories that were found to pass."""
    files = {place.path: place for place in places} if ids else {}
    return {id_: one for place in files.values() for id_, one in vitals(place.db, place.kept.vitals, ids).items()}


def records(places: Sequence[Opened], ids: Sequence[int]) -> dict[int, Memory]:
    """Those that pass, as whole records."""
    return {one.id: one for place in places for one in of_ids(place.db, ids, place.filter)} if ids else {}
