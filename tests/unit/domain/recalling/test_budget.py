"""What fits an answer: in order, within limit and budget, and never nothing without saying so."""

from hypothesis import given
from hypothesis import strategies as st

from reveried.domain.recalling.budget import PROCEDURAL_SHARE, Candidate, Chosen, within_budget

sizes = st.lists(st.tuples(st.integers(0, 60), st.booleans()), max_size=12)


def choose(given_: list[tuple[int, bool]], limit: int, budget: int) -> Chosen[int]:
    candidates = [Candidate(at, lambda tokens=tokens: tokens, kind) for at, (tokens, kind) in enumerate(given_)]
    return within_budget(candidates, limit, budget)


@given(sizes, st.integers(1, 8), st.integers(1, 200))
def test_an_answer_keeps_limit_order_and_budget(given_: list[tuple[int, bool]], limit: int, budget: int) -> None:
    chosen = choose(given_, limit, budget)
    first = apart(given_, limit, budget)
    assert chosen.items == sorted(set(chosen.items))
    assert chosen.tokens == sum(given_[at][0] for at in chosen.items)
    assert chosen.tokens <= budget or chosen.over_budget
    assert chosen.over_budget or set(first) <= set(chosen.items)
    assert len(set(chosen.items) - set(first)) <= limit
    assert bool(chosen.items) is bool(given_)


def apart(given_: list[tuple[int, bool]], limit: int, budget: int) -> list[int]:
    """The procedural ones under their own cap, taken greedily as the rule says."""
    first: list[int] = []
    for at, (tokens, procedural) in enumerate(given_):
        fits = sum(given_[one][0] for one in first) + tokens <= int(budget * PROCEDURAL_SHARE)
        if procedural and fits and len(first) < limit:
            first.append(at)
    return first


@given(sizes, st.integers(1, 8), st.integers(1, 200))
def test_only_a_lone_result_may_be_over_budget(given_: list[tuple[int, bool]], limit: int, budget: int) -> None:
    chosen = choose(given_, limit, budget)
    if chosen.over_budget:
        assert chosen.items == [0]
        assert all(tokens > budget for tokens, _ in given_)


def test_what_does_not_fit_is_skipped_and_smaller_ones_follow() -> None:
    assert choose([(50, False), (60, False), (40, False)], 5, 100) == Chosen([0, 2], 90, over_budget=False)


def test_preferences_stand_outside_the_limit_but_under_a_quarter_of_the_budget() -> None:
    given_ = [(30, False), (10, True), (10, True), (10, True)]
    assert choose(given_, 1, 100) == Chosen([0, 1], 40, over_budget=False, last=0)
    assert choose(given_, 2, 100) == Chosen([0, 1, 2, 3], 60, over_budget=False, last=3)
    assert choose(given_, 2, 40) == Chosen([0, 1], 40, over_budget=False)


def test_a_preference_that_barely_fits_is_not_listed_before_the_answer() -> None:
    assert choose([(5, False), (5, False), (5, True)], 2, 100).items == [0, 1, 2]


def test_a_preference_too_large_for_its_share_competes_with_the_rest() -> None:
    assert choose([(40, True), (30, False)], 5, 100) == Chosen([0, 1], 70, over_budget=False)


def test_one_oversized_result_is_better_than_none() -> None:
    assert choose([(150, False)], 5, 100) == Chosen([0], 150, over_budget=True)
    assert choose([], 5, 100) == Chosen([], 0, over_budget=False)
