"""Which memories go to the daemon together: as many as one frame and one batch take, and none that would spoil it."""

import time
from collections.abc import Iterator

import msgspec

from reverie.protocol.limits import MAX_BATCH, MAX_FRAME, MAX_NODES
from reverie.protocol.requests import Arrival, Draft, Life
from reverie.protocol.shape import BadShape, check_shape
from reverie.transfer.records import Found

ROOM = MAX_FRAME - 64 * 1024
VALUES = MAX_NODES - 1_000
_TIMES = ("last_accessed_at", "updated_at", "reinforced_at", "stored_at", "stale_since", "archived_at", "deleted_at")
_encode = msgspec.msgpack.Encoder().encode


class Unfit(Exception):
    """A record that no message can carry; its text says why."""


class Packed:
    """A record made ready, with what it takes of a frame."""

    def __init__(self, found: Found, arrival: Arrival) -> None:
        self.found = found
        self.arrival = arrival
        try:
            # As deep as it will stand in the request.
            body = _encode([[arrival]])
            check_shape(body)
        except (BadShape, TypeError, OverflowError, UnicodeEncodeError, RecursionError) as error:
            raise Unfit(str(error)) from error
        self.bytes = len(body)
        self.values = _count(msgspec.msgpack.decode(body))
        if self.bytes > ROOM:
            raise Unfit(f"it takes {self.bytes:,} bytes; a message holds {ROOM:,}")


class Batch:
    def __init__(self) -> None:
        self.packed: list[Packed] = []
        self._keys: set[str] = set()
        self._bytes = 0
        self._values = 0

    def has_room_for(self, one: Packed) -> bool:
        return (
            len(self.packed) < MAX_BATCH
            and self._bytes + one.bytes <= ROOM
            and self._values + one.values <= VALUES
            and one.arrival.key not in self._keys
        )

    def add(self, one: Packed) -> None:
        self.packed.append(one)
        self._keys.add(one.arrival.key)
        self._bytes += one.bytes
        self._values += one.values


def arrival_of(found: Found, links: dict[str, int | None], *, dedup: bool) -> Arrival:
    """`links` are numbers of the daemon. A time that lies ahead is taken as now: clocks differ a little."""
    now = time.time_ns() // 1_000
    life = found.life
    if life is not None:
        ahead = {name: now for name in _TIMES if (getattr(life, name) or 0) > now}
        own = {name: number for name, number in links.items() if name in Life.__struct_fields__}
        life = msgspec.structs.replace(life, **ahead, **own)
    created = found.draft.created_at
    changes: dict[str, object] = {"dedup": dedup, "created_at": None if (created or 0) > now else created}
    changes |= {name: number for name, number in links.items() if name in Draft.__struct_fields__}
    return Arrival(key=found.key, memory=msgspec.structs.replace(found.draft, **changes), life=life)


def _count(value: object) -> int:
    return 1 + sum(_count(inner) for inner in _inner(value))


def _inner(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        yield from value.keys()
        yield from value.values()
    elif isinstance(value, list):
        yield from value
