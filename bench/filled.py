"""A log like one that was lived with: mostly stores, and everything that happens to memories afterwards."""

import random
from pathlib import Path

from bench.serving import note
from reveried.domain.events import MemoryRecalled, MemoryReinforced, MemoryStored, MemoryTagged
from reveried.domain.understanding.text import content_hash
from reveried.log.sqlite import SqliteLog
from reveried.ports import NewEvent

EVENTS = 100_000
START = 1_750_000_000_000_000


def filled_log(directory: Path, memories_only: bool = False, events: int = EVENTS) -> Path:
    dice = random.Random(7)
    log = SqliteLog(directory / "log.db")
    stored: list[int] = []
    for n in range(events):
        fate = dice.random()
        if memories_only or len(stored) < 10 or fate < 0.5:
            stored.append(log.stage(NewEvent("default", "bench", _stored(n)), START + n).seq)
        elif fate < 0.8:
            event = MemoryRecalled(query="where", ids=tuple(dice.sample(stored, 5)), profile="hebbian")
            log.stage(NewEvent("default", "bench", event), START + n)
        elif fate < 0.95:
            log.stage(NewEvent("default", "bench", MemoryReinforced(amount=3), dice.choice(stored)), START + n)
        else:
            log.stage(NewEvent("default", "bench", MemoryTagged(tags=("seen",)), dice.choice(stored)), START + n)
        if n % 1000 == 999:
            log.commit()
    log.commit()
    log.close()
    return directory / "log.db"


def _stored(n: int) -> MemoryStored:
    text = note(n)
    return MemoryStored(
        content=text,
        title=text,
        content_hash=content_hash(text),
        kind="fact",
        importance=0.6,
        confidence=0.8,
        created_at=START + n,
        tags_auto=("service", "region"),
    )
