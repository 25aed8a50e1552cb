"""English word stems, by Porter's rules of 1980: the same that the keyword index uses, so that both agree on a word."""

from functools import lru_cache
from itertools import pairwise

_VOWELS = "aeiou"
_STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("logi", "log"),
    ("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"),
    ("ation", "ate"), ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"),
    ("aliti", "al"), ("iviti", "ive"), ("biliti", "ble"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti",
    "ous", "ive", "ize",
)  # fmt: skip
SHORTEST, LONGEST = 3, 65
# What the endings of all steps end with: a number, or a word that ends otherwise, is its own stem.
_LAST = frozenset("cdegilmnrstuy")


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The stem of a lower-case word; what is not plain ASCII letters stays as it is."""
    if not (SHORTEST <= len(word) < LONGEST and word[-1] in _LAST and word.isascii()):
        return word
    for step in (_plurals, _past, _final_y, _step_2, _step_3, _step_4, _final_e, _double_l):
        word = step(word)
    return word


def _is_consonant(word: str, at: int) -> bool:
    if word[at] in _VOWELS:
        return False
    return word[at] != "y" or at == 0 or not _is_consonant(word, at - 1)


def _measure(word: str) -> int:
    """How often a vowel is followed by a consonant."""
    kinds = [_is_consonant(word, at) for at in range(len(word))]
    return sum(not before and after for before, after in pairwise(kinds))


def _has_vowel(word: str) -> bool:
    return any(not _is_consonant(word, at) for at in range(len(word)))


def _ends_double(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and word[-1] not in _VOWELS


def _ends_short(word: str) -> bool:
    """Consonant, vowel, consonant, the last none of w, x, y: hop, but not snow."""
    last = len(word) - 1
    if last < 2 or word[-1] in "wxy":
        return False
    return _is_consonant(word, last) and not _is_consonant(word, last - 1) and _is_consonant(word, last - 2)


def _plurals(word: str) -> str:
    if (word.endswith("sses") and len(word) > 4) or (word.endswith("ies") and len(word) > 3):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("eed") and len(word) > len("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            rest = word[: -len(ending)]
            return _mended(rest) if _has_vowel(rest) else word
    return word


def _mended(rest: str) -> str:
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if _ends_double(rest) and rest[-1] not in "lsz":
        return rest[:-1]
    return rest + "e" if _measure(rest) == 1 and _ends_short(rest) else rest


def _final_y(word: str) -> str:
    return word[:-1] + "i" if word.endswith("y") and _has_vowel(word[:-1]) else word


def _step_2(word: str) -> str:
    return _replaced(word, _STEP_2)


def _step_3(word: str) -> str:
    return _replaced(word, _STEP_3)


def _replaced(word: str, endings: tuple[tuple[str, str], ...]) -> str:
    for ending, instead in endings:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            return rest + instead if _measure(rest) > 0 else word
    return word


def _step_4(word: str) -> str:
    for ending in _STEP_4:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            fits = _measure(rest) > 1 and (ending != "ion" or rest[-1] in "st")
            return rest if fits else word
    return word


def _final_e(word: str) -> str:
    if not word.endswith("e"):
        return word
    measure = _measure(word[:-1])
    return word[:-1] if measure > 1 or (measure == 1 and not _ends_short(word[:-1])) else word


def _double_l(word: str) -> str:
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word
