import time

from hypothesis import given
from hypothesis import strategies as st

from data.corpora import rows
from reveried.domain.understanding.entities import _SENTENCE_START, MOST, TYPES, _is_inside, entities_in, key_of

LABELLED = rows("entities")
ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=300)


def test_the_labelled_notes_are_read_well() -> None:
    named = typed = expected = found = 0
    wrong = []
    for row in LABELLED:
        wanted = row["entities"]
        got = {entity.name: entity.type for entity in entities_in(row["text"])}
        named += len(wanted.keys() & got.keys())
        typed += len(wanted.items() & got.items())
        expected, found = expected + len(wanted), found + len(got)
        if wanted != got:
            wrong.append((row["text"], got))
    assert named / expected >= 0.9, wrong
    assert named / found >= 0.9, wrong
    assert typed / named >= 0.85, wrong


def test_a_short_name_is_an_alias_of_the_long_one() -> None:
    (ada,) = entities_in("Ada Moreau called. Later Ada called again, and Moreau a third time.")
    assert (ada.name, ada.type, ada.mentions, set(ada.aliases)) == ("Ada Moreau", "person", 3, {"Ada", "Moreau"})


def test_a_letter_alone_is_nobody() -> None:
    assert entities_in("We asked Q about it, and then Q again.") == ()


def test_what_the_caller_names_is_kept_as_it_was_written() -> None:
    found = {entity.name: entity for entity in entities_in("the ferry MS Aurora left", ["MS Aurora", "the captain"])}
    assert {"MS Aurora", "the captain"} <= found.keys()
    assert found["MS Aurora"].mentions == 1


def test_who_is_named_first_and_often_is_salient() -> None:
    filler = "and so it went on for a long while without anybody being named at all, "
    first, second = entities_in(f"Ada came, {filler}then with Bob. Ada left.")
    assert (first.name, second.name) == ("Ada", "Bob")
    assert first.salience > second.salience


def test_code_names_nobody() -> None:
    assert entities_in("```py\nclass Harbour(Base): pass\n```") == ()


@given(ANY_TEXT)
def test_any_text_at_all_is_read(text: str) -> None:
    found = entities_in(text)
    assert len(found) <= MOST
    assert all(entity.type in TYPES and 0 < entity.salience <= 1 for entity in found)
    assert len({key_of(entity.name) for entity in found}) == len(found)


@given(st.text('aB1é .!?:\n"“(*_#>-', max_size=20))
def test_what_follows_a_word_and_a_space_never_begins_a_sentence(text: str) -> None:
    for at in range(len(text) + 1):
        if _is_inside(text, at):
            assert _SENTENCE_START.search(text, max(0, at - 12), at) is None


def test_a_text_full_of_names_costs_what_its_length_costs() -> None:
    names = [f"A{''.join(chr(97 + int(digit)) for digit in str(number))}" for number in range(12_000)]
    started = time.process_time()
    assert len(entities_in(", ".join(names))) == MOST
    assert time.process_time() - started < 3.0


def test_of_two_people_with_one_first_name_the_longer_name_takes_it() -> None:
    found = entities_in("We met Ada Lovelace and Ada Byron; later Ada wrote.")
    assert {entity.name: entity.aliases for entity in found} == {"Ada Lovelace": ("Ada",), "Ada Byron": ()}
