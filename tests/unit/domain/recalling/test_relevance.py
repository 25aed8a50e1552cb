"""What makes a memory answer a question, part by part."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reveried.domain.recalling.relevance import (
    Candidate,
    Query,
    Relevance,
    RelevancePolicy,
    _together,
    at_first_sight,
    bm25,
    relevance,
)

POLICY = RelevancePolicy()
RARE = {"violin": 4.0, "repair": 3.0, "shop": 1.0}


def candidate(id_: int, words: str = "", **fields: object) -> Candidate:
    counts = Counter(words.split())
    hits = {place: counts[term] for place, term in enumerate(RARE) if counts[term]}
    return Candidate(**{"id": id_, "hits": hits, "length": max(1, counts.total()), **fields})  # type: ignore[arg-type]


def asked(*candidates: Candidate, text: str = "who repairs a violin", **how: object) -> dict[int, Relevance]:
    sessions = how.pop("sessions", {})
    query = Query(text, RARE, mean=0.1, deviation=0.1)
    return relevance(query, candidates, sessions, replace(POLICY, **how))  # type: ignore[arg-type]


def order(found: dict[int, Relevance]) -> list[int]:
    return sorted(found, key=lambda id_: -found[id_].total)


def test_the_rarer_word_tells_more() -> None:
    assert order(asked(candidate(1, "shop"), candidate(2, "repair"), candidate(3, "violin"))) == [3, 2, 1]


def test_words_count_by_what_they_cover_and_not_by_who_covers_most() -> None:
    """A poor match in words must not outweigh a good one in meaning only because nobody matches better."""
    found = asked(candidate(1, "shop", cosine=0.1), candidate(2, "luthier", cosine=0.3))
    assert order(found) == [2, 1]
    assert found[1].coverage == pytest.approx(1 / 8)
    assert order(asked(candidate(1, "violin repair shop", cosine=0.1), candidate(2, "luthier", cosine=0.3))) == [1, 2]


def test_a_similarity_counts_by_how_far_it_stands_out() -> None:
    found = asked(candidate(1, cosine=0.1), candidate(2, cosine=0.3), candidate(3, cosine=0.9))
    parts = [found[id_].parts["meaning"] for id_ in (1, 2, 3)]
    assert parts == pytest.approx([0.0, POLICY.meaning / 2, POLICY.meaning])


def test_without_vectors_words_alone_decide() -> None:
    found = relevance(Query("q", RARE), [candidate(1, "shop"), candidate(2, "violin")], {}, POLICY)
    assert order(found) == [2, 1]
    assert all(one.parts["meaning"] == 0.0 for one in found.values())


def test_an_answer_is_found_by_the_words_of_the_question_before_it() -> None:
    before = candidate(1, "violin repair", session="s", after=(2,), asks=True)
    answer = candidate(2, "anna", session="s", before=(1,))
    elsewhere = candidate(3, "anna", session="t")
    found = asked(before, answer, elsewhere)
    assert found[2].total > found[3].total == 0.0


def test_activation_reaches_from_the_next_and_from_two_places_away() -> None:
    row = [candidate(id_, session="s", before=before, after=after) for id_, before, after in
           [(1, (), (2, 3)), (2, (1,), (3, 4)), (4, (3, 2), (5,)), (5, (4, 3), ())]]  # fmt: skip
    hit = candidate(3, "violin", session="s", before=(2, 1), after=(4, 5))
    found = asked(*row, hit)
    reached = {id_: found[id_].parts["neighbours"] for id_ in (1, 2, 4, 5)}
    assert reached[2] > reached[1] > 0.0
    assert reached[5] == pytest.approx(reached[1])
    assert reached[4] == 0.0, "the predecessor counts as context already"
    assert found[4].parts["words"] > 0.0


def test_surroundings_do_not_count_where_messages_are_long() -> None:
    def neighbours(length: int) -> float:
        before = candidate(1, session="s", after=(2,), length=length)
        return asked(before, candidate(2, "violin", session="s", before=(1,), length=length))[1].parts["neighbours"]

    assert neighbours(20) > neighbours(80) > neighbours(200) == 0.0


def test_a_memory_without_a_session_has_no_part_of_one() -> None:
    found = asked(candidate(1, "violin", tells_time=True, asks=True), text="when was it?", sessions={"s": 1.0})
    assert found[1].parts.keys() == {"words", "meaning"}


def test_a_session_that_is_about_the_question_lifts_its_turns() -> None:
    turns = candidate(1, "shop", session="s"), candidate(2, "shop", session="t")
    assert order(asked(*turns, sessions={"t": 0.5, "s": 0.1})) == [2, 1]


@pytest.mark.parametrize(
    ("question", "lifted"),
    [("What does Ada play?", {1}), ("what does ADA play?", {1}), ("Ada or Ben?", set()), ("What is Adam's?", set())],
)
def test_who_is_named_is_asked_about(question: str, lifted: set[int]) -> None:
    found = asked(candidate(1, speaker="Ada"), candidate(2, speaker="Ben"), text=question)
    assert {id_ for id_, one in found.items() if "speaker" in one.parts} == lifted


def test_the_only_speaker_is_not_asked_about_by_name() -> None:
    found = asked(candidate(1, speaker="Ada"), candidate(2, speaker="Ada"), text="What does Ada play?")
    assert not [one for one in found.values() if "speaker" in one.parts]


def test_a_name_is_found_where_words_carry_no_spaces() -> None:
    found = asked(candidate(1, speaker="小鹿"), candidate(2, speaker="阿岩"), text="小鹿为什么搬家")
    assert "speaker" in found[1].parts
    assert "speaker" not in found[2].parts


def test_a_question_for_a_time_prefers_turns_that_tell_one() -> None:
    turns = candidate(1, "violin", session="s", tells_time=True), candidate(2, "violin", session="t")
    assert order(asked(*turns, text="When was the violin sold?")) == [1, 2]
    assert asked(*turns, text="Who sold it?")[1].parts.keys() == {"words", "meaning", "neighbours", "session"}


def test_a_question_is_less_of_an_answer() -> None:
    turns = candidate(1, "violin", session="s", asks=True), candidate(2, "violin", session="t")
    assert order(asked(*turns)) == [2, 1]


words = st.lists(st.sampled_from(["violin", "repair", "shop", "tea", "anna"]), max_size=6).map(" ".join)
cosines = st.none() | st.floats(-1.0, 1.0)


@given(st.lists(st.tuples(words, cosines, st.sampled_from([None, "s", "t"])), max_size=6))
def test_parts_add_up_and_every_share_lies_between_nothing_and_all(rows: list[tuple[str, float, str]]) -> None:
    candidates = [
        candidate(at, words, cosine=cosine, session=session) for at, (words, cosine, session) in enumerate(rows, 1)
    ]
    found = asked(*candidates, sessions={"s": 0.4})
    assert found.keys() == {one.id for one in candidates}
    for one in found.values():
        assert one.total == pytest.approx(max(0.0, sum(one.parts.values())))
        assert all(0.0 <= share <= 1.0 + 1e-9 for share in (one.keyword, one.coverage, one.semantic, one.nearest))


@given(st.lists(st.tuples(words, cosines), min_size=1, max_size=6))
def test_the_first_sight_is_words_and_meaning(rows: list[tuple[str, float]]) -> None:
    candidates = [candidate(at, words, cosine=cosine) for at, (words, cosine) in enumerate(rows, 1)]
    query = Query("q", RARE, mean=0.1, deviation=0.1)
    found = relevance(query, candidates, {}, POLICY)
    sums = {id_: one.parts["words"] + one.parts["meaning"] for id_, one in found.items()}
    assert at_first_sight(query, candidates, POLICY) == pytest.approx(sums)


def test_nothing_to_weigh_is_nothing() -> None:
    assert asked() == {}
    assert at_first_sight(Query("q", {}), [], POLICY) == {}


def test_what_two_turns_say_together_is_what_each_says() -> None:
    assert _together({0: 1, 1: 1}, {1: 2, 2: 4}) == {0: 1, 1: 3, 2: 4}
    assert _together({}, {1: 2}) == _together({1: 2}, {}) == {1: 2}


def test_a_word_said_once_in_a_text_of_usual_length_counts_as_its_rarity() -> None:
    assert bm25([4.0, 3.0], {0: 1}, 1.0) == pytest.approx(4.0)
    assert bm25([4.0, 3.0], {0: 1, 1: 1}, 1.0) == pytest.approx(7.0)
    assert 4.0 < bm25([4.0], {0: 9}, 1.0) < 9 * 4.0
    assert bm25([4.0], {0: 1}, 9.0) < 4.0, "in a long text it says less"
