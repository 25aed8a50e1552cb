"""From any text to words that are safe to search for. No query, however strange, may raise an error in the index."""

import re
import unicodedata

from msgspec import Struct

from reveried.domain.recalling.stems import stem

MAX_WORDS = 32
MAX_TERMS = 48
MAX_WORD_LENGTH = 64

_URL = re.compile(r"\b(?:https?|ftp|file)://\S{1,2000}|\bwww\.\S{1,2000}", re.IGNORECASE)
# Han, kana, Hangul, Thai, Lao, Khmer, Myanmar: scripts whose words carry no spaces, or endings that hide the word.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003134f"
)
_UNSPACED_RUN = re.compile(f"[{_UNSPACED}]+")
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]")
LONE_SHARE = 0.4
# Marks a spaced word in the index of pairs, so that no number written in it is taken for a pair of characters.
_EMBEDDED = "w"

STOP_WORDS = frozenset(
    """a about above after again against all am an and any are aren't as at be because been before being below between
    both but by can cannot could couldn't did didn't do does doesn't doing don't down during each few for from further
    had hadn't has hasn't have haven't having he her here hers herself him himself his how i if in into is isn't it its
    itself just me more most my myself no nor not now of off on once only or other our ours ourselves out over own same
    she should shouldn't so some such than that the their theirs them themselves then there these they this those
    through to too under until up very was wasn't we were weren't what when where which while who whom why will with
    won't would wouldn't you your yours yourself yourselves s t d ll m re ve""".split()
)


def query_words(text: str) -> list[str]:
    """The words worth searching: URLs, punctuation, one-character words and stop words out, CJK kept.

    Stop words stay when nothing else is left, so that a question made only of them is still asked.
    """
    words = [word for word in split(_URL.sub(" ", text)) if len(word) > 1 or _UNSPACED_RUN.match(word)]
    telling = [word for word in words if word not in STOP_WORDS]
    return list(dict.fromkeys(telling or words))[:MAX_WORDS]


def split(text: str) -> list[str]:
    folded = unicodedata.normalize("NFC", text).lower()
    spaced = "".join(char if _is_word_char(char) else " " for char in _UNSPACED_RUN.sub(r" \g<0> ", folded))
    return [word[:MAX_WORD_LENGTH] for word in spaced.split()]


def _is_word_char(char: str) -> bool:
    # Letters, marks and numbers: what the index itself takes for part of a word.
    return unicodedata.category(char)[0] in "LMN"


class Sought(Struct, frozen=True):
    """One term of a query: how its occurrences are counted, what finds it in each index ("" where nothing can), and
    how much of its rarity counts."""

    term: str
    spaced: str = ""
    paired: str = ""
    share: float = 1.0


def sought_terms(words: list[str]) -> list[Sought]:
    """Every term once, what tells most first. All of them are quoted, so that none is read as syntax."""
    found: dict[str, Sought] = {}
    for word in words:
        for one in _of_run(word) if _UNSPACED_RUN.match(word) else [_of_word(word)]:
            if one.term:  # of marks alone nothing is left
                found.setdefault(one.term, one)
    return sorted(found.values(), key=lambda one: -one.share)[:MAX_TERMS]


def _of_word(word: str) -> Sought:
    # Inside an unspaced run the first index takes the whole run for one word; the second knows the word by itself.
    return Sought(stem(folded(word)), f'"{word}"', f'"{_EMBEDDED}{folded(word)}"')


def _of_run(run: str) -> list[Sought]:
    pairs = [Sought(pair, "", f'"{_code(pair)}"') for pair in pairs_of(run)]
    # A Han character has a meaning of its own, and the same thing is often said with only one of two in common.
    share = LONE_SHARE if pairs else 1.0
    return pairs + [Sought(char, "", f'"{_code(char)}"', share) for char in run if _HAN.match(char) or not pairs]


def pairs_of(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)]


def unspaced_pairs(text: str) -> str:
    """Every pair of neighbouring characters of unspaced scripts, every character alone, and words set among them."""
    normal = unicodedata.normalize("NFC", text).lower()
    codes: list[str] = []
    for run in _UNSPACED_RUN.findall(normal):
        codes += [_code(part) for part in (*pairs_of(run), *run)]
    if codes:
        codes += [f"{_EMBEDDED}{word}" for word in split(folded(_UNSPACED_RUN.sub(" ", normal)))]
    return " ".join(codes)


def unspaced_runs(text: str) -> list[str]:
    return [] if text.isascii() else _UNSPACED_RUN.findall(unicodedata.normalize("NFC", text).lower())


def without_unspaced(text: str) -> str:
    return text if text.isascii() else _UNSPACED_RUN.sub(" ", text)


def folded(text: str) -> str:
    """Lower case and without accents, as the index folds them."""
    lower = text.lower()
    if lower.isascii():
        return lower
    bare = "".join(char for char in unicodedata.normalize("NFD", lower) if not unicodedata.combining(char))
    # Vowel signs of Bengali, Tamil and others come apart as well, and belong together.
    return unicodedata.normalize("NFC", bare)


def _code(chars: str) -> str:
    # Code points in plain hex: whatever the tokenizer thinks of a script's vowel signs, a pair stays one term.
    return "".join(f"{ord(char):06x}" for char in chars)


def is_latin(text: str) -> bool:
    """Whether most letters are of the Latin script: what a model made for English can read."""
    letters = [char for char in text if char.isalpha()]
    latin = sum(char.isascii() or unicodedata.name(char, "").startswith("LATIN") for char in letters)
    return latin * 2 >= len(letters)
