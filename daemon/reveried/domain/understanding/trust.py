"""Text that tries to instruct its reader is marked `low`; a note that tells people what to do is not."""

import re
import unicodedata
from typing import Literal

from reveried.domain.understanding.trust_signs import MARK_SIGNS, OTHER_SCRIPTS, WORD_SIGNS, Sign
from reveried.domain.understanding.words import Reading, read

Trust = Literal["normal", "low"]

_FIRST_WORDS = frozenset[str]().union(*(sign.words[0] for sign in WORD_SIGNS))
# Overrides of text direction, tags and runs of variation selectors have no place in a note; a zero-width sign
# between two Latin letters hides a word from a reader's eye (between other letters it can be right spelling).
_SMUGGLED = re.compile(
    "[\u202a-\u202e\u2066-\u2069]|(?<![\U0001f3f4\U000e0000-\U000e007f])[\U000e0000-\U000e007f]"
    "|[\U000e0100-\U000e01ef]{2}|[A-Za-z][\u200b-\u200d\u2060\ufeff]{1,8}[A-Za-z]"
)


def trust_of(text: str) -> Trust:
    return "low" if instruction_in(read(text)) else "normal"


def instruction_in(reading: Reading) -> str | None:
    """The name of the first sign that this text speaks to the model that will read it."""
    if reading.text.isascii():
        return _sign_in(reading)
    if _SMUGGLED.search(reading.text):
        return "smuggled"
    # Letters in fancy dress (full-width, mathematical, ligatures) read the same to a model.
    reading = read(unicodedata.normalize("NFKC", reading.text).replace("’", "'"))
    return OTHER_SCRIPTS.name if OTHER_SCRIPTS.pattern.search(reading.lower) else _sign_in(reading)


def _sign_in(reading: Reading) -> str | None:
    if not _FIRST_WORDS.isdisjoint(reading.vocabulary):
        for sign in WORD_SIGNS:
            if _has_words(sign.words, reading.vocabulary) and _matches(sign, reading.lower):
                return sign.name
    if "<" in reading.text or "[" in reading.text:
        for sign in MARK_SIGNS:
            if sign.pattern.search(reading.lower):
                return sign.name
    return None


def _matches(sign: Sign, lower: str) -> bool:
    """As written, so that a line's beginning counts, and on one line, so that no odd spacing hides a phrase."""
    return bool(sign.pattern.search(lower) or sign.pattern.search(" ".join(lower.split())))


def _has_words(choices: tuple[frozenset[str], ...], vocabulary: frozenset[str]) -> bool:
    for choice in choices:  # noqa: SIM110 (a generator would double the cost of the commonest case)
        if choice.isdisjoint(vocabulary):
            return False
    return True
