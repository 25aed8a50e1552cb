import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reveried.domain.understanding.entities import entities_in
from reveried.domain.understanding.relations import (
    INVERSES,
    RELATIONS,
    SYMMETRIC,
    Related,
    _whole,
    relations_in,
    seen_from,
    strength,
)


def said(text: str, speaker: str | None = None) -> list[tuple[str, str, str]]:
    found = relations_in(text, entities_in(text), speaker)
    return [(one.subject, one.relation, one.object) for one in found]


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("Ada works at Siemens.", ("Ada", "works_at", "Siemens")),
        ("Ada manages Bob.", ("Ada", "manages", "Bob")),
        ("Bob reports to Ada.", ("Bob", "reports_to", "Ada")),
        ("Ada is a friend of Bob.", ("Ada", "friend_of", "Bob")),
        ("Ada now lives in Lisbon.", ("Ada", "lives_in", "Lisbon")),
        ("Ada is the mother of Tim.", ("Ada", "parent_of", "Tim")),
        ("Tim is the son of Ada.", ("Tim", "child_of", "Ada")),
        ("Ada is dating Bob.", ("Ada", "dating", "Bob")),
        ("Ada is married to Bob.", ("Ada", "married_to", "Bob")),
        ("Ada is a member of the Rowing Club.", ("Ada", "member_of", "Rowing Club")),
        ("Ada Moreau co-founded Acme Corp.", ("Ada Moreau", "founded", "Acme Corp")),
        ("Ada uses PostgreSQL.", ("Ada", "uses", "PostgreSQL")),
        ("Linda created SQLite.", ("Linda", "created", "SQLite")),
        ("Ada works closely with Bob.", ("Ada", "collaborates_with", "Bob")),
        ("Ada mentors Bob.", ("Ada", "mentors", "Bob")),
        ("Acme Corp competes with Globex Corp.", ("Acme Corp", "competitor_of", "Globex Corp")),
        ("Acme Corp partnered with Globex Corp.", ("Acme Corp", "partner_of", "Globex Corp")),
        ("Acme Corp is a client of Globex Corp.", ("Acme Corp", "client_of", "Globex Corp")),
        ("Ada is the sister of Tim.", ("Ada", "sibling_of", "Tim")),
        ("Ada knows Bob.", ("Ada", "knows", "Bob")),
    ],
)
def test_each_of_the_twenty_relations_is_read(text: str, relation: tuple[str, str, str]) -> None:
    assert said(text) == [relation]
    assert relation[1] in RELATIONS
    assert len(RELATIONS) == 20


@pytest.mark.parametrize(
    "text",
    [
        "Ada does not work at Siemens.",
        "Ada used to work at Siemens.",
        "Ada wants to live in Lisbon.",
        "Ada and Bob went to Lisbon.",
        "Ada lives near the sea. Lisbon is far.",
        "エイダはリスボンに住んでいます",
    ],
)
def test_what_is_not_said_is_not_read(text: str) -> None:
    assert said(text) == []


def test_an_alias_stands_for_the_whole_name() -> None:
    assert said("Ada Moreau is an engineer. Ada lives in Lisbon.") == [("Ada Moreau", "lives_in", "Lisbon")]


def test_the_first_person_is_the_speaker_or_nobody() -> None:
    assert said("I work at Siemens.", speaker="Ada") == [("Ada", "works_at", "Siemens")]
    assert said("I work at Siemens.") == []


def test_every_relation_can_be_seen_from_its_other_end() -> None:
    for relation in RELATIONS:
        seen = seen_from("B", Related("A", relation, "B"))
        assert seen.other == "A"
        assert seen.inverse is (relation not in SYMMETRIC and relation not in INVERSES)
    assert seen_from("B", Related("A", "manages", "B")).relation == "reports_to"
    assert seen_from("A", Related("A", "manages", "B")).relation == "manages"


@pytest.mark.parametrize(
    ("count", "days", "confidence", "expected"),
    [(1, 0.0, 1.0, 0.8), (3, 0.0, 0.5, 0.75), (0, 0.0, 0.0, 0.3), (1, 1e12, 0.0, 0.2)],
)
def test_strength_is_made_of_count_recency_and_confidence(
    count: int, days: float, confidence: float, expected: float
) -> None:
    assert strength(count, days, confidence) == pytest.approx(expected, abs=0.011)


@given(st.text("aA_'é1 .", min_size=1, max_size=3), st.text("aA_'é1 .", max_size=30))
def test_a_name_is_found_where_it_stands_as_a_word_of_its_own(name: str, sentence: str) -> None:
    alone = [match.span() for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", sentence)]
    assert list(_whole(name, sentence)) == alone
