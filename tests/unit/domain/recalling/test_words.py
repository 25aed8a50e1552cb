"""From any text to words: what is kept, what is dropped, and that nothing is ever read as syntax."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reveried.domain.recalling.words import (
    MAX_WORD_LENGTH,
    MAX_WORDS,
    STOP_WORDS,
    match_spaced,
    match_unspaced,
    query_words,
    unspaced_pairs,
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Where is the staging database?", ["staging", "database"]),
        ("who are you", ["who", "are", "you"]),
        ("blue-green roll-away", ["blue", "green", "roll", "away"]),
        ("see https://example.org/a?b=c and www.x.org/y now", ["see"]),
        ("HTTP://EXAMPLE.ORG", []),
        ("x y zebra", ["zebra"]),
        ("zebra Zebra ZEBRA", ["zebra"]),
        ("a 東 b", ["東"]),
        ("東京tower", ["東京", "tower"]),
        ("cafe\u0301", ["caf\u00e9"]),
        ("node.js v20", ["node", "js", "v20"]),
        ("", []),
        ("?! \x00 ...", []),
        ("\U0001f600 smile", ["smile"]),
    ],
)
def test_a_text_becomes_these_words(text: str, words: list[str]) -> None:
    assert query_words(text) == words


def test_long_texts_are_bounded() -> None:
    assert len(query_words(" ".join(f"word{number}" for number in range(100)))) == MAX_WORDS
    assert query_words("x" * 1_000) == ["x" * MAX_WORD_LENGTH]


@given(st.text())
def test_words_are_few_short_unique_and_free_of_syntax(text: str) -> None:
    words = query_words(text)
    assert len(words) <= MAX_WORDS
    assert len(set(words)) == len(words)
    assert all(word and len(word) <= MAX_WORD_LENGTH and not set(word) & set('"*^:(){}+- \x00') for word in words)


@given(st.lists(st.sampled_from(sorted(word for word in STOP_WORDS if word.isalpha() and len(word) > 1)), min_size=1))
def test_a_question_of_stop_words_alone_is_still_asked(words: list[str]) -> None:
    assert query_words(" ".join(words)) == list(dict.fromkeys(words))[:MAX_WORDS]


QUOTED = re.compile(r'(?:"\w+"(?: \*)?)(?: OR "\w+"(?: \*)?)*')


@given(st.text())
def test_an_expression_is_quoted_words_joined_by_or(text: str) -> None:
    unspaced = match_unspaced(query_words(text))
    assert not unspaced or QUOTED.fullmatch(unspaced)
    spaced = match_spaced(query_words(text))
    assert not spaced or all(part[0] == part[-1] == '"' and part.count('"') == 2 for part in spaced.split(" OR "))


def test_each_script_goes_to_its_own_index() -> None:
    words = query_words("東京 tower 茶")
    assert match_spaced(words) == '"tower"'
    assert match_unspaced(words) == '"006771004eac" OR "008336" *'


@given(st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), min_size=2, max_size=20))
def test_every_pair_and_every_character_of_a_run_is_an_index_term(text: str) -> None:
    terms = unspaced_pairs(f"before {text} after").split()
    for at in range(len(text)):
        code = f"{ord(text[at]):06x}"
        assert any(term.startswith(code) for term in terms)
    assert [term for term in terms if len(term) == 12] == [
        f"{ord(one):06x}{ord(two):06x}" for one, two in pairwise(text)
    ]


def test_spaced_text_has_no_pairs() -> None:
    assert unspaced_pairs("plain words, naïve café") == ""
