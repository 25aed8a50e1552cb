"""One link, two ends, one meaning."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reveried.domain.linking.kinds import (
    DIRECTED,
    KINDS,
    SAYABLE,
    SYMMETRIC,
    Ends,
    checked_kind,
    checked_share,
    ends_of,
    known_kind,
    seen_from,
)
from reveried.errors import InvalidField

ids = st.integers(1, 10**9)
pairs = st.tuples(ids, ids).filter(lambda pair: pair[0] != pair[1])


@given(pairs, st.sampled_from(SYMMETRIC))
def test_without_a_direction_both_ends_name_the_same_link(pair: tuple[int, int], kind: str) -> None:
    one, other = pair
    assert ends_of(one, other, kind) == ends_of(other, one, kind)


@given(pairs, st.sampled_from(KINDS))
def test_a_link_reads_from_either_end(pair: tuple[int, int], kind: str) -> None:
    one, other = pair
    ends = ends_of(one, other, kind)
    here, there = seen_from(one, ends), seen_from(other, ends)
    assert (here.other, here.kind, here.inverse) == (other, kind, False)
    assert (there.other, there.inverse) == (one, kind in DIRECTED and kind != "precedes")


def test_what_follows_is_preceded() -> None:
    assert ends_of(5, 3, "follows") == Ends(3, 5, "precedes")
    assert seen_from(5, Ends(3, 5, "precedes")).kind == "follows"


@pytest.mark.parametrize("kind", ["co_recalled", "supersedes", "loves"])
def test_some_kinds_cannot_be_claimed(kind: str) -> None:
    with pytest.raises(InvalidField, match="not known"):
        checked_kind(kind)


def test_what_can_be_asked_for_is_more_than_what_can_be_claimed() -> None:
    assert [checked_kind(kind) for kind in SAYABLE] == list(SAYABLE)
    for kind in KINDS:
        known_kind(kind)
    with pytest.raises(InvalidField, match="'loves' of link is not known"):
        known_kind("loves")


def test_a_share_lies_between_nothing_and_all() -> None:
    assert [checked_share("weight", share) for share in (0.0, 0.5, 1.0)] == [0.0, 0.5, 1.0]
    for none in (-0.01, 1.01, float("nan"), float("inf")):
        with pytest.raises(InvalidField, match="must be 0 to 1"):
            checked_share("weight", none)
