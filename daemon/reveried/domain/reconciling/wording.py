"""What a text says, as far as rules can tell: whose it is, which words, numbers, names and days, and whether it denies.

Similarity is not identity: two texts can be as near as 0.97 and differ in the one number that matters.
"""

import re
from functools import lru_cache

from msgspec import Struct

from reveried.domain.recalling.words import folded
from reveried.domain.reconciling import lexicon as known

_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*[^\W_]*|[^\W\d_]+(?:[-'’][^\W_]+)*|[^\W_]+")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;\n])[\s\"'(\[*_-]*\Z")
_NUMBER = re.compile(r"\d")
# A reading costs about as much as a hash of the text; candidates are met again and again.
READINGS_KEPT = 2_048
LONGEST = 20_000
SUBJECT_REACH = 12


class Word(Struct, frozen=True):
    """A word as written (lower case, no possessive), its canonical form, and what its capital letter may mean."""

    text: str
    canon: str
    capital: bool
    first: bool
    owns: bool = False

    @property
    def tells(self) -> bool:
        return self.text not in known.FUNCTION_WORDS and self.text not in known.NEGATORS


class Wording(Struct, frozen=True):
    words: tuple[Word, ...]
    content: frozenset[str]
    numbers: frozenset[str]
    days: frozenset[str]
    names: frozenset[str]
    leads: frozenset[str]
    denials: int
    persons: frozenset[str]
    subject: frozenset[str]
    states: bool
    text: str

    @property
    def denies(self) -> bool:
        return self.denials % 2 == 1

    @property
    def plain(self) -> frozenset[str]:
        return frozenset(word.text for word in self.words)


@lru_cache(maxsize=READINGS_KEPT)
def read(text: str) -> Wording:
    text = text[:LONGEST]
    words = tuple(_words(text))
    telling = [word for word in words if word.tells and word.text not in known.PERSONS]
    days, dated = _dates(words)
    subject, states = _subject(words)
    named = [word for word in telling if word.capital and not _day(word) and word.text not in known.NUMBERS]
    return Wording(
        words=words,
        content=frozenset(word.canon for word in telling),
        numbers=frozenset(
            number for at, word in enumerate(words) if at not in dated and (number := _number(word.text))
        ),
        days=days,
        names=frozenset(word.text for word in named if not word.first)
        | frozenset(word.text for word in words if _is_label(word.text)),
        leads=frozenset(word.text for word in named if word.first),
        denials=_denials(words),
        persons=frozenset(known.PERSONS[word.text] for word in words if word.text in known.PERSONS),
        subject=subject,
        states=states,
        text=" ".join(word.text for word in words),
    )


def _words(text: str) -> list[Word]:
    found = []
    for match in _TOKEN.finditer(text):
        first = _SENTENCE_START.search(text, max(0, match.start() - 8), match.start()) is not None
        owns = match[0].endswith(("'s", "’s"))
        for part in _parts(match[0]):
            lower = folded(part)
            found.append(Word(lower, known.canonical(lower), part[:1].isupper() and lower != "i", first, owns))
    return found


def _parts(token: str) -> list[str]:
    """The word, or two of them: "I'm" is "I am", "doesn't" is "does not", and "Emil's" is Emil."""
    token = token.replace("’", "'")
    stem, mark, ending = token.partition("'")
    if not mark:
        return [token]
    if ending.lower() == "t" and stem.lower().endswith("n"):
        return [stem[:-1] or stem, "not"] if stem.lower() != "can" else ["can", "not"]
    return [stem]


def _number(word: str) -> str | None:
    if word[:1].isdigit():
        return word.replace(",", "")
    return known.NUMBERS.get(word)


def _day(word: Word) -> str | None:
    base = word.text.removesuffix("s") if word.text.endswith("days") else word.text
    if base in known.WEEKDAYS or base in known.DAYS:
        return base
    # "may" and "march" are also verbs.
    return base if base in known.MONTHS and word.capital else None


def _dates(words: tuple[Word, ...]) -> tuple[frozenset[str], frozenset[int]]:
    """Every day that is named, and the places of numbers that only say which day of a month."""
    days, places = set[str](), set[int]()
    for at, word in enumerate(words):
        day = _day(word)
        if day is None:
            continue
        beside = next((one for one in (at - 1, at + 1) if day in known.MONTHS and _is_day_of_month(words, one)), None)
        days.add(day if beside is None else f"{words[beside].text} {day}")
        places |= set() if beside is None else {beside}
    return frozenset(days), frozenset(places)


def _is_day_of_month(words: tuple[Word, ...], at: int) -> bool:
    return 0 <= at < len(words) and words[at].text.rstrip("stndrh").isdecimal() and len(words[at].text) <= 4


def _is_label(word: str) -> bool:
    """amber-17, us-east-1: a name whatever its case."""
    return word[:1].isalpha() and _NUMBER.search(word) is not None


def _denials(words: tuple[Word, ...]) -> int:
    texts = [word.text for word in words]
    return sum(text in known.NEGATORS or text in known.ENDINGS for text in texts)


def _subject(words: tuple[Word, ...]) -> tuple[frozenset[str], bool]:
    """Whom or what the text is about, and whether it states something of it: what stands before the first verb.

    Where no verb is known the first two will do: further on the text no longer says of whom, but what.
    """
    subject: list[str] = []
    for word in words[:SUBJECT_REACH]:
        if subject and known.is_verb(word.text):
            return frozenset(subject), True
        if word.text in known.PERSONS:
            subject.append(known.PERSONS[word.text])
        elif word.tells and word.text not in _NO_SUBJECT and _day(word) is None:
            subject.append(f"{word.canon}'s" if word.owns else word.canon)
    return frozenset(subject[:2]), False


_NO_SUBJECT = known.TEMPORAL | known.FACET_WORDS | known.TIME_WORDS
