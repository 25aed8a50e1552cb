"""How much speaks for there being an answer at all. Below a floor silence is better than whatever came nearest.

Neither words nor meaning can tell it alone: a question about something foreign shares some common word with some
memory, and comes near to another in meaning. What counts is one memory that does both, and whether what is asked
about occurs in the memory anywhere.
"""

from collections.abc import Mapping

from reveried.domain.recalling.relevance import Query, Relevance

COVERED, KNOWN = 0.3, 0.25
# Words alone are weaker witnesses: without vectors more of the query must be found.
COVERED_ALONE, KNOWN_ALONE = 0.7, 0.3


def evidence(query: Query, found: Mapping[int, Relevance]) -> float:
    """0 to 1: the best that one memory has to show in meaning and words, and the share of the query known at all."""
    if not found:
        return 0.0
    if query.deviation <= 0:
        return COVERED_ALONE * max(one.coverage for one in found.values()) + KNOWN_ALONE * query.known
    best = max(one.nearest + COVERED * one.coverage for one in found.values())
    return min(1.0, (best + KNOWN * query.known) / (1.0 + COVERED + KNOWN))
