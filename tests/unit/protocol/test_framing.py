"""Any chunking of the same bytes gives the same frames, and a length over the limit is refused at once."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.protocol.framing import HEADER, FrameReader, FrameTooLarge, frame
from reverie.protocol.limits import MAX_FRAME


@given(st.lists(st.binary(max_size=60), max_size=6), st.lists(st.integers(0, 400), max_size=12))
def test_any_chunking_of_the_bytes_gives_the_same_frames(bodies: list[bytes], cuts: list[int]) -> None:
    stream = b"".join(frame(body) for body in bodies)
    places = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    reader = FrameReader()
    chunks = [stream[start:end] for start, end in pairwise(places)]
    assert [body for chunk in chunks for body in reader.feed(chunk)] == bodies
    assert reader.waiting_for is None


@given(st.binary(max_size=30))
def test_byte_by_byte_says_what_it_waits_for(body: bytes) -> None:
    reader = FrameReader()
    data = frame(body)
    for at in range(len(data) - 1):
        assert reader.feed(data[at : at + 1]) == []
        assert reader.waiting_for == ("header" if at + 1 < HEADER else "body")
    assert reader.feed(data[-1:]) == [body]


@pytest.mark.parametrize("with_body", [True, False])
def test_a_length_over_the_limit_is_refused_before_its_body_is_read(with_body: bool) -> None:
    data = (11).to_bytes(HEADER, "big") + (b"x" * 11 if with_body else b"")
    with pytest.raises(FrameTooLarge, match="frame of 11 bytes is over the limit of 10") as refusal:
        FrameReader(10).feed(data)
    assert (refusal.value.size, refusal.value.limit) == (11, 10)


def test_frames_before_an_oversized_one_do_not_hide_it() -> None:
    reader = FrameReader(10)
    with pytest.raises(FrameTooLarge):
        reader.feed(frame(b"fine") + frame(b"x" * 11))


def test_the_largest_body_fits_and_one_byte_more_does_not() -> None:
    whole = frame(b"x" * MAX_FRAME)
    assert FrameReader().feed(whole) == [b"x" * MAX_FRAME]
    with pytest.raises(FrameTooLarge):
        frame(b"x" * (MAX_FRAME + 1))
