"""A text as the terms it is found by: the same words the index has, counted."""

from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from reveried.domain.recalling.terms import as_counted, hits_of, terms, terms_of
from reveried.domain.recalling.words import query_words, sought_terms
from unit.domain.records import in_state

MEMORY = in_state("active")


def test_words_are_stemmed_folded_and_counted() -> None:
    assert Counter(terms("Cafés, café! The cafe's naïve connections connected")) == Counter(
        {"cafe": 3, "the": 1, "s": 1, "naiv": 1, "connect": 2}
    )


def test_scripts_without_spaces_give_characters_and_pairs() -> None:
    assert list(terms("東京都 trip")) == ["trip", "東", "京", "都", "東京", "京都"]


def test_a_memory_is_also_found_by_speaker_tags_and_day() -> None:
    memory = replace(MEMORY, content="tea", speaker="Ada", tags_manual=("drinks",), tags_auto=("hidden",), created_at=0)
    found = terms_of(memory)
    assert found.text.split() == ["tea", "ada", "drink", "1", "januari", "1970"]
    assert found.length == 6


@pytest.mark.parametrize(
    ("content", "tells_time", "asks"),
    [("We met last Friday", True, False), ("When was that?", False, True), ("Tea, please", False, False),
     ("去年去的？", False, True), ("In 2019 already?", True, True)],
)  # fmt: skip
def test_what_tells_of_a_time_or_asks_is_known_by_it(content: str, tells_time: bool, asks: bool) -> None:
    found = terms_of(replace(MEMORY, content=content))
    assert (found.tells_time, found.asks) == (tells_time, asks)


@given(st.text() | st.text(st.sampled_from("aé0 \u0995\u09cb\u09c7\u09be\u0b48\u0bca\u1b40\u1b35가각茶")))
@example("\u0995\u09cb\u09a8")
def test_a_text_holds_every_term_that_it_is_asked_for(text: str) -> None:
    """Whatever is asked in the words of a memory can be counted in it: both sides cut words alike."""
    held = set(terms(text))
    asked = [one.term for one in sought_terms(query_words(text)) if len(one.term) < 64]
    assert [term for term in asked if term not in held] == []


@given(st.lists(st.sampled_from(["tea", "te", "a", "茶", "喝茶", "1"]), max_size=12))
def test_every_occurrence_of_a_term_is_counted_and_no_part_of_another(said: list[str]) -> None:
    asked = ["tea", "a", "茶", "coffee"]
    counted = "".join(map(as_counted, said))
    expected = {place: said.count(term) for place, term in enumerate(asked) if term in said}
    assert hits_of(counted, [as_counted(term) for term in asked]) == expected
