"""A text as the terms it is found by: stems of spaced words, pairs of characters where words carry no spaces.

The keyword index makes the same terms by its own tokenizer; here they are counted, so that a handful of candidates
can be weighed against each other by any rule without asking the index again.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from reveried.domain.memory import Memory
from reveried.domain.recalling.days import MICROSECONDS_A_DAY, day_of
from reveried.domain.recalling.stems import stem
from reveried.domain.recalling.words import MAX_WORD_LENGTH, folded, pairs_of, split, unspaced_runs, without_unspaced

_WORD = re.compile(r"[^\W_]+")
# Words that place something in time, as stems, and the years of two centuries.
_TIMES = frozenset(
    stem(word)
    for word in """yesterday today tomorrow last next ago week month year monday tuesday wednesday thursday friday
    saturday sunday weekend january february march april may june july august september october november december since
    recently morning tonight night""".split()
) | {str(year) for year in range(1900, 2100)}


class Terms(Struct, frozen=True):
    """Every term as often as it occurs, and how many there are; whether the text tells of a time, or asks something.

    It is a text to look in: a question has a handful of terms, and finding these is faster than taking it apart."""

    text: str
    length: int
    tells_time: bool = False
    asks: bool = False


def terms_of(memory: Memory) -> Terms:
    """What a memory is found by: its words, who said it, its tags, and its day."""
    found = terms(memory.content)
    tells_time = not _TIMES.isdisjoint(found)
    found += terms(" ".join((memory.speaker or "", *memory.tags_manual)))
    found += _of_day(memory.created_at // MICROSECONDS_A_DAY)
    return Terms("".join([f" {term} " for term in found]), len(found), tells_time, memory.content.endswith(("?", "？")))


@lru_cache(maxsize=4096)
def _of_day(day: int) -> tuple[str, ...]:
    return tuple(terms(day_of(day * MICROSECONDS_A_DAY)))


def as_counted(term: str) -> str:
    """A term as it stands among others. Each has both its edges to itself, so that a count misses none."""
    return f" {term} "


def hits_of(counted: str, asked: Sequence[str]) -> dict[int, int]:
    """How often each of the terms asked for, by their places, is among those of a memory."""
    return {place: count for place, term in enumerate(asked) if (count := counted.count(term))}


def terms(text: str) -> list[str]:
    found = [stem(word) for word in _words(text)]
    for run in unspaced_runs(text):
        found += [*run, *pairs_of(run)]
    return found


def _words(text: str) -> list[str]:
    if text.isascii():
        return [word[:MAX_WORD_LENGTH] for word in _WORD.findall(text.lower())]
    # Marks belong to their words, as they do in a query: a vowel sign of Devanagari does not end one.
    return split(folded(without_unspaced(text)))
