"""Who stands beside whom in a session: what was said right before and right after belongs to what was said."""

import asyncio
from collections.abc import Mapping, Sequence

from reveried.app.places import Place
from reveried.state.searching import neighbours

Beside = tuple[tuple[int, ...], tuple[int, ...]]
NOBODY: Beside = ((), ())


async def beside(places: Sequence[Place], ids: Sequence[int]) -> dict[int, Beside]:
    """For those that belong to a session, who came before and who after, nearest first."""
    if not ids:
        return {}
    pools = {id(place.pool): place.pool for place in places}
    found = await asyncio.gather(*(neighbours(pool, ids) for pool in pools.values()))
    return {id_: pair for sides in found for id_, pair in sides.items()}


def from_the_other_side(known: Mapping[int, Beside], wanted: set[int]) -> dict[int, Beside]:
    """Whoever stands beside somebody has that one beside them."""
    before: dict[int, dict[int, int]] = {}
    after: dict[int, dict[int, int]] = {}
    for id_, (earlier, later) in known.items():
        row = [*reversed(earlier), id_, *later]
        for at, one in enumerate(row):
            for distance in (1, 2):
                if at >= distance:
                    before.setdefault(one, {})[distance] = row[at - distance]
                if at + distance < len(row):
                    after.setdefault(one, {})[distance] = row[at + distance]
    return {id_: (_nearest_first(before.get(id_)), _nearest_first(after.get(id_))) for id_ in wanted}


def _nearest_first(known: Mapping[int, int] | None) -> tuple[int, ...]:
    return tuple(known[distance] for distance in sorted(known)) if known and 1 in known else ()
