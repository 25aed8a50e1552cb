"""Sizes mean what people write."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reveried.config.schema import parse_size
from reveried.config.sizes import UNITS, Size


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("64MB", 64_000_000),
        ("100 MB", 100_000_000),
        ("1KB", 1000),
        ("2GB", 2_000_000_000),
        ("1KiB", 1024),
        ("64 MiB", 67_108_864),
        ("1GiB", 1_073_741_824),
        ("512", 512),
        ("512B", 512),
        ("0", 0),
        (4096, 4096),
    ],
)
def test_a_size_is_bytes_whatever_its_unit(text, expected):
    assert parse_size(text) == expected


NOT_SIZES = [
    "",
    "MB",
    "64XB",
    "64mb",
    "-1",
    "-1MB",
    "1.5GB",
    "64  MB",
    " 64MB",
    "64MB ",
    "64MB\n",
    "1" * 16,
    "٣MB",
    "1e3",
]


@pytest.mark.parametrize("text", NOT_SIZES)
def test_what_is_not_a_size_is_refused_by_the_parser_and_by_the_schema(text):
    with pytest.raises(ValueError, match="is not a size"):
        parse_size(text)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(text, Size)


@settings(deadline=None)
@given(st.integers(0, 10**15 - 1), st.sampled_from(sorted(UNITS)), st.sampled_from(["", " "]))
def test_every_size_the_schema_accepts_can_be_parsed(number, unit, gap):
    text = msgspec.convert(f"{number}{gap}{unit}", Size)
    assert parse_size(text) == number * UNITS[unit]
