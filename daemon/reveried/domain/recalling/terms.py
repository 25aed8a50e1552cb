"""A text as the terms it is found by: stems of spaced words, pairs of characters where words carry no spaces.

The keyword index makes the same terms by its own tokenizer; here they are counted, so that a handful of candidates
can be weighed against each other by any rule without asking the index again.
"""

import re
from collections import Counter

from msgspec import Struct

from reveried.domain.memory import Memory
from reveried.domain.recalling.days import day_of
from reveried.domain.recalling.stems import stem
from reveried.domain.recalling.words import folded, pairs_of, unspaced_runs, without_unspaced

_WORD = re.compile(r"[^\W_]+")


class Terms(Struct, frozen=True):
    """How often each term occurs, and how many there are in all."""

    counts: Counter[str]
    length: int

    def __add__(self, other: "Terms") -> "Terms":
        return Terms(self.counts + other.counts, self.length + other.length)


def terms_of(memory: Memory) -> Terms:
    """What a memory is found by: its words, who said it, its tags, and its day."""
    parts = (memory.content, memory.speaker or "", *memory.tags_manual, day_of(memory.created_at))
    found = terms(" ".join(parts))
    return Terms(Counter(found), len(found))


def terms(text: str) -> list[str]:
    found = [stem(word) for word in _WORD.findall(folded(without_unspaced(text)))]
    for run in unspaced_runs(text):
        found += [*run, *pairs_of(run)]
    return found
