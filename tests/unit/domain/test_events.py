"""The catalogue is complete, and its names are for good."""

from reveried.domain import events
from reveried.domain.events import EVENTS, AboutMemory, Event


def every_event(root: type[Event] = Event) -> set[type[Event]]:
    found = {root} if "type" in vars(root) else set()
    return found.union(*(every_event(child) for child in root.__subclasses__()))


def test_every_event_is_in_the_catalogue_under_its_own_type() -> None:
    assert set(EVENTS.values()) == every_event()
    assert all(event.type == type_ for type_, event in EVENTS.items())


def test_types_are_named_subject_dot_past_tense() -> None:
    for type_ in EVENTS:
        subject, happened = type_.split(".")
        assert subject in ("memory", "document", "chunk", "conflict", "session", "narrative", "config", "job")
        assert happened.endswith(("ed", "en", "ran"))


def test_only_events_without_words_of_their_own_survive_an_erasure() -> None:
    kept = {event.type for event in EVENTS.values() if not issubclass(event, AboutMemory)}
    assert kept == {
        "memory.recalled", "memory.accessed", "memory.merged", "memory.erased", "memory.transitioned",
        "memory.compressed", "memory.linked", "memory.unlinked", "memory.reviewed", "conflict.detected",
        "conflict.resolved", "session.started", "session.ended", "config.changed", "job.ran",
    }  # fmt: skip


def test_events_cannot_be_edited() -> None:
    for event in EVENTS.values():
        assert event.__struct_config__.frozen
        assert event.__struct_config__.omit_defaults
    assert events.Recorded.__struct_config__.frozen
