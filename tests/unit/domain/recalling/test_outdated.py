"""Of two statements about the same, the later one first; unless the past is asked for."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reveried.domain.recalling.outdated import LOOKED_AT, Likeness, may_be_outdated, newest_first
from reveried.domain.recalling.ranking import Ranked
from unit.domain.records import in_state

DAY = 86_400_000_000
MEMORY = in_state("active")
ALIKE = 0.6


def said(
    id_: int, content: str, *, day: int, relevance: float = 1.0, coverage: float = 0.5, session: str | None = None
) -> Ranked:
    memory = replace(MEMORY, id=id_, content=content, created_at=day * DAY, valid_from=None, session_id=session)
    return Ranked(memory, relevance, {"relevance": relevance, "coverage": coverage}, {})


OLD = said(1, "Dario lives in Turin", day=1)
NEW = said(2, "Dario has moved, he lives in Genoa", day=9, relevance=0.7, coverage=0.2)


def ids(ranked: list[Ranked], question: str = "Where does Dario live?", likeness: Likeness | None = None) -> list[int]:
    pairs = {(1, 2): ALIKE} if likeness is None else likeness
    return [one.memory.id for one in (newest_first(ranked, pairs) if may_be_outdated(ranked, question) else ranked)]


def test_a_change_that_was_told_later_comes_first() -> None:
    assert ids([OLD, NEW]) == [2, 1]


def test_who_asks_for_the_past_gets_it() -> None:
    assert ids([OLD, NEW], "Where did Dario live before Genoa?") == [1, 2]


def test_what_is_about_something_else_stays_behind() -> None:
    assert ids([OLD, said(2, "Marta has a new bicycle", day=9, relevance=0.7)], likeness={(1, 2): 0.2}) == [1, 2]


def test_what_tells_of_no_change_must_answer_as_much_of_the_question() -> None:
    plain = said(2, "Dario lives in Genoa", day=9, relevance=0.9, coverage=0.2)
    assert ids([OLD, plain]) == [1, 2]
    assert ids([OLD, said(2, "Dario lives in Genoa", day=9, relevance=0.9, coverage=0.5)]) == [2, 1]


def test_what_answers_far_worse_stays_behind() -> None:
    assert ids([OLD, said(2, "Dario has moved to Genoa", day=9, relevance=0.3)]) == [1, 2]


def test_turns_of_one_session_keep_their_order_and_others_need_to_be_as_good() -> None:
    old = said(1, "I live in Turin", day=1, session="s")
    assert ids([old, said(2, "I live in Genoa now", day=9, session="s")]) == [1, 2]
    assert ids([old, said(2, "I live in Genoa now", day=9, relevance=0.7, session="t")]) == [1, 2]
    assert ids([old, said(2, "I live in Genoa now", day=9, relevance=0.97, session="t")]) == [2, 1]


def test_when_it_holds_counts_before_when_it_was_said() -> None:
    announced = replace(OLD, memory=replace(OLD.memory, valid_from=20 * DAY))
    assert ids([announced, NEW]) == [1, 2]


def test_without_vectors_many_common_words_are_asked_for() -> None:
    assert ids([OLD, NEW], likeness={}) == [2, 1]
    assert ids([OLD, said(2, "The printer has moved upstairs now", day=9, relevance=0.9)], likeness={}) == [1, 2]


@given(
    st.lists(
        st.tuples(st.integers(1, 30), st.floats(0.1, 1.0), st.sampled_from(["now", "never", "new tea"])), max_size=9
    )
)
def test_nothing_is_lost_and_the_tail_is_left_alone(rows: list[tuple[int, float, str]]) -> None:
    ranked = [said(at, words, day=day, relevance=value) for at, (day, value, words) in enumerate(rows, 1)]
    likeness = {(one, other): 0.9 for one in range(1, 10) for other in range(one + 1, 10)}
    found = newest_first(ranked, likeness)
    assert sorted(one.memory.id for one in found) == [one.memory.id for one in ranked]
    assert found[LOOKED_AT:] == ranked[LOOKED_AT:]
