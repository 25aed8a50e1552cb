"""A view shows the whole record, and a page always fits one frame."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict

from reverie.protocol.limits import MAX_FRAME, MAX_PAGE
from reverie.protocol.results import MemoryView
from reveried.app.views import PAGE_BYTES, checked_limit, fitting, memory_view, recalled_view
from reveried.domain.evolving import evolve
from reveried.domain.memory import Memory
from reveried.domain.recalling.ranking import Ranked
from reveried.errors import InvalidField
from unit.domain.records import placed
from unit.log.golden import GOLDEN


def a_memory() -> Memory:
    memory = evolve(None, placed(GOLDEN["stored, everything said"], 7, 7))
    assert memory is not None
    return memory


def test_a_view_shows_every_field_of_the_record() -> None:
    memory = a_memory()
    view = asdict(memory_view(memory))
    bookkeeping = {"seq", "tags_at", "untagged", "replaced_at"}  # of projections, of the sleep, and of imports
    assert set(Memory.__struct_fields__) - bookkeeping <= set(MemoryView.__struct_fields__)
    for field, value in asdict(memory).items():
        if field not in bookkeeping:
            assert view[field] == (list(value) if isinstance(value, tuple) else value)
    assert (view["system"], view["tags"]) == ("procedural", ["drinks", "旅行", "tea"])
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(memory_view(memory)), type=MemoryView) == memory_view(memory)


def test_a_recalled_memory_tells_rank_score_and_signals() -> None:
    ranked = Ranked(a_memory(), 0.5, {"keyword": 0.5}, {"keyword": 0.25})
    view = recalled_view(ranked, 2, 11, explain=False)
    assert (view.id, view.rank, view.score, view.signals, view.tokens) == (7, 2, 0.5, {"keyword": 0.5}, 11)
    assert (view.trust, view.speaker, view.reinforcement) == ("low", "Ada", 0)
    assert view.contributions == {}
    assert recalled_view(ranked, 2, 11, explain=True).contributions == {"keyword": 0.25}


@pytest.mark.parametrize("limit", [0, -1, MAX_PAGE + 1])
def test_a_limit_outside_its_range_is_refused(limit: int) -> None:
    with pytest.raises(InvalidField, match=f"limit is {limit}; it must be 1 to {MAX_PAGE}"):
        checked_limit(limit)


@pytest.mark.parametrize("limit", [1, MAX_PAGE])
def test_a_limit_at_its_bounds_is_taken(limit: int) -> None:
    assert checked_limit(limit) == limit


@given(st.lists(st.integers(0, 400_000), max_size=8))
def test_a_page_is_the_longest_beginning_that_fits(sizes: list[int]) -> None:
    items = ["x" * size for size in sizes]
    page = fitting(items)
    assert page == items[: len(page)]
    assert bool(page) is bool(items)
    assert len(page) < 2 or sum(len(msgspec.msgpack.encode(item)) for item in page) <= PAGE_BYTES < MAX_FRAME
    if len(page) < len(items):
        assert sum(len(msgspec.msgpack.encode(item)) for item in items[: len(page) + 1]) > PAGE_BYTES


def test_one_item_is_shown_whatever_its_size() -> None:
    assert len(fitting(["x" * 2 * MAX_FRAME, "y"])) == 1
