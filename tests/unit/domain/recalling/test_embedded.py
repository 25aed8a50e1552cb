"""What is given to the embedder: whole texts where they fit, pieces where they do not, and what came before."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reveried.domain.recalling.embedded import (
    IN_CONTEXT,
    ITSELF,
    MAX_PIECES,
    PIECE_WORDS,
    EmbeddedText,
    pieces,
    texts_of,
)
from unit.domain.records import in_state

MEMORY = in_state("active")
SHORT = replace(MEMORY, content="It went well")
BEFORE = replace(MEMORY, content="How was the interview?", speaker="Ben")
LONG = replace(MEMORY, content=" ".join(f"Sentence number {number} is here." for number in range(100)))


def test_a_lone_memory_is_one_text() -> None:
    assert texts_of(SHORT, None) == [EmbeddedText(ITSELF, "It went well")]


def test_who_said_it_is_said() -> None:
    assert texts_of(replace(SHORT, speaker="Ada"), None) == [EmbeddedText(ITSELF, "Ada: It went well")]


def test_a_short_memory_is_also_read_after_its_predecessor() -> None:
    own, together = texts_of(replace(SHORT, speaker="Ada"), BEFORE)
    assert own.role == ITSELF
    assert together == EmbeddedText(IN_CONTEXT, "Ben: How was the interview?\nAda: It went well")


def test_a_long_memory_needs_no_predecessor() -> None:
    texts = texts_of(LONG, BEFORE)
    assert len(texts) == len(pieces(LONG.content)) > 1
    assert {text.role for text in texts} == {ITSELF}


def test_a_long_text_is_cut_between_sentences() -> None:
    found = pieces(LONG.content)
    assert all(piece.startswith("Sentence") and piece.endswith("here.") for piece in found)
    assert " ".join(found) == LONG.content


words = st.lists(st.sampled_from(["tea", "Ada", "went.", "home!", "\n\n", "東京", "so?"]), max_size=4_000)


@given(words)
def test_pieces_are_bounded_and_lose_no_word_before_the_last(words: list[str]) -> None:
    text = " ".join(words)
    found = pieces(text)
    assert 1 <= len(found) <= MAX_PIECES
    assert all(len(piece.split()) <= PIECE_WORDS for piece in found)
    kept = [word for piece in found for word in piece.split()]
    assert kept == text.split()[: len(kept)]
    assert len(found) == MAX_PIECES or len(kept) == len(text.split())


@pytest.mark.parametrize("text", ["x" * 5_000, "word " * 1_000])
def test_a_text_without_sentences_is_cut_all_the_same(text: str) -> None:
    assert "".join("".join(pieces(text)).split()) == "".join(text.split())


def test_the_hash_tells_texts_apart_and_nothing_else() -> None:
    assert EmbeddedText(ITSELF, "tea").hash == EmbeddedText(IN_CONTEXT, "tea").hash
    assert EmbeddedText(ITSELF, "tea").hash != EmbeddedText(ITSELF, "Tea").hash
    assert len(EmbeddedText(ITSELF, "tea").hash) == 16
