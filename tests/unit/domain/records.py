"""One memory in each state a command can meet, and its events in their places."""

from reveried.domain.events import (
    Event,
    MemoryArchived,
    MemoryDeleted,
    MemoryPinned,
    MemorySuperseded,
    MemoryTransitioned,
    Recorded,
)
from reveried.domain.evolving import evolve
from reveried.domain.memory import Memory
from unit.domain.histories import BORN, SECOND, stored

STALE = MemoryTransitioned(ids=(1,), what="state", before="active", after="stale", reason="faded")
LEADING_TO: dict[str, tuple[Event, ...]] = {
    "active": (),
    "stale": (STALE,),
    "archived": (MemoryArchived(reason="asked"),),
    "deleted": (MemoryDeleted(),),
    "superseded": (MemorySuperseded(by=50),),
    "pinned": (MemoryPinned(),),
}


def placed(event: Event | None, seq: int, subject: int | None = 1, at: int | None = None) -> Recorded:
    type_ = "memory.stored" if event is None else event.type
    return Recorded(seq, BORN + seq * SECOND if at is None else at, "default", subject, "tests", None, type_, event)


def after(*events: Event, id_: int = 1, content: str = "words") -> Memory:
    memory = evolve(None, placed(stored(content), id_, id_))
    for seq, event in enumerate(events, id_ + 1):
        memory = evolve(memory, placed(event, seq, id_))
    assert memory is not None
    return memory


def in_state(state: str, **options: int) -> Memory:
    return after(*LEADING_TO[state], **options)  # type: ignore[arg-type]
