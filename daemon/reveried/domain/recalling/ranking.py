"""Signals of a memory in the light of a query, and the named formulas that make one number of them."""

from math import exp

from reveried.domain.memory import Memory
from reveried.domain.policies import RecallPolicy

MICROSECONDS_A_DAY = 86_400_000_000
PROFILES = ("hebbian",)
# exp(0.2 * score) overflows a float near a score of 3,500; nothing above this changes an order any more.
MAX_EXPONENT = 500.0


def signals(memory: Memory, keyword: float, now: int, policy: RecallPolicy) -> dict[str, float]:
    since = memory.reinforced_at or memory.created_at
    days = max(0, now - since) / MICROSECONDS_A_DAY
    return {
        "keyword": keyword,
        "score": exp(max(-MAX_EXPONENT, min(MAX_EXPONENT, policy.hebbian_score_weight * memory.score))),
        "recency": 1.0 / (1.0 + policy.hebbian_recency_rate * days),
    }


def hebbian(signals: dict[str, float]) -> float:
    return signals["keyword"] * signals["score"] * signals["recency"]
