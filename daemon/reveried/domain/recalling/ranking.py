"""Signals of a memory in the light of a query, and the named formulas that make one number of them.

Every signal lies between 0 and 1. A profile is a weighted sum of them, a product, or `adaptive`: relevance, lifted a
little by the rest, so that what answers the question always comes before what is merely new or dear.
"""

import re
from collections.abc import Mapping
from math import exp, isfinite, log
from typing import Protocol

from msgspec import Struct

from reveried.domain.forgetting.retention import Fading, RetentionPolicy, retention_at
from reveried.domain.memory import Memory
from reveried.domain.policies import RecallPolicy
from reveried.domain.recalling.relevance import Relevance
from reveried.errors import InvalidField

MICROSECONDS_A_DAY = 86_400_000_000
# exp(0.2 * score) overflows a float near a score of 3,500; nothing above this changes an order any more.
MAX_EXPONENT = 500.0
SIGNALS = ("relevance", "semantic", "keyword", "recency", "retention", "importance", "confidence", "score", "links")

WEIGHTED: dict[str, dict[str, float]] = {
    "balanced": {"semantic": 0.35, "recency": 0.20, "retention": 0.20, "importance": 0.20, "confidence": 0.05},
    "recent": {"semantic": 0.30, "recency": 0.50, "retention": 0.10, "importance": 0.07, "confidence": 0.03},
    "important": {"semantic": 0.40, "recency": 0.10, "retention": 0.10, "importance": 0.35, "confidence": 0.05},
    "historical": {"semantic": 0.50, "recency": 0.05, "retention": 0.25, "importance": 0.15, "confidence": 0.05},
    "comprehensive": {"semantic": 0.45, "recency": 0.15, "retention": 0.15, "importance": 0.20, "confidence": 0.05},
}
PRODUCTS: dict[str, tuple[str, ...]] = {
    "effective": ("semantic", "retention", "importance"),
    "hebbian": ("keyword", "reinforcement", "freshness"),
}
ADAPTIVE = "adaptive"
RELEVANCE = "relevance"
PROFILES = (ADAPTIVE, RELEVANCE, *WEIGHTED, *PRODUCTS)


class Ranked(Struct, frozen=True):
    """A memory with its place value and everything that is made of."""

    memory: Memory
    score: float
    signals: dict[str, float]
    contributions: dict[str, float]


class Weighable(Fading, Protocol):
    """What of a memory its signals are made of."""

    @property
    def confidence(self) -> float: ...
    @property
    def score(self) -> int: ...


def signals(
    memory: Weighable,
    relevance: Relevance,
    best: float,
    now: int,
    policy: RecallPolicy,
    retention: RetentionPolicy,
    semantic: bool,
) -> dict[str, float]:
    """`best` is the highest relevance in this answer. Without vectors, keyword stands in for meaning."""
    idle = max(0, now - (memory.reinforced_at or memory.created_at)) / MICROSECONDS_A_DAY
    reinforcement = _reinforcement(memory.score, policy)
    return {
        "relevance": relevance.total / best if best > 0 else 0.0,
        "semantic": relevance.semantic if semantic else relevance.keyword,
        "keyword": relevance.keyword,
        "coverage": relevance.coverage,
        "recency": _recency(memory.created_at, now),
        "retention": retention_at(memory, now, retention),
        "importance": memory.importance,
        "confidence": memory.confidence,
        "score": reinforcement / (1.0 + reinforcement),
        "links": 0.0,  # filled in by whoever looked along them
        "reinforcement": reinforcement,
        "freshness": 1.0 / (1.0 + policy.hebbian_recency_rate * idle),
    }


def _recency(created_at: int, now: int) -> float:
    return 1.0 / (1.0 + log(1.0 + max(0, now - created_at) / MICROSECONDS_A_DAY))


def _reinforcement(score: int, policy: RecallPolicy) -> float:
    return exp(max(-MAX_EXPONENT, min(MAX_EXPONENT, policy.hebbian_score_weight * score)))


def contributions(profile: str, found: Mapping[str, float], policy: RecallPolicy) -> dict[str, float]:
    """What each signal gives to the profile's sum; for a product its factors, for `adaptive` base and lifts."""
    if profile == ADAPTIVE:
        base = found[RELEVANCE]
        return {RELEVANCE: base} | {name: base * share * (found[name] - 0.5) for name, share in _lifts(policy)}
    return {name: weight * found[name] for name, weight in weights_of(profile, policy).items()}


