"""What rules read off a text: its words, its numbers and days, whom it is about, and whether it denies."""

import pytest

from reveried.domain.reconciling import wording
from reveried.domain.reconciling.wording import LONGEST, SUBJECT_REACH, read


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("I'm late", ["i", "late"]),
        ("doesn't", ["does", "not"]),
        ("can't", ["can", "not"]),
        ("CAN'T", ["can", "not"]),
        ("don’t", ["do", "not"]),
        ("n't", ["n", "not"]),
        ("Emil's boat", ["emil", "boat"]),
        ("isn's", ["isn"]),
        ("bot't", ["bot"]),
        ("amber-17 v2", ["amber-17", "v", "2"]),
    ],
)
def test_a_contraction_is_the_words_that_it_stands_for(text: str, words: list[str]) -> None:
    assert [word.text for word in read(text).words] == words


@pytest.mark.parametrize(
    ("text", "firsts"),
    [
        ("Red doors. Blue doors", [True, False, True, False]),
        ("Red: blue", [True, True]),
        ('Red. "Blue', [True, True]),
        ("Red\nblue", [True, True]),
        ("Red, blue", [True, False]),
        ("Red.        - Blue", [True, False]),  # so far back nobody looks
    ],
)
def test_a_sentence_begins_after_the_mark_that_ends_one(text: str, firsts: list[bool]) -> None:
    assert [word.first for word in read(text).words] == firsts


def test_a_capital_means_a_name_unless_it_begins_a_sentence_or_says_i() -> None:
    found = read("Yesterday I met Ada")
    assert [word.capital for word in found.words] == [True, False, False, True]
    assert (found.names, found.leads) == ({"ada"}, {"yesterday"} if "yesterday" in found.content else set())


@pytest.mark.parametrize(
    ("text", "days", "numbers"),
    [
        ("It opens on 5 May", {"5 may"}, set()),
        ("It opens on May 5", {"5 may"}, set()),
        ("5 May is the day", {"5 may"}, set()),
        ("It opens on May 5th", {"5th may"}, set()),
        ("It opens on 4 May 5", {"4 may"}, {"5"}),  # the number before it counts first
        ("It opens in May 2021", {"2021 may"}, set()),
        ("It opens in May 20210", {"may"}, {"20210"}),
        ("It opens in May with 5 rooms", {"may"}, {"5"}),
        ("5 rooms may open", set(), {"5"}),
        ("It opens on Mondays at 5", {"monday"}, {"5"}),
        ("It opens on Monday 5", {"monday"}, {"5"}),
        ("May", {"may"}, set()),
        ("1,200 or 1200 or twelve", set(), {"1200", "12"}),
    ],
)
def test_a_number_beside_a_month_is_its_day_and_no_other_is(text: str, days: set[str], numbers: set[str]) -> None:
    found = read(text)
    assert (found.days, found.numbers) == (days, numbers)


@pytest.mark.parametrize(
    ("text", "subject", "states"),
    [
        ("The red door is open", {"red", "door"}, True),
        ("Ada's boat is red", {"ada's", "boat"}, True),
        ("Whether the door opens", {"whether", "door"}, True),
        ("red green blue", {"red", "green"}, False),
        (f"{'the ' * (SUBJECT_REACH - 1)}door is open", {"door"}, False),
        (f"{'the ' * (SUBJECT_REACH - 2)}door is open", {"door"}, True),
        ("On Monday the door is open", {"door"}, True),
    ],
)
def test_the_subject_is_what_stands_before_the_first_verb(text: str, subject: set[str], states: bool) -> None:
    found = read(text)
    assert (found.subject, found.states) == (subject, states)


@pytest.mark.parametrize(
    ("text", "denies"), [("It is open", False), ("It is not open", True), ("never not open", False)]
)
def test_two_denials_deny_nothing(text: str, denies: bool) -> None:
    assert read(text).denies == denies


def test_a_word_that_joins_or_denies_tells_nothing() -> None:
    assert [word.tells for word in read("the door is not open").words] == [False, True, False, False, True]
    assert read("the door is not open").content == {"door", "open"}


def test_who_speaks_is_a_person_and_no_content() -> None:
    found = read("My door is red and yours is blue")
    assert len(found.persons) == 2
    assert found.content == {"door", "red", "blue"}


@pytest.mark.parametrize(("word", "label"), [("amber-17", True), ("us-east-1", True), ("door", False), ("17", False)])
def test_letters_with_a_number_are_a_name_in_any_case(word: str, label: bool) -> None:
    assert (word in read(f"the {word}").names) == label


def test_only_the_beginning_of_a_long_text_is_read() -> None:
    text = "a" * LONGEST + " door"
    assert [word.text for word in read(text).words] == ["a" * LONGEST]


def test_a_reading_is_kept() -> None:
    assert read("the door that is read twice") is read("the door that is read twice")
    assert read.cache_info().maxsize == wording.READINGS_KEPT
