"""Each limit refuses just beyond itself, naming the field, the limit and the size."""

from collections.abc import Callable
from typing import Any

import pytest

from reveried.domain import drafts
from reveried.domain.policies import ContentLimits
from reveried.errors import InvalidField

LIMITS = ContentLimits()


@pytest.mark.parametrize(
    ("check", "field", "told"),
    [
        (lambda: drafts.checked_content("x" * 100_001, LIMITS), "content", ["100001", "100000"]),
        (lambda: drafts.checked_content(" \n\t ", LIMITS), "content", ["empty"]),
        (lambda: drafts.checked_length("title", "x" * 501, drafts.MAX_TITLE), "title", ["501", "500"]),
        (lambda: drafts.checked_length("summary", "x" * 10_001, drafts.MAX_SUMMARY), "summary", ["10001", "10000"]),
        (lambda: drafts.checked_name("speaker", "x" * 257), "speaker", ["257", "256"]),
        (lambda: drafts.checked_name("speaker", "  "), "speaker", ["empty"]),
        (lambda: drafts.checked_unit("confidence", 1.01), "confidence", ["1.01", "0 and 1"]),
        (lambda: drafts.checked_unit("priority", -0.01), "priority", ["-0.01", "0 and 1"]),
        (lambda: drafts.checked_unit("priority", float("nan")), "priority", ["nan", "0 and 1"]),
        (lambda: drafts.checked_importance(1.5, None), "importance", ["1.5", "0 and 1"]),
        (lambda: drafts.checked_importance(None, 0), "level", ["0", "1 to 5"]),
        (lambda: drafts.checked_importance(None, 6), "level", ["6", "1 to 5"]),
        (lambda: drafts.checked_importance(0.6, 3), "level", ["both given"]),
        (lambda: drafts.checked_kind("preferense"), "kind", ["preferense"]),
        (lambda: drafts.checked_kind("q" * 100), "kind", ["q" * 64]),
        (lambda: drafts.checked_tags(["x" * 65], LIMITS), "tags", ["65", "64"]),
        (lambda: drafts.checked_tags(["fine", " "], LIMITS), "tags", ["empty"]),
        (lambda: drafts.checked_tags([str(n) for n in range(65)], LIMITS), "tags", ["65", "64"]),
        (lambda: drafts.checked_metadata({"a": "x" * 65_536}, LIMITS), "metadata", ["65544", "65536"]),
        (lambda: drafts.checked_metadata({"a": {(1, 2): 3}}, LIMITS), "metadata", ["not JSON"]),
        (lambda: drafts.checked_entities(["e"] * 65), "entities", ["65", "64"]),
        (lambda: drafts.checked_entities(["x" * 257]), "entities", ["257", "256"]),
        (lambda: drafts.checked_metadata({"a": float("nan")}, LIMITS), "metadata", ["a number that is none"]),
        (lambda: drafts.checked_relations([("a", "uses", "b")] * 65), "relations", ["65", "64"]),
        (lambda: drafts.checked_relations([("a", "uzes", "b")]), "relations", ["uzes"]),
        (lambda: drafts.checked_relations([("a", "uses", " ")]), "relations", ["empty"]),
        (lambda: drafts.checked_times(10, 11, None, None), "created_at", ["future"]),
        (lambda: drafts.checked_times(10, None, 5, 4), "valid_to", ["before valid_from"]),
    ],
)
def test_a_value_beyond_its_limit_is_refused_by_name(check: Callable[[], Any], field: str, told: list[str]) -> None:
    with pytest.raises(InvalidField) as refusal:
        check()
    assert refusal.value.field == field
    assert all(part in refusal.value.message for part in told), refusal.value.message


def test_values_at_their_limits_are_taken() -> None:
    assert len(drafts.checked_content(f"  {'x' * 100_000}\n", LIMITS)) == 100_000
    assert drafts.checked_name("speaker", f" {'x' * 256} ") == "x" * 256
    assert drafts.checked_name("speaker", None) is None
    assert [drafts.checked_unit("priority", value) for value in (0.0, 1.0, None)] == [0.0, 1.0, None]
    assert len(drafts.checked_tags(["x" * 64, *(str(number) for number in range(63))], LIMITS)) == 64
    assert drafts.checked_metadata({"a": "x" * 65_528}, LIMITS)
    assert len(drafts.checked_entities(["e"] * 64)) == 64
    assert len(drafts.checked_relations([("a", "uses", "b")] * 64)) == 64
    drafts.checked_times(10, 10, 4, 4)


def test_limits_are_the_configured_ones() -> None:
    with pytest.raises(InvalidField, match="content has 6 characters; the limit is 5"):
        drafts.checked_content("sixsix", ContentLimits(max_content=5))


@pytest.mark.parametrize(("level", "importance"), [(1, 0.2), (2, 0.4), (3, 0.6), (4, 0.8), (5, 1.0)])
def test_a_level_is_a_fifth_of_importance(level: int, importance: float) -> None:
    assert drafts.checked_importance(None, level) == importance


def test_importance_passes_as_it_is_and_neither_means_none() -> None:
    assert drafts.checked_importance(0.33, None) == 0.33
    assert drafts.checked_importance(None, None) is None


def test_tags_are_trimmed_lower_cased_and_kept_once() -> None:
    assert drafts.checked_tags([" Infra", "infra ", "Ünïcode"], LIMITS) == ("infra", "ünïcode")


def test_a_near_miss_of_a_kind_gets_a_suggestion_and_a_far_one_the_list() -> None:
    with pytest.raises(InvalidField) as near:
        drafts.checked_kind("preferense")
    assert near.value.hint == "did you mean 'preference'?"
    with pytest.raises(InvalidField) as far:
        drafts.checked_kind("zzz")
    assert "identity" in (far.value.hint or "")
    assert drafts.checked_kind("fact") == "fact"
    assert drafts.checked_kind(None) is None


@pytest.mark.parametrize(
    ("source", "confidence"),
    [("correction", 1.0), ("direct", 0.95), ("conversation", 0.85), ("agent", 0.8), ("extraction", 0.6), ("x", 0.8)],
)
def test_confidence_follows_the_source(source: str, confidence: float) -> None:
    assert drafts.default_confidence(source) == confidence


def test_a_near_miss_of_a_relation_gets_a_suggestion_and_a_far_one_the_list() -> None:
    hints = []
    for relation in ("uzes", "zzz"):
        with pytest.raises(InvalidField) as refusal:
            drafts.checked_relations([("a", relation, "b")])
        hints.append(refusal.value.hint or "")
    assert hints[0] == "did you mean 'uses'?"
    assert hints[1].startswith("one of ")
