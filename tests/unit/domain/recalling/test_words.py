"""From any text to words: what is kept, what is dropped, and that nothing is ever read as syntax."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reveried.domain.recalling.words import (
    LONE_SHARE,
    MAX_TERMS,
    MAX_WORD_LENGTH,
    MAX_WORDS,
    STOP_WORDS,
    Sought,
    folded,
    is_latin,
    query_words,
    sought_terms,
    unspaced_pairs,
    unspaced_runs,
    without_unspaced,
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


QUOTED = re.compile(r'"[^"]+"(?: \*)?')


@given(st.text())
def test_every_term_is_quoted_once_and_sought_once(text: str) -> None:
    sought = sought_terms(query_words(text))
    assert len(sought) <= MAX_TERMS
    assert len({one.term for one in sought}) == len(sought)
    for one in sought:
        assert one.spaced or one.paired
        assert all(QUOTED.fullmatch(expression) for expression in (one.spaced, one.paired) if expression)


def test_each_script_goes_to_its_own_index() -> None:
    tokyo, tower, tea, east, capital = sought_terms(query_words("東京 towers 茶"))
    assert tokyo == Sought("東京", "", '"006771004eac"')
    assert tower == Sought("tower", '"towers"', '"wtowers"')
    assert tea == Sought("茶", "", '"008336"')
    assert [east, capital] == [Sought("東", "", '"006771"', LONE_SHARE), Sought("京", "", '"004eac"', LONE_SHARE)]


def test_a_syllable_of_another_script_is_not_sought_alone() -> None:
    assert [one.term for one in sought_terms(query_words("ありがとう"))] == ["あり", "りが", "がと", "とう"]


def test_forms_of_one_word_are_sought_once() -> None:
    assert [one.term for one in sought_terms(["connect", "connects", "connected"])] == ["connect"]


@pytest.mark.parametrize(("text", "plain"), [("CAFÉ", "cafe"), ("Zürich", "zurich"), ("naïve", "naive")])
def test_accents_and_case_are_folded(text: str, plain: str) -> None:
    assert folded(text) == plain


@pytest.mark.parametrize(
    ("text", "latin"),
    [("what is tea?", True), ("qu'est-ce que l'été", True), ("東京はどこ", False), ("где Москва", False), ("42?", True),
     ("Tokyo 東京 tower", True)],
)  # fmt: skip
def test_what_an_english_model_can_read_is_told_by_the_letters(text: str, latin: bool) -> None:
    assert is_latin(text) is latin


@given(st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), min_size=2, max_size=20))
def test_every_pair_and_every_character_of_a_run_is_an_index_term(text: str) -> None:
    terms = unspaced_pairs(f"before {text} after").split()
    for at in range(len(text)):
        code = f"{ord(text[at]):06x}"
        assert code in terms
    assert [term for term in terms if len(term) == 12] == [
        f"{ord(one):06x}{ord(two):06x}" for one, two in pairwise(text)
    ]


def test_spaced_text_has_no_pairs() -> None:
    assert unspaced_pairs("plain words, naïve café") == ""


@pytest.mark.parametrize(
    ("text", "runs", "rest"),
    [
        ("we write Python", [], "we write Python"),
        ("wir schätzen Python", [], "wir schätzen Python"),
        ("我们用Python写代码", ["我们用", "写代码"], " Python "),
    ],
)
def test_what_is_written_without_spaces_is_taken_out_of_the_rest(text: str, runs: list[str], rest: str) -> None:
    assert (unspaced_runs(text), without_unspaced(text)) == (runs, rest)
