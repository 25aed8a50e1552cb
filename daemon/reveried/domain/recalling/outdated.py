"""Two memories that say different things of the same: the newer one first.

Facts are restated with new values, and the old statement often matches a question better than the new one. Where two
of the best answers are about the same thing, and the later one tells of a change or answers as much of the question,
the later one comes first; unless the question asks how it used to be.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from reveried.domain.recalling.ranking import Ranked
from reveried.domain.recalling.terms import terms
from reveried.domain.recalling.words import STOP_WORDS

Likeness = Mapping[tuple[int, int], float]
# Only the first few can matter, and the comparison is one of pairs.
LOOKED_AT = 5
# What two statements must have in common (cosine, and half of the shared words), if the later tells of a change or not.
SAME_WITH_CHANGE, SAME_WITHOUT = 0.48, 0.7
# How relevant the later one must be, beside the older one. Turns of a conversation are less of a statement each.
NEARLY, NEARLY_IN_SESSION = 0.55, 0.95
COVERED_LESS = 0.1
WITHOUT_VECTORS = 0.3

_PAST = re.compile(
    r"\b(?:before|previous(?:ly)?|used? to|former(?:ly)?|original(?:ly)?|at first|initial(?:ly)?|earlier|first"
    r"|back then|in (?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(?:actually|again|agreed|already|announced|anymore|as of|bec[ao]mes?|broke up|brought forward|bumped|by now"
    r"|chang(?:ed|es)|closed|correction|currently|cut|dropped|end of life|extended|fell|finally|from (?:here on|next"
    r"|now on|then)|gave up|gone|grew|handed|ha(?:s|ve) been|in the end|in (?:her|his|their) place|instead|joined"
    r"|latest|left|lowered|meanwhile|merged|migrated|mov(?:ed|es|ing)|new|no longer|now|off the list|passed to"
    r"|postponed|promoted|pushed|put (?:back|off)|quit|raised|relaxed|renamed|replace[ds]|rescheduled|retired"
    r"|rolled back|rose|scaled|settled|shift(?:ed|s)?|shortened|shut|since|slip(?:ped|s)|sold|start(?:ed|ing)"
    r"|stepped down|stopped|switch(?:ed|es|ing)|ta(?:kes|ken) over|took over|these days|this (?:month|term|week|year)"
    r"|today|turn(?:ed|s)|updated|upgraded|went (?:down|up|from))\b",
    re.IGNORECASE,
)


def may_be_outdated(ranked: Sequence[Ranked], question: str) -> bool:
    """Whether it is worth comparing how alike the best are: the cheap half of the rule."""
    if _PAST.search(question):
        return False
    return any(_may_restate(later, older) for later, older in _against_time(ranked))


def newest_first(ranked: Sequence[Ranked], likeness: Likeness) -> list[Ranked]:
    """The same memories; a later statement stands before an older one of the same. `likeness` holds the cosine of two
    ids, the smaller first; of those without vectors it holds nothing."""
    order = list(ranked[:LOOKED_AT])
    for at in range(1, len(order)):
        place = at
        while place and _restates(order[place], order[place - 1], likeness):
            order[place], order[place - 1] = order[place - 1], order[place]
            place -= 1
    return order + list(ranked[LOOKED_AT:])


def _against_time(ranked: Sequence[Ranked]) -> Iterator[tuple[Ranked, Ranked]]:
    return ((worse, better) for better, worse in combinations(ranked[:LOOKED_AT], 2))


def _restates(later: Ranked, older: Ranked, likeness: Likeness) -> bool:
    if not _may_restate(later, older):
        return False
    ids = sorted((later.memory.id, older.memory.id))
    alike = likeness.get((ids[0], ids[1]), WITHOUT_VECTORS) + _shared(later, older) / 2
    # Looking for a change takes as long as all of the rest: only where it decides.
    return alike >= SAME_WITHOUT or (alike >= SAME_WITH_CHANGE and _CHANGE.search(later.memory.content) is not None)


def _may_restate(later: Ranked, older: Ranked) -> bool:
    new, old = later.memory, older.memory
    if (new.valid_from or new.created_at) <= (old.valid_from or old.created_at):
        return False
    if new.session_id is not None and new.session_id == old.session_id:
        return False
    nearly = NEARLY if new.session_id is None else NEARLY_IN_SESSION
    if later.signals["relevance"] < nearly * older.signals["relevance"]:
        return False
    covers = later.signals["coverage"] >= older.signals["coverage"] - COVERED_LESS
    return covers or _CHANGE.search(new.content) is not None


def _shared(one: Ranked, other: Ranked) -> float:
    """How much of the shorter one's words the other has too."""
    some, more = _subject(one), _subject(other)
    return len(some & more) / max(1, min(len(some), len(more)))


def _subject(one: Ranked) -> frozenset[str]:
    return frozenset(terms(one.memory.content)) - _STOPPED


_STOPPED = frozenset(term for word in STOP_WORDS for term in terms(word))
