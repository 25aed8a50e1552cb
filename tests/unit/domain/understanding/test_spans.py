"""What is too large is cut at words, and only what began with a heading goes on beginning with it."""

import pytest

from reveried.domain.understanding.spans import Span, fitting

TEXT = "winter harbour lantern keeper"


@pytest.mark.parametrize("heading", [True, False])
def test_only_the_first_piece_of_a_heading_is_one(heading: bool) -> None:
    pieces = list(fitting(TEXT, Span(0, len(TEXT), heading=heading), 9, len))
    assert [TEXT[piece.start : piece.end] for piece in pieces] == ["winter ", "harbour ", "lantern ", "keeper"]
    assert [piece.heading for piece in pieces] == [heading, False, False, False]


def test_a_word_that_is_too_long_is_cut_where_it_must_be() -> None:
    pieces = list(fitting("a" * 20, Span(0, 20), 9, len))
    assert [(piece.start, piece.end) for piece in pieces] == [(0, 9), (9, 18), (18, 20)]
