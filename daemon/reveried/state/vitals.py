"""What a memory's place among others takes beside its relevance: a few numbers out of its wide record."""

from collections.abc import Sequence

from msgspec import Struct

from reveried.log.pool import Reading
from reveried.state.kept import Kept
from reveried.state.reads import as_array

_READ = (
    "SELECT m.id, m.kind, m.importance, m.confidence, m.score, m.access_count, m.last_accessed_at, m.pinned, "
    "m.created_at, m.reinforced_at, m.stored_at, m.conflicts <> '[]' "
    # Joined in this order: left to itself the planner may walk through the whole table instead.
    "FROM json_each(?) j CROSS JOIN memories m ON m.id = j.value"
)
# The struct, its numbers, and its place in a dict.
_BYTES = 500


class Vitals(Struct, frozen=True, gc=False):
    id: int
    kind: str
    importance: float
    confidence: float
    score: int
    access_count: int
    last_accessed_at: int | None
    pinned: int
    created_at: int
    reinforced_at: int | None
    stored_at: int
    conflicted: int


KeptVitals = Kept[int, Vitals]


def kept_vitals(room: int) -> KeptVitals:
    return Kept(room, lambda _: _BYTES)


def vitals(db: Reading, kept: KeptVitals, ids: Sequence[int]) -> dict[int, Vitals]:
    """Of those memories that are in the file."""
    mark, found = kept.mark(), kept.known(ids)
    if len(found) < len(ids):
        missing = sorted({*ids} - found.keys())
        read = {row[0]: Vitals(*row) for row in db.fetch(_READ, (as_array(missing),))}
        kept.keep(mark, read)
        found |= read
    return found
