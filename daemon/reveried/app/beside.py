"""Who stands beside whom in a session: what was said right before and right after belongs to what was said."""

from collections.abc import Mapping, Sequence

from reveried.app.places import Opened
from reveried.state.gist_reads import Gist, Sides, sides_of

NOBODY: Sides = ((), ())


def beside(places: Sequence[Opened], gists: Mapping[int, Gist]) -> dict[int, Sides]:
    """For those that belong to a session, who came before and who after, nearest first."""
    said = {id_: session for id_, gist in gists.items() if (session := gist.session) is not None}
    if not said:
        return {}
    files = {place.path: place for place in places}
    return {id_: sides for one in files.values() for id_, sides in sides_of(one.db, one.kept.gists, said).items()}


def from_the_other_side(known: Mapping[int, Sides], wanted: set[int]) -> dict[int, Sides]:
    """Whoever stands beside somebody has that one beside them."""
    before: dict[tuple[int, int], int] = {}
    after: dict[tuple[int, int], int] = {}
    for id_, (earlier, later) in known.items():
        row = [*reversed(earlier), id_, *later]
        for distance in (1, 2):
            for one, other in zip(row, row[distance:], strict=False):
                after[one, distance] = other
                before[other, distance] = one
    return {id_: (_nearest_first(before, id_), _nearest_first(after, id_)) for id_ in wanted}


def _nearest_first(known: Mapping[tuple[int, int], int], id_: int) -> tuple[int, ...]:
    first, second = known.get((id_, 1)), known.get((id_, 2))
    if first is None:
        return ()
    return (first,) if second is None else (first, second)