def score(profile: str, parts: Mapping[str, float]) -> float:
    if profile in PRODUCTS:
        product = 1.0
        for factor in parts.values():
            product *= factor
        return product
    return sum(parts.values())


def lifted(
    profile: str, memory: Weighable, relevance: float, now: int, policy: RecallPolicy, retention: RetentionPolicy
) -> float:
    """The score of a memory that no link pulls, under a profile that follows relevance: bit by bit what its signals
    and contributions add up to, without making either."""
    if profile == RELEVANCE:
        return relevance
    reinforcement = _reinforcement(memory.score, policy)
    total = relevance + relevance * policy.lift_recency * (_recency(memory.created_at, now) - 0.5)
    total += relevance * policy.lift_retention * (retention_at(memory, now, retention) - 0.5)
    total += relevance * policy.lift_importance * (memory.importance - 0.5)
    total += relevance * policy.lift_confidence * (memory.confidence - 0.5)
    total += relevance * policy.lift_score * (reinforcement / (1.0 + reinforcement) - 0.5)
    return total - relevance * policy.lift_links * 0.5


def doubted(profile: str, parts: Mapping[str, float], left: float) -> dict[str, float]:
    """The parts of a memory in an open conflict, with what that leaves of it: a factor, or what a sum loses by it."""
    return {**parts, "doubt": left if profile in PRODUCTS else (left - 1.0) * score(profile, parts)}


def utmost(profile: str, policy: RecallPolicy) -> float | None:
    """The most that a profile can make of a relevance of 1; None where the score does not follow relevance."""
    if profile not in (ADAPTIVE, RELEVANCE):
        return None
    return 1.0 + (sum(share for _, share in _lifts(policy)) / 2 if profile == ADAPTIVE else 0.0)


def _lifts(policy: RecallPolicy) -> tuple[tuple[str, float], ...]:
    lifts = (
        ("recency", policy.lift_recency),
        ("retention", policy.lift_retention),
        ("importance", policy.lift_importance),
        ("confidence", policy.lift_confidence),
        ("score", policy.lift_score),
    )
    # Without a weight links are not even looked at.
    return (*lifts, ("links", policy.lift_links)) if policy.lift_links else lifts


def weights_of(profile: str, policy: RecallPolicy) -> dict[str, float]:
    """How much each signal counts under a profile: its weight in a sum, 1 for a factor, its share of a lift."""
    if profile in PRODUCTS:
        return dict.fromkeys(PRODUCTS[profile], 1.0)
    if profile in (RELEVANCE, ADAPTIVE):
        return {RELEVANCE: 1.0} | (dict(_lifts(policy)) if profile == ADAPTIVE else {})
    return dict(WEIGHTED.get(profile) or policy.profiles[profile])


_NAME = re.compile(r"[a-z][a-z0-9_-]{0,63}")


def wrong_profiles(policy: RecallPolicy) -> dict[str, str]:
    """What is wrong with the configured profiles, by the name of the setting."""
    wrong = {f"profiles.{name}": what for name in policy.profiles if (what := _wrong_profile(name, policy))}
    for name, weights in policy.profiles.items():
        wrong |= {f"profiles.{name}.{signal}": what for signal, what in _wrong_weights(weights).items()}
    if policy.profile not in PROFILES and policy.profile not in policy.profiles:
        wrong["profile"] = f"there is no profile {policy.profile}; there is {', '.join((*PROFILES, *policy.profiles))}"
    return wrong


def _wrong_profile(name: str, policy: RecallPolicy) -> str:
    if name in PROFILES:
        return "is a profile already; choose another name"
    if not _NAME.fullmatch(name):
        return "a name begins with a letter and has lower-case letters, digits, _ and - only, at most 64"
    if not any(weight > 0 for weight in policy.profiles[name].values()):
        return f"needs a weight above 0 for at least one of {', '.join(SIGNALS)}"
    return ""


def _wrong_weights(weights: Mapping[str, float]) -> dict[str, str]:
    unknown = f"no such signal; there is {', '.join(SIGNALS)}"
    wrong = {name: unknown for name in weights if name not in SIGNALS}
    return wrong | {name: "expected a finite number" for name, weight in weights.items() if not isfinite(weight)}


def checked_profile(profile: str, policy: RecallPolicy) -> str:
    if profile not in PROFILES and profile not in policy.profiles:
        known = ", ".join((*PROFILES, *policy.profiles))
        raise InvalidField(f"profile {profile[:64]!r} is not known", field="profile", hint=known)
    return profile
