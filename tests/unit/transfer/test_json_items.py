"""A JSON list is read item by item, whatever the pieces in which its bytes arrive."""

import io
import json
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.transfer.json_items import items
from reverie.transfer.records import Unreadable

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)


class Trickle(io.BytesIO):
    """Gives a few bytes at a time, as a pipe may; a character can arrive in two halves."""

    def read(self, size: int | None = -1) -> bytes:
        return super().read(min(3, size or 3))


@given(st.lists(values, max_size=5), st.booleans(), st.sampled_from([None, 2]))
def test_every_list_comes_back_item_by_item(listed: list[Any], plain: bool, indent: int | None) -> None:
    body = json.dumps(listed, ensure_ascii=plain, indent=indent).encode("utf-8", "surrogatepass")
    assert [value for _, value in items(Trickle(body))] == listed
    within = json.dumps({"before": {"results": [0]}, "results": listed, "after": 1}, ensure_ascii=plain)
    assert [value for _, value in items(Trickle(within.encode()), "results")] == listed


@pytest.mark.parametrize("text", ["", "[1, 2", "[1 2]", '{"a"', '{"results": [1,', "nonsense", "[" * 5_000])
def test_what_is_no_json_says_so_after_what_could_be_read(text: str) -> None:
    with pytest.raises(Unreadable):
        list(items(io.BytesIO(text.encode()), "results"))


def test_memory_does_not_grow_with_the_file() -> None:
    class Endless(io.RawIOBase):
        """50,000 records that are made while they are read."""

        def __init__(self) -> None:
            self._parts = self._made()

        def _made(self) -> Iterator[bytes]:
            yield b"["
            for number in range(50_000):
                yield b"" if not number else b","
                yield json.dumps({"id": number, "memory": "x" * 400}).encode()
            yield b"]"

        def seek(self, offset: int, whence: int = 0) -> int:
            return 0

        def read(self, size: int = -1) -> bytes:
            collected = b""
            for part in self._parts:
                collected += part
                if len(collected) >= size:
                    break
            return collected

    tracemalloc.start()
    count = sum(1 for _ in items(Endless()))  # type: ignore[arg-type]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 50_000
    assert peak < 4_000_000  # the text itself is over 20 MB
