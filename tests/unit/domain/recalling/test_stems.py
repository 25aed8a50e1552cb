"""Our stems are the index's stems: a word is looked up under the very term that it was filed under."""

import sqlite3
import textwrap
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reveried.domain.recalling.stems import LONGEST, SHORTEST, stem

# Roots crossed with every ending that a rule of the algorithm looks at, and with pairs of them.
ROOTS = (
    "a", "be", "by", "sky", "say", "try", "tree", "trouble", "oat", "rate", "hop", "hope", "fall", "hiss", "fizz",
    "fail", "file", "tan", "plaster", "control", "roll", "probate", "cease", "feed", "agree", "sing", "bl", "motor",
    "conflate", "siz", "relat", "condition", "val", "hesit", "digit", "conform", "radic", "differ", "vile", "analog",
    "vietnam", "predic", "oper", "feudal", "decis", "call", "formal", "sensit", "sensib", "triplic", "form",
    "electr", "good", "reviv", "allow", "infer", "airlin", "gyroscop", "adjust", "defens", "irrit", "replac", "adopt",
    "homolog", "commun", "activ", "angular", "effect", "bowdler", "yes", "yy", "boy", "toy", "snow", "box", "x", "ion",
    "us", "gas", "this", "news", "lie", "tie", "die", "dying", "skies", "e", "eed", "ing", "ed", "ment", "apply",
)  # fmt: skip
ENDINGS = (
    "", "s", "es", "ies", "sses", "ss", "eed", "ed", "ing", "ated", "bled", "ized", "y", "ational", "tional", "enci",
    "anci", "izer", "logi", "bli", "abli", "alli", "entli", "eli", "ousli", "ization", "ation", "ator", "alism",
    "iveness", "fulness", "ousness", "aliti", "iviti", "biliti", "icate", "ative", "alize", "iciti", "ical", "ful",
    "ness", "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "sion", "tion", "ion",
    "ou", "ism", "ate", "iti", "ous", "ive", "ize", "e", "ll", "le", "ly", "ally", "ely", "ing", "ings", "edly",
)  # fmt: skip
MADE = {root + ending for root in ROOTS for ending in ENDINGS} | {
    root + one + two for root in ROOTS[::3] for one in ENDINGS for two in ENDINGS
}


def indexed(words: Iterable[str]) -> dict[str, str]:
    """What the index files each word under."""
    db = sqlite3.connect(":memory:")
    try:
        db.execute("CREATE VIRTUAL TABLE t USING fts5(word, tokenize='porter unicode61 remove_diacritics 2')")
        db.execute("CREATE VIRTUAL TABLE terms USING fts5vocab(t, 'instance')")
        numbered = dict(enumerate(words, 1))
        db.executemany("INSERT INTO t(rowid, word) VALUES (?, ?)", numbered.items())
        return {numbered[row]: term for row, term in db.execute("SELECT doc, term FROM terms")}
    finally:
        db.close()


def prose() -> set[str]:
    """The words of the standard library's own documentation: real English, and always at hand."""
    library = Path(textwrap.__file__).parent
    text = " ".join(path.read_text(encoding="utf-8") for path in sorted(library.glob("*.py")))
    return set("".join(c if c.isascii() and c.isalpha() else " " for c in text.lower()).split())


@pytest.mark.parametrize("words", [MADE, prose()], ids=["made", "prose"])
def test_stems_agree_with_the_index(words: set[str]) -> None:
    assert len(words) > 10_000
    assert {word: (term, stem(word)) for word, term in indexed(words).items() if stem(word) != term} == {}


@settings(max_examples=200)
@given(st.lists(st.text("abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=70), min_size=1, max_size=50))
def test_stems_of_any_letters_and_digits_agree_with_the_index(words: list[str]) -> None:
    filed = indexed(words)
    assert {word: stem(word) for word in words} == filed


@pytest.mark.parametrize("word", ["go", "東京", "naïve", "x" * LONGEST, "ß"])
def test_what_is_short_long_or_foreign_stays_as_it_is(word: str) -> None:
    assert stem(word) == word
    assert len(word) < SHORTEST or len(word) >= LONGEST or not word.isascii()


def test_a_word_and_its_forms_share_a_stem() -> None:
    assert len({stem(word) for word in ("connect", "connects", "connected", "connecting", "connection")}) == 1
    assert (stem("staging"), stem("eed"), stem("toyyed")) == ("stage", "e", "toi")
