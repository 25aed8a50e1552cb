"""When there is enough to answer at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reveried.domain.policies import RecallPolicy
from reveried.domain.recalling.relevance import Query, Relevance
from reveried.domain.recalling.silence import evidence

FLOOR = RecallPolicy().floor


def shown(coverage: float, nearest: float = 0.0) -> Relevance:
    return Relevance(total=1.0, keyword=0.0, coverage=coverage, semantic=nearest, parts={}, nearest=nearest)


def asked(known: float, *, vectors: bool = True) -> Query:
    return Query("q", {"a": 1.0}, mean=0.1, deviation=0.1 if vectors else 0.0, known=known)


def test_nothing_found_is_no_evidence() -> None:
    assert evidence(asked(1.0), {}) == 0.0


def test_one_memory_must_show_both_words_and_meaning() -> None:
    together = evidence(asked(0.5), {1: shown(0.5, 0.5), 2: shown(0.0, 0.0)})
    apart = evidence(asked(0.5), {1: shown(0.5, 0.0), 2: shown(0.0, 0.5)})
    assert together > apart


def test_what_occurs_nowhere_speaks_against_an_answer() -> None:
    assert evidence(asked(0.2), {1: shown(0.2, 0.3)}) < evidence(asked(1.0), {1: shown(0.2, 0.3)})


@pytest.mark.parametrize(
    ("coverage", "nearest", "known", "silent"),
    [(1.0, 0.7, 1.0, False), (0.0, 0.5, 0.0, False), (0.0, 0.2, 0.1, True), (0.3, 0.25, 0.4, False)],
)
def test_the_default_floor_lets_a_paraphrase_pass_and_not_what_merely_comes_nearest(
    coverage: float, nearest: float, known: float, silent: bool
) -> None:
    assert (evidence(asked(known), {1: shown(coverage, nearest)}) < FLOOR) is silent


@pytest.mark.parametrize(("coverage", "known", "silent"), [(0.4, 0.4, False), (0.1, 0.1, True), (0.0, 1.0, False)])
def test_without_vectors_words_alone_must_tell(coverage: float, known: float, silent: bool) -> None:
    assert (evidence(asked(known, vectors=False), {1: shown(coverage)}) < FLOOR) is silent


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=5), st.floats(0, 1), st.booleans())
def test_evidence_is_a_share_and_grows_with_what_is_shown(
    rows: list[tuple[float, float]], known: float, vectors: bool
) -> None:
    query, found = asked(known, vectors=vectors), {at: shown(*row) for at, row in enumerate(rows)}
    whole = evidence(query, found)
    assert 0.0 <= whole <= 1.0
    assert evidence(query, {**found, -1: shown(1.0, 1.0)}) >= whole
