import pytest
from hypothesis import given
from hypothesis import strategies as st

from reveried.domain.understanding.text import (
    content_hash,
    content_words,
    estimate_tokens,
    normalised,
    sentences,
    summary_of,
    title_of,
)

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=300)
SPACES = st.text(" \t\n\r\u3000", min_size=1, max_size=4)


@given(st.lists(st.text("abcé中ا", min_size=1, max_size=5), min_size=1, max_size=8), st.data())
def test_the_hash_does_not_see_whitespace(words: list[str], data: st.DataObject) -> None:
    spaced = "".join(word + data.draw(SPACES) for word in words)
    assert content_hash(spaced) == content_hash(" ".join(words))


def test_the_hash_sees_case_and_words() -> None:
    assert len({content_hash(text) for text in ("Port 80", "port 80", "port 81")}) == 3
    assert content_hash("caf\u00e9") == content_hash("cafe\u0301")
    assert normalised(" a \n b ") == "a b"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Use e.g. Redis here. It is fast.", ["Use e.g. Redis here.", "It is fast."]),
        ("Dr. Weber and J. R. Smith met. They left.", ["Dr. Weber and J. R. Smith met.", "They left."]),
        ("Version 2. 3 tests. see file.py", ["Version 2. 3 tests. see file.py"]),
        ("He said “stop.” Éva left.", ["He said “stop.”", "Éva left."]),
        ("今日は晴れ。明日は雨！終わり", ["今日は晴れ。", "明日は雨！", "終わり"]),
        ("Heading\n\nBody text", ["Heading", "Body text"]),
        ("List:\n- one\n- two", ["List:", "- one", "- two"]),
        ("wrapped\nline", ["wrapped\nline"]),
        ("   ", []),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text: str, expected: list[str]) -> None:
    assert list(sentences(text)) == expected


def test_a_title_is_the_first_sentence_cut_at_a_word() -> None:
    assert title_of("# Release plan\n\nShip it.") == "Release plan"
    assert title_of("Short one. Then more.") == "Short one."
    long = title_of("word " * 60)
    assert len(long) <= 120
    assert long.endswith("word…")
    assert len(title_of("x" * 500)) == 120


def test_a_summary_is_the_first_sentences() -> None:
    assert summary_of("One. Two. Three. Four.") == "One. Two. Three."
    assert summary_of("One. Two.", 1) == "One."


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("The quick brown fox jumps over the lazy dog near the river bank.", 12, 16),
        ("def area(r: float) -> float:\n    return math.pi * r ** 2\n", 18, 28),
        ("今天我们决定使用关系数据库。", 12, 18),
        ("Исправил ошибку в загрузчике", 8, 14),
        ("", 0, 0),
    ],
)
def test_tokens_are_estimated_within_reason(text: str, low: int, high: int) -> None:
    assert low <= estimate_tokens(text) <= high


def test_content_words_drop_stop_words_and_keep_other_scripts() -> None:
    assert content_words("The Gateway isn't on port 8443, 数据库 a b") == ["gateway", "port", "8443", "数据库"]


@given(ANY_TEXT)
def test_no_text_is_refused(text: str) -> None:
    content_hash(text)
    assert len(title_of(text)) <= 120
    summary_of(text)
    content_words(text)
    assert estimate_tokens(text) <= len(text)
