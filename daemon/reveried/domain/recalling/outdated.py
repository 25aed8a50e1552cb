"""Two memories that say different things of the same: the newer one first.

Facts are restated with new values, and the old statement matches a question as well as the new one. Where two
answers are about the same subject and nearly as good, the one that was said later comes first.
"""

from collections.abc import Sequence

from reveried.domain.recalling.ranking import Ranked
from reveried.domain.recalling.relevance import Query
from reveried.domain.recalling.terms import terms
from reveried.domain.recalling.words import STOP_WORDS

# Only the first few can matter, and the comparison is one of pairs.
LOOKED_AT = 12
SAME_SUBJECT = 0.3
# An older statement keeps its place if it answers this much better.
NEARLY = 0.8


def without_outdated(ranked: Sequence[Ranked], query: Query) -> list[Ranked]:
    """The same memories; a newer statement of a subject stands before an older one of it."""
    head = list(ranked[:LOOKED_AT])
    words = [_subject(one) for one in head]
    order = list(range(len(head)))
    for at in range(1, len(order)):
        place = at
        while place and _restates(
            head[order[place]], head[order[place - 1]], words[order[place]], words[order[place - 1]]
        ):
            order[place], order[place - 1] = order[place - 1], order[place]
            place -= 1
    return [head[at] for at in order] + list(ranked[LOOKED_AT:])


def _restates(new: Ranked, old: Ranked, new_words: frozenset[str], old_words: frozenset[str]) -> bool:
    later = (new.memory.valid_from or new.memory.created_at) > (old.memory.valid_from or old.memory.created_at)
    if not later or (new.memory.session_id is not None and new.memory.session_id == old.memory.session_id):
        return False
    smaller = min(len(new_words), len(old_words))
    alike = smaller > 0 and len(new_words & old_words) / smaller >= SAME_SUBJECT
    return alike and new.score >= NEARLY * old.score


def _subject(one: Ranked) -> frozenset[str]:
    return frozenset(terms(one.memory.content)) - _STOPPED


_STOPPED = frozenset(term for word in STOP_WORDS for term in terms(word))
