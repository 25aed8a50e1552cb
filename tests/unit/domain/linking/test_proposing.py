"""What speaks for a link, in the numbers of the specification."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reveried.domain.linking.policy import LinksPolicy
from reveried.domain.linking.proposing import Evidence, comparable, confidence, linkable, proposals, weight
from unit.domain.histories import stored
from unit.domain.records import after

POLICY = LinksPolicy()
counts = st.integers(0, 50)
cosines = st.none() | st.floats(-1.0, 1.0)


@pytest.mark.parametrize(
    ("tags", "entities", "cosine", "expected"),
    [
        (0, 0, None, 0.0),
        (1, 0, None, 0.1),
        (0, 1, None, 0.4 / 3),
        (3, 0, None, 0.3),
        (9, 9, None, 0.7),
        (2, 1, 0.5, 0.2 + 0.4 / 3 + 0.15),
        (3, 3, 1.0, 1.0),
        (0, 0, -0.4, 0.0),
    ],
)
def test_the_weight_is_that_of_shared_tags_entities_and_meaning(
    tags: int, entities: int, cosine: float | None, expected: float
) -> None:
    assert weight(Evidence(tags=tags, entities=entities, cosine=cosine), POLICY) == pytest.approx(expected)


def test_without_vectors_the_rest_speaks_for_itself() -> None:
    assert confidence(Evidence(tags=3, entities=3), POLICY) == pytest.approx(1.0)
    assert confidence(Evidence(tags=3, entities=3, cosine=0.0), POLICY) == pytest.approx(0.7)


@given(counts, counts, cosines)
def test_weight_and_confidence_always_lie_between_0_and_1(tags: int, entities: int, cosine: float | None) -> None:
    evidence = Evidence(tags=tags, entities=entities, cosine=cosine)
    assert 0.0 <= weight(evidence, POLICY) <= confidence(evidence, POLICY) <= 1.0


@given(st.lists(st.tuples(st.integers(1, 99), counts, counts, cosines), unique_by=lambda one: one[0]))
def test_only_the_best_that_are_worth_it_are_proposed(found: list[tuple[int, int, int, float | None]]) -> None:
    evidence = [(id_, Evidence(tags=tags, entities=entities, cosine=near)) for id_, tags, entities, near in found]
    links = proposals(evidence, POLICY)
    assert len(links) <= POLICY.most
    assert all(link.confidence >= POLICY.least for link in links)
    assert [link.weight for link in links] == sorted((link.weight for link in links), reverse=True)


def test_nearly_the_same_meaning_is_called_similar() -> None:
    near, far = proposals([(1, Evidence(tags=1, cosine=0.9)), (2, Evidence(tags=1, cosine=0.7))], POLICY)
    assert (near.kind, far.kind) == ("similar_to", "related_to")


def test_what_was_said_in_a_conversation_is_not_linked_nor_what_does_not_stand() -> None:
    memory = after(stored("tea"))
    assert linkable(memory)
    assert not linkable(replace(memory, session_id="s", speaker="Ada"))
    assert not linkable(replace(memory, state="archived"))
    assert not linkable(replace(memory, superseded_by=9))


def test_chunks_of_one_document_belong_together_anyway() -> None:
    memory = after(stored("tea"))
    first, second = (replace(memory, id=id_, parent_id=1, chunk_index=id_) for id_ in (5, 6))
    assert not comparable(first, second)
    assert comparable(first, replace(second, parent_id=2))
    assert not comparable(memory, replace(memory, id=9, namespace="other"))


@pytest.mark.parametrize("shares", [(0.5, 0.5, 0.1), (0.0, 0.0, 1.0)])
def test_the_weights_are_shares_of_one_and_not_all_of_meaning(shares: tuple[float, float, float]) -> None:
    tags, entities, meaning = shares
    with pytest.raises(ValueError, match="must"):
        LinksPolicy(tags=tags, entities=entities, meaning=meaning)
