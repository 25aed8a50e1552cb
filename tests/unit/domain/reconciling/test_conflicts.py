"""A contradiction has one subject, a rule with a name, and a confidence."""

import pytest

from data.corpora import rows
from reveried.domain.reconciling.conflicts import RULES, Contradiction, contradiction, speaks_of_the_same
from reveried.domain.reconciling.policy import ReconcilingPolicy
from unit.domain.reconciling.conftest import Cosine

POLICY = ReconcilingPolicy()


def _found(row: dict[str, str], cosine: Cosine) -> Contradiction | None:
    """As the daemon does it: only what is near, or may compete over the same thing, is judged."""
    known, new = row["known"], row["new"]
    if cosine(known, new) < POLICY.related and not speaks_of_the_same(new, known, POLICY, by_words=False):
        return None
    return contradiction(new, known, POLICY)


@pytest.mark.parametrize("split", ["dev", "test"])
def test_the_labelled_pairs_are_told_apart(split: str, cosine: Cosine) -> None:
    pairs = rows("conflicts", split)
    found = [row for row in pairs if _found(row, cosine)]
    right = sum(row["label"] == "conflict" for row in found)
    precision, recall = right / len(found), right / sum(row["label"] == "conflict" for row in pairs)
    assert 2 * precision * recall / (precision + recall) >= 0.80


@pytest.mark.parametrize("split", ["dev", "test"])
def test_hard_negatives_are_left_alone(split: str, cosine: Cosine) -> None:
    negatives = [row for row in rows("conflicts", split) if row["label"] == "none"]
    assert sum(_found(row, cosine) is None for row in negatives) / len(negatives) >= 0.95


def test_the_set_is_as_large_as_it_claims() -> None:
    labels = [row["label"] for row in rows("conflicts")]
    assert len(labels) >= 120
    assert labels.count("none") >= len(labels) // 2


@pytest.mark.parametrize(
    ("known", "new", "rule", "confidence"),
    [
        ("Guests may park in the yard", "Guests may not park in the yard", "negation", 0.8),
        ("I live in Berlin", "I moved to Lisbon in March", "transition", 0.75),
        ("My favourite colour is blue", "My favourite colour is green", "preference", 0.75),
        ("The review board meets on Tuesdays", "The review board now meets on Thursdays", "temporal", 0.7),
        ("The cache is enabled", "The cache is disabled", "antonyms", 0.7),
        ("The rent is 850 euros", "The rent is 920 euros", "numbers", 0.6),
    ],
)
def test_every_rule_speaks_with_its_own_confidence(known: str, new: str, rule: str, confidence: float) -> None:
    assert contradiction(new, known, POLICY) == Contradiction(rule, confidence)


def test_the_surest_rule_is_asked_first() -> None:
    assert [sure for _, sure, _ in RULES] == sorted((sure for _, sure, _ in RULES), reverse=True)


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ("Ada likes tea", "Bob does not like tea"),
        ("I live in Berlin", "My sister moved to Lisbon"),
        ("Sensor 12 is online", "Sensor 13 is offline"),
        ("note number 1", "note number 2"),
        ("Does Ada like tea?", "Ada does not like tea"),
        ("Ada likes tea", "Ada likes tea"),
        ("", "Ada likes tea"),
    ],
)
def test_these_do_not_contradict(known: str, new: str) -> None:
    assert contradiction(new, known, POLICY) is None
