import pytest
from hypothesis import given
from hypothesis import strategies as st

from reveried.domain.understanding.cleaning import clean

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=300)


@pytest.mark.parametrize(
    ("given_text", "kept"),
    [
        ("  a\r\nb  ", "a\nb"),
        ("a\n\n\n\nb", "a\n\nb"),
        ("e\u0301", "\u00e9"),
        ("x\n\n\n\n```py\na\n\n\n\nb\n```\n\n\n\ny", "x\n\n```py\na\n\n\n\nb\n```\n\ny"),
        ("~~~\na\n\n\n\nb", "~~~\na\n\n\n\nb"),
        ("```x```\n\n\n\ny", "```x```\n\ny"),
        ("    - nested\n    - list", "- nested\n    - list"),
    ],
)
def test_cleaning_trims_and_closes_gaps_but_leaves_code_alone(given_text: str, kept: str) -> None:
    assert clean(given_text) == kept


@given(ANY_TEXT)
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@given(st.lists(st.sampled_from(["```", "~~~", "\n", "\n\n\n", " ", "a", "\r", "`"]), max_size=30).map("".join))
def test_cleaning_is_stable_among_fences(text: str) -> None:
    assert clean(clean(text)) == clean(text)
