"""Calls carry what they were given, and the catalogue of operations has no gap."""

import inspect
from datetime import UTC, datetime

import pytest

from reverie import calls
from reverie.errors import InvalidField
from reverie.protocol.requests import REQUESTS, Draft, Store, StoreMany, Subscribe, op_of

MOMENT = datetime(2026, 1, 31, 12, 0, 0, 250_000, tzinfo=UTC)
MICROS = 1_769_860_800_250_000


def test_store_takes_every_field_of_a_draft() -> None:
    taken = inspect.signature(calls.store).parameters.keys()
    assert set(Draft.__struct_fields__) <= taken


def test_datetimes_become_microseconds() -> None:
    request = calls.store("x", created_at=MOMENT, expires_at=MICROS).request
    assert isinstance(request, Store)
    assert (request.memory.created_at, request.memory.expires_at) == (MICROS, MICROS)


def test_many_memories_may_be_words_mappings_or_drafts() -> None:
    request = calls.store_many(["a", {"content": "b", "tags": ["t"], "valid_from": MOMENT}, Draft(content="c")]).request
    assert isinstance(request, StoreMany)
    assert request.memories == [
        Draft(content="a"),
        Draft(content="b", tags=["t"], valid_from=MICROS),
        Draft(content="c"),
    ]


@pytest.mark.parametrize("item", [{"content": "a", "colour": "red"}, {"content": 3}, {"title": "no content"}])
def test_a_mapping_that_is_no_memory_is_refused_before_it_is_sent(item: dict[str, object]) -> None:
    with pytest.raises(InvalidField):
        calls.store_many([item])


def test_every_operation_of_the_protocol_has_a_call() -> None:
    built = {name for name, function in vars(calls).items() if inspect.isfunction(function)}
    spoken = {"list_memories" if op_of(request) == "list" else op_of(request) for request in REQUESTS}
    assert spoken - built == {"hello", "subscribe", "unsubscribe"}
    assert isinstance(calls.subscription(3).request, Subscribe)
