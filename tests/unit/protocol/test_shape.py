"""Whatever is legal passes, every limit refuses, and nothing but `BadShape` ever comes out."""

from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reverie.protocol.limits import MAX_ARRAY, MAX_DEPTH, MAX_MAP, MAX_NODES
from reverie.protocol.shape import BadShape, check_shape

pack = msgspec.msgpack.encode
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
leaves = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | texts | st.binary(max_size=300)
)  # fmt: skip
values = st.recursive(leaves, lambda inner: st.lists(inner, max_size=20) | st.dictionaries(texts, inner, max_size=20))


@given(values)
@example("x" * 70_000)
@example(b"x" * 70_000)
@example(["x" * 300] * 20)
@example({str(number): number for number in range(1_000)})
@example(list(range(10_000)))
def test_every_legal_value_passes(value: Any) -> None:
    check_shape(pack(value))


@settings(deadline=None)
@given(values)
def test_a_message_cut_short_anywhere_is_refused(value: Any) -> None:
    body = pack(value)
    for end in range(max(0, len(body) - 200), len(body)):
        with pytest.raises(BadShape):
            check_shape(body[:end])


@given(values, st.binary(min_size=1, max_size=9))
def test_bytes_after_the_message_are_refused(value: Any, more: bytes) -> None:
    with pytest.raises(BadShape, match=f"{len(more)} bytes follow the message"):
        check_shape(pack(value) + more)


@given(st.binary(max_size=200))
def test_random_bytes_raise_nothing_but_a_bad_shape(body: bytes) -> None:
    try:
        check_shape(body)
    except BadShape:
        return
    complaint = ""
    try:
        msgspec.msgpack.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        complaint = str(error)
    # What passes is well-formed; texts and keys are the decoder's to judge.
    assert not complaint or "utf-8" in complaint or "hashable" in complaint


def nested(depth: int, kind: str) -> bytes:
    value: Any = 1
    for _ in range(depth):
        value = [value] if kind == "array" else {"k": value}
    return pack(value)


@pytest.mark.parametrize("kind", ["array", "map"])
def test_nesting_is_bounded(kind: str) -> None:
    check_shape(nested(MAX_DEPTH, kind))
    with pytest.raises(BadShape, match="nested deeper than 32 levels"):
        check_shape(nested(MAX_DEPTH + 1, kind))


def test_the_longest_array_passes_and_one_entry_more_does_not() -> None:
    check_shape(pack([None] * MAX_ARRAY))
    with pytest.raises(BadShape, match="array of 10001 entries is over the limit of 10000"):
        check_shape(pack([None] * (MAX_ARRAY + 1)))


def test_the_largest_map_passes_and_one_entry_more_does_not() -> None:
    check_shape(pack({str(number): None for number in range(MAX_MAP)}))
    with pytest.raises(BadShape, match="map of 1001 entries is over the limit of 1000"):
        check_shape(pack({str(number): None for number in range(MAX_MAP + 1)}))


def test_the_number_of_values_is_bounded_however_they_are_spread() -> None:
    full = [[None] * (MAX_ARRAY - 1)] * 9  # 1 + 9 + 9 * 9,999 = 90,001 values
    fitting = pack([*full, [None] * (MAX_ARRAY - 2)])
    check_shape(fitting)
    with pytest.raises(BadShape, match=f"more than {MAX_NODES} values"):
        check_shape(pack([*full, [None] * (MAX_ARRAY - 1)]))


@pytest.mark.parametrize(
    "body",
    [b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff", b"\xdc\x00", b"\xde", b"\xdb\xff\xff\xff\xff", b"\xc6\x00"],
)
def test_a_length_that_nothing_follows_is_refused(body: bytes) -> None:
    with pytest.raises(BadShape):
        check_shape(body)


@pytest.mark.parametrize("lead", [0xC1, 0xC7, 0xC8, 0xC9, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8])
def test_extension_types_are_no_part_of_this_protocol(lead: int) -> None:
    with pytest.raises(BadShape, match=f"byte 0x{lead:02x} is not a value this protocol uses"):
        check_shape(bytes([lead]) + b"\x01" * 40)


def test_a_timestamp_is_refused() -> None:
    with pytest.raises(BadShape, match="not a value this protocol uses"):
        check_shape(pack({"at": msgspec.msgpack.Ext(-1, b"1234")}))
