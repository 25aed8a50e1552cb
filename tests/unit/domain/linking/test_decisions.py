"""A link is made once, taken back where it stands, and proposed only while both still say the same."""

import pytest
from msgspec.structs import replace

from reveried.domain.decide import UNCHANGED, Decision
from reveried.domain.events import Link, MemoryLinked, MemoryUnlinked
from reveried.domain.linking.decisions import ASKED, link, proposed, unlink
from reveried.domain.linking.kinds import Ends
from reveried.errors import InvalidField, WrongState
from unit.domain.records import after, in_state

ONE, OTHER = after(id_=1, content="The harbor opens."), after(id_=2, content="The harbor closes.")
WANTED = Link(to=2, kind="relates")
NOTHING = Decision(outcome=UNCHANGED, subject=1)


def test_a_wish_is_recorded_and_asking_again_changes_nothing() -> None:
    fact = MemoryLinked(links=(WANTED,), how=ASKED, request="r")
    assert link(ONE, OTHER, WANTED, [], "r") == Decision(outcome="linked", subject=1, events=(fact,))
    assert link(ONE, OTHER, WANTED, [Ends(1, 2, "relates")], "r") == NOTHING


def test_no_link_leads_back_to_itself_or_to_what_is_deleted() -> None:
    with pytest.raises(InvalidField, match="itself"):
        link(ONE, ONE, Link(to=1, kind="relates"), [], "r")
    for pair in ((ONE, in_state("deleted", id_=2)), (in_state("deleted", id_=2), ONE)):
        with pytest.raises(WrongState, match="deleted"):
            link(*pair, WANTED, [], "r")


def test_what_stands_is_taken_back_in_order() -> None:
    gone = unlink(ONE, [Ends(1, 3, "relates"), Ends(1, 2, "relates")], "r")
    fact = MemoryUnlinked(links=((1, 2, "relates"), (1, 3, "relates")), reason=ASKED, request="r")
    assert gone == Decision(outcome="unlinked", subject=1, events=(fact,))
    assert unlink(ONE, [], "r") == NOTHING


@pytest.mark.parametrize(
    ("now", "linked"),
    [
        ((ONE, OTHER), True),
        ((replace(ONE, content_hash="another"), OTHER), False),
        ((None, OTHER), False),
        ((ONE, None), False),
        ((replace(ONE, state="archived"), OTHER), False),
        ((ONE, replace(OTHER, namespace="other")), False),
    ],
)
def test_a_proposal_holds_while_both_stand_as_they_were(now: tuple[object, object], linked: bool) -> None:
    found = dict(zip((1, 2), now, strict=True))
    fact = MemoryLinked(links=(WANTED,), how="proposed")
    expected = Decision(outcome="linked", subject=1, events=(fact,)) if linked else NOTHING
    assert proposed(ONE, [WANTED], found.get) == expected  # type: ignore[arg-type]
