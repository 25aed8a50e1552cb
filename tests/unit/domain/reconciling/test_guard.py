"""What tells two texts apart although they look alike, down to the word that stands for another."""

import pytest

from reveried.domain.reconciling.guard import distinction, swaps
from reveried.domain.reconciling.lexicon import related
from reveried.domain.reconciling.wording import read


@pytest.mark.parametrize(
    ("new", "known", "swapped"),
    [
        ("Kettle stands near window", "Kettle stands near stove", [({"window"}, {"stove"})]),
        ("Kettle stands near window", "Kettle stands behind shelf", [({"near", "window"}, {"behind", "shelf"})]),
        ("Kettle stands near window", "Kettle fell behind shelf", []),  # three of four differ: put differently
        ("Kettle stands near window", "Kettle stands near window", []),
    ],
)
def test_a_word_stands_for_another_where_half_of_the_rest_is_the_same(
    new: str, known: str, swapped: list[tuple[set[str], set[str]]]
) -> None:
    assert swaps(read(new), read(known)) == swapped


@pytest.mark.parametrize(
    ("word", "other", "same"),
    [
        ("collects", "collector", True),
        ("negotiate", "negotiation", True),  # eight of nine letters
        ("abcdefgxyz", "abcdefgqrst", True),  # seven of ten, just enough
        ("abcdefxxxx", "abcdefgqrst", False),  # six of ten
        ("paint", "painter", True),
        ("note", "notebook", False),  # too short for a family
    ],
)
def test_a_family_of_words_shares_its_beginning(word: str, other: str, same: bool) -> None:
    assert related(word, [other]) is same


@pytest.mark.parametrize(
    ("new", "known", "differ_in"),
    [
        ("The desk by bay a-17 is free", "The desk by bay a-18 is free", "name"),
        ("The desk by bay 17 is free", "The desk by bay 18 is free", "number"),
        ("Ada owes Ben a lunch", "Ben owes Ada a lunch", "role"),
    ],
)
def test_what_tells_two_texts_apart_is_named(new: str, known: str, differ_in: str | None) -> None:
    assert distinction(read(new), read(known)) == differ_in
