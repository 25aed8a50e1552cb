"""The second opinion: a cross-encoder's order, or .8 relevance + .2 importance."""

import pytest
from msgspec.structs import replace

from reveried.domain.recalling.ranking import Ranked
from reveried.domain.recalling.reranking import MOST, blended, by_blend, by_scores, worth_reranking
from unit.domain.records import in_state

MEMORY = in_state("active")


def ranked(id_: int, relevance: float, importance: float) -> Ranked:
    return Ranked(replace(MEMORY, id=id_), 1.0, {"relevance": relevance, "importance": importance}, {})


@pytest.mark.parametrize(
    ("relevance", "importance", "expected"), [(1.0, 1.0, 1.0), (0.0, 0.0, 0.0), (1.0, 0.0, 0.8), (0.5, 0.5, 0.5)]
)
def test_the_blend_is_four_parts_relevance_and_one_part_importance(
    relevance: float, importance: float, expected: float
) -> None:
    assert blended(relevance, importance) == pytest.approx(expected)


def test_without_a_cross_encoder_importance_decides_between_what_is_about_as_relevant() -> None:
    order = by_blend([ranked(1, 1.0, 0.1), ranked(2, 0.95, 0.9), ranked(3, 0.5, 1.0)])
    assert [one.memory.id for one in order] == [2, 1, 3]
    assert all(one.score == pytest.approx(sum(one.contributions.values())) for one in order)


def test_a_cross_encoder_has_the_last_word_and_the_newer_wins_a_tie() -> None:
    order = by_scores([ranked(1, 1.0, 1.0), ranked(2, 0.2, 0.2), ranked(3, 0.1, 0.1)], [0.3, 0.9, 0.9])
    assert [(one.memory.id, one.score) for one in order] == [(3, 0.9), (2, 0.9), (1, 0.3)]


def test_one_score_is_needed_for_each_candidate() -> None:
    with pytest.raises(ValueError, match="shorter"):
        by_scores([ranked(1, 1.0, 1.0), ranked(2, 1.0, 1.0)], [0.5])


def test_as_many_are_judged_as_are_asked_for_and_at_least_a_few() -> None:
    many = [ranked(id_, 1.0, 1.0) for id_ in range(100)]
    assert len(worth_reranking(many, 5)) == MOST
    assert len(worth_reranking(many, 80)) == 80
