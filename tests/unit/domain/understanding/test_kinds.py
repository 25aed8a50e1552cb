import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.corpora import rows
from reveried.domain.memory import KINDS
from reveried.domain.understanding.kinds import kind_of


@pytest.mark.parametrize("split", ["dev", "test"])
def test_kinds_are_told_apart(split: str) -> None:
    notes = rows("notes", split)
    wrong = [(row["kind"], kind_of(row["text"]), row["text"]) for row in notes if kind_of(row["text"]) != row["kind"]]
    assert len(rows("notes")) >= 200
    assert len(wrong) <= 0.15 * len(notes), wrong


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("I prefer the plan we decided on last week", "preference"),
        ("Right now we are going to write the plan", "context"),
        ("Last week the plan to move was born", "event"),
        ("The deadline for the work with my brother is Friday", "plan"),
        ("My brother and I decided to sell", "decision"),
        ("I am the brother of Tom", "relationship"),
        ("I am the owner and the house has a garden", "identity"),
        ("The house has a garden", "fact"),
        ("Painted the house", "activity"),
        ("Painted the house that has a garden", "activity"),
        ("Built the house that has a garden", "activity"),
    ],
)
def test_the_first_rule_that_applies_decides(text: str, kind: str) -> None:
    assert kind_of(text) == kind


@pytest.mark.parametrize(
    "text", ["", "   ", "リファクタリング", "重构了解析器", "كتبت الاختبارات", "🎉🎉", "\ud800", "\0"]
)
def test_what_no_rule_knows_is_an_activity(text: str) -> None:
    assert kind_of(text) == "activity"


@given(st.text(st.characters(codec=None, exclude_categories=()), max_size=300))
def test_any_text_has_a_known_kind(text: str) -> None:
    assert kind_of(text) in KINDS
