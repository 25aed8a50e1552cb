"""What a caller is told, the first time and on a retry."""

import pytest

from reveried.app.commands import Outcome, Step, outcome_again, outcome_of
from reveried.domain.decide import Decision
from reveried.domain.events import Event, MemoryPinned, MemoryRepeated, Recorded
from reveried.errors import KeyConflict
from unit.domain.histories import stored


def recorded(event: Event | None, subject: int | None = 3, type_: str = "memory.stored") -> Recorded:
    return Recorded(7, 0, "default", subject, "tests", "key", event.type if event else type_, event)


def step(fingerprint: str = "print") -> Step:
    return Step(decide=lambda _: Decision(outcome="never asked"), key="key", fingerprint=fingerprint)


def test_a_new_memory_gets_the_number_of_its_event() -> None:
    decision = Decision(outcome="stored", events=(stored(),), notes=("n",))
    assert outcome_of(decision, [recorded(stored())], 9) == Outcome(id=7, outcome="stored", seq=7, notes=("n",))


def test_a_change_names_its_memory_and_its_last_event() -> None:
    decision = Decision(outcome="tagged", subject=3, events=(MemoryPinned(), MemoryPinned()))
    assert outcome_of(decision, [recorded(MemoryPinned())] * 2, 9) == Outcome(id=3, outcome="tagged", seq=7)


def test_what_changed_nothing_stands_at_the_head() -> None:
    assert outcome_of(Decision(outcome="unchanged", subject=3), [], 9) == Outcome(id=3, outcome="unchanged", seq=9)


@pytest.mark.parametrize(
    ("event", "subject", "expected"),
    [
        (stored(request="print", notes=("n",)), 7, Outcome(id=7, outcome="stored", seq=7, repeated=True, notes=("n",))),
        (MemoryRepeated(request="print"), 3, Outcome(id=3, outcome="duplicate", seq=7, repeated=True)),
        (MemoryPinned(request="print"), 3, Outcome(id=3, outcome="pinned", seq=7, repeated=True)),
        (None, 3, Outcome(id=3, outcome="stored", seq=7, repeated=True)),
        (None, None, Outcome(id=7, outcome="stored", seq=7, repeated=True)),
    ],
)
def test_a_retry_is_told_what_the_first_try_led_to(event: Event | None, subject: int | None, expected: Outcome) -> None:
    assert outcome_again(step(), "default", recorded(event, subject)) == expected


@pytest.mark.parametrize(("fingerprint", "namespace"), [("another", "default"), ("print", "other")])
def test_a_key_used_for_something_else_is_a_conflict(fingerprint: str, namespace: str) -> None:
    with pytest.raises(KeyConflict, match="used before, for another request") as refusal:
        outcome_again(step(fingerprint), namespace, recorded(MemoryPinned(request="print")))
    assert refusal.value.field == "key"
