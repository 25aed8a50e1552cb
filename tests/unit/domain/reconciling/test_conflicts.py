"""A contradiction has one subject, a rule with a name, and a confidence."""

import pytest
from msgspec.structs import replace

from data.corpora import rows
from reveried.domain.reconciling.conflicts import (
    RULES,
    Contradiction,
    Pair,
    contradiction,
    same_subject,
    speaks_of_the_same,
)
from reveried.domain.reconciling.policy import ReconcilingPolicy
from reveried.domain.reconciling.wording import read
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


@pytest.mark.parametrize(
    ("known", "new", "rule"),
    [
        # Each has a fact of its own: both can be true.
        ("The red door of hall 1 is open", "The red door of hall 2 is not open", None),
        ("The door is open on Monday", "The door is not open on Friday", None),
        # A number before the verb is part of a name, after it a value.
        ("Tank 5 holds water", "Tank 6 holds water", None),
        ("Tank 5 holds 3 litres", "Tank 5 holds 4 litres", "numbers"),
        ("The shop is on the 5th floor", "The shop is on the 6th floor", "numbers"),
        ("The tank holds five litres", "The tank holds six litres", "numbers"),
        ("The tank holds 5 litres", "The tank holds 5 litres of water and 6 of oil", None),
        ("The tank holds 5 litres", "The tank does not hold 6 litres", None),
        ("The shop opens on Monday", "The shop opens on Friday", "numbers"),
        ("The shop opened on Monday", "The shop opened on Friday", None),
        ("The shop opens on Monday at 5", "The shop opens on Friday at 6", None),
        ("The shop opens on Monday at 5", "The shop opens on Monday at 6", "numbers"),
        ("The tank of Ada holds 5 litres", "The tank of Bob holds 6 litres", None),
        # What is said of the one is not said of the other.
        ("The lamp in the hall is green", "The lamp in the hall is not green and hums", "negation"),
        ("The lamp in the hall is green and warm", "The lamp in the hall is not green but hums", None),
        ("The report is now in the blue folder", "The report is in the red folder", None),
        ("The report is in the red folder", "The report is now in the blue folder", "temporal"),
        ("The report is in the red folder", "The report is now in the red folder", None),
        ("I work at a bank", "I no longer work at a bank", "negation"),
        # Tastes differ by their order or by a word of their opposite; either is enough.
        ("I prefer tea over coffee at breakfast", "I prefer coffee over tea at breakfast", "preference"),
        ("I love long walks at night", "I hate long walks at night", "preference"),
    ],
)
def test_a_rule_fires_for_its_own_reason_alone(known: str, new: str, rule: str | None) -> None:
    found = contradiction(new, known, POLICY)
    assert (found.rule if found else None) == rule


@pytest.mark.parametrize(
    ("known", "new", "by_words", "same"),
    [
        ("I live in Berlin", "I moved to Lisbon", False, True),
        ("The red door creaks", "The red door hums", False, False),
        ("The red door creaks", "The red door hums", True, True),
        ("The red door creaks", "A blue lamp hums", True, False),
        ("The", "The red door hums", True, False),
        ("The red door hums", "The", True, False),
        ("one two red green", "one two blue white", True, POLICY.subject_overlap <= 0.5),
    ],
)
def test_without_vectors_half_of_the_words_must_be_common(known: str, new: str, by_words: bool, same: bool) -> None:
    assert speaks_of_the_same(new, known, POLICY, by_words=by_words) == same


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("The red lamp is green", "The red lamp hums", True),
        ("The morning lamp is green", "The evening lamp is green and warm in the morning", False),
        ("My lamp is green", "Your lamp is green", False),
        ("I like the lamp", "My lamp is green", False),
        ("The 5th lamp is green", "The lamp is green on the 5th floor", False),
        ("The lamp is green", "The door is green", False),
    ],
)
def test_two_texts_are_about_the_same_one(one: str, other: str, same: bool) -> None:
    assert same_subject(read(one), read(other)) == same
    assert same_subject(read(other), read(one)) == same


def test_a_turn_needs_just_so_many_words_in_common() -> None:
    known, new = "The team uses Postgres for reports", "The team switched to MySQL for reports"
    overlap = Pair(read(new), read(known), POLICY).overlap
    assert contradiction(new, known, replace(POLICY, subject_overlap=overlap)) == Contradiction("transition", 0.75)
    assert contradiction(new, known, replace(POLICY, subject_overlap=overlap + 0.01)) is None
