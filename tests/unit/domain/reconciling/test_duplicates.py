"""What says the same becomes one memory; what differs in a number, a name, a day or a denial never does."""

import pytest

from data.corpora import rows
from reveried.domain.reconciling.duplicates import Sameness, sameness, unique_sentences
from reveried.domain.reconciling.policy import ReconcilingPolicy
from unit.domain.reconciling.conftest import Cosine

POLICY = ReconcilingPolicy()
TEA = "Ada prefers green tea in the morning"


def _judged(row: dict[str, str], cosine: Cosine) -> Sameness | None:
    return sameness(row["new"], row["known"], cosine(row["known"], row["new"]), POLICY)


@pytest.mark.parametrize("split", ["dev", "test"])
def test_no_two_distinct_facts_are_merged(split: str, cosine: Cosine) -> None:
    distinct = [row for row in rows("duplicates", split) if row["label"] == "distinct"]
    assert len(distinct) >= 38
    assert [row for row in distinct if _judged(row, cosine)] == []


@pytest.mark.parametrize("split", ["dev", "test"])
def test_a_paraphrase_is_known_for_what_it_is(split: str, cosine: Cosine) -> None:
    same = [row for row in rows("duplicates", split) if row["label"] == "same"]
    found = sum(_judged(row, cosine) is not None for row in same)
    assert len(same) >= 38
    assert found / len(same) >= 0.85


def test_contradicting_facts_are_never_merged_either(cosine: Cosine) -> None:
    pairs = [row for row in rows("conflicts") if row["label"] == "conflict"]
    assert [row for row in pairs if _judged(row, cosine)] == []


@pytest.mark.parametrize(
    ("new", "cosine", "how"),
    [
        ("In the morning Ada prefers green tea", 0.97, "duplicate"),
        ("In the morning Ada prefers green tea", 0.95, "duplicate"),
        ("Ada prefers green tea", 0.949, "subset"),
        ("Ada prefers green tea", 0.85, "subset"),
        ("In the morning Ada prefers green tea with honey", 0.9, "merged"),
        ("In the morning Ada prefers green tea with honey", 0.849, None),
        ("In the mornings, Ada likes green tea", 0.7, "subset"),
        ("In the mornings, Ada likes green tea", 0.699, None),
        ("Ada prefers green tea in the morning", None, None),
    ],
)
def test_the_bands_begin_where_they_say(new: str, cosine: float | None, how: str | None) -> None:
    found = sameness(new, TEA, cosine, POLICY)
    assert (found.how if found else None) == how


@pytest.mark.parametrize(
    "new",
    [
        "Ada prefers green tea at 7 in the morning",
        "Ada prefers black tea in the morning",
        "Bob prefers green tea in the morning",
        "Ada does not prefer green tea in the morning",
        "Ada prefers green tea in the morning on Mondays",
        "Ada prefers green tea in the evening",
        "Ada prefers green grapes in the morning",
    ],
)
def test_however_near_it_is_a_difference_keeps_it_apart(new: str) -> None:
    assert sameness(new, TEA, 0.999, POLICY) is None


def test_words_that_stand_in_different_sentences_are_no_subset() -> None:
    assert sameness("Ada likes tea", "Ada likes coffee. Bob likes tea.", 0.9, POLICY) is None


def test_what_two_sentences_say_is_the_same_in_one() -> None:
    found = sameness("Ada waters the ferns and feeds the cat", "Ada waters the ferns. Ada feeds the cat.", 0.97, POLICY)
    assert found == Sameness("duplicate")


def test_only_what_is_not_there_yet_is_added() -> None:
    new = "Ada prefers green tea. She takes it with honey."
    assert unique_sentences(new, TEA, POLICY) == "She takes it with honey."
    assert unique_sentences(TEA, TEA, POLICY) == ""


def test_texts_in_scripts_the_rules_cannot_read_stay_apart_by_their_numbers() -> None:
    assert sameness("会議は10時に始まります", "会議は11時に始まります", 0.99, POLICY) is None
