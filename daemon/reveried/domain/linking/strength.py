"""What fires together wires together: how firm having been recalled together is, reckoned whenever it is read.

The log says who was returned together, so nothing is recorded for it: the projection counts, and this is arithmetic on
the counts and the time, as fading is. The three constants below are part of what the projection means, and no settings.
"""

from itertools import combinations
from math import log, pow

from reveried.domain.forgetting.units import DAY, days_since
from reveried.domain.linking.policy import LinksPolicy

# Of one answer the first few were found for the same reason; ten of them would already make 45 pairs.
AMONG = 4
# A memory has about so many companions at most; whom it was not recalled with for longest has to go.
COMPANIONS = 32
# Both must prove useful within this time after the recall that returned them.
AFFIRMED_WITHIN = DAY


def pairs(ids: tuple[int, ...]) -> list[tuple[int, int]]:
    """Who of an answer gains by it."""
    return list(combinations(sorted(set(ids[:AMONG])), 2))


def strength_at(together: int, affirmed: int, last: int, now: int, policy: LinksPolicy) -> float:
    """In 0..1: each time closes a part of what is missing, and all of it halves with every half-life."""
    gained = 1.0 - pow(1.0 - policy.together, together + policy.affirmed * affirmed)
    return gained * pow(0.5, days_since(last, now) / policy.half_life_days)


def may_fade_before(now: int, policy: LinksPolicy) -> int:
    """Whoever was recalled together since then is firmer than `faded`: even one recall lasts that long."""
    if policy.together <= policy.faded:
        return now
    lasts = log(policy.together / policy.faded, 2) * policy.half_life_days if policy.faded > 0 else 1e6
    return now - round(lasts * DAY)
