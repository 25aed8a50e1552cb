"""The words of a text, in every script, and those of them that tell something."""

import pytest

from reveried.domain.understanding.words import content_words, read, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't STOP-me, 42!", ["don't", "stop", "me", "42"]),
        ("L’été de l'Île_1", ["l'été", "de", "l'île", "1"]),
        ("a_b'c' 'd", ["a", "b'c'", "'d"]),
        ("", []),
        ("港 opens", ["港", "opens"]),
    ],
)
def test_a_text_is_cut_into_its_words(text: str, words: list[str]) -> None:
    assert words_of(text) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The harbor opens at 9", ["harbor", "opens", "9"]),
        ("the x of y", []),
        ("港 the é", ["港", "é"]),
        ("with ab", ["ab"]),
    ],
)
def test_stop_words_and_lone_letters_tell_nothing(text: str, words: list[str]) -> None:
    assert content_words(text) == words


def test_a_reading_holds_what_the_rules_look_at() -> None:
    reading = read("Dock 12 of Dock 7")
    assert (reading.lower, reading.words) == ("dock 12 of dock 7", ["dock", "12", "of", "dock", "7"])
    assert reading.vocabulary == {"dock", "12", "of", "7"}
    assert reading.numbers == ["12", "7"]
