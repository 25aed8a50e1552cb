"""What a caller asks, checked: each refusal names its field, and silence means the configured value."""

from pathlib import Path
from typing import Any

import pytest

from reverie.protocol.requests import Recall
from reveried.app.asking import MAX_NAMESPACES, MAX_QUERY, Asked, asked, places_of
from reveried.domain.policies import RecallPolicy
from reveried.errors import InvalidField
from unit.app.asker import asker

POLICY = RecallPolicy(limit=7, token_budget=900, profile="recent", floor=0.4)


def question(**fields: Any) -> Recall:
    return Recall(**({"id": 1, "query": "tea"} | fields))


def test_what_is_left_out_is_as_configured() -> None:
    assert asked(question(), "mine", POLICY) == Asked(("mine",), "recent", 7, 900, 0.4)


def test_what_is_given_is_taken() -> None:
    given = question(profile="hebbian", limit=1, token_budget=1, floor=0.0, namespaces=["theirs"])
    assert asked(given, "mine", POLICY) == Asked(("theirs",), "hebbian", 1, 1, 0.0)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"profile": "best"}, "profile"),
        ({"limit": 0}, "limit"),
        ({"limit": 201}, "limit"),
        ({"token_budget": 0}, "token_budget"),
        ({"query": "x" * (MAX_QUERY + 1)}, "query"),
        ({"systems": ["semantics"]}, "systems"),
        ({"namespaces": []}, "namespaces"),
        ({"namespaces": [f"n{number}" for number in range(MAX_NAMESPACES + 1)]}, "namespaces"),
        ({"floor": -0.1}, "floor"),
        ({"floor": 1.1}, "floor"),
        ({"floor": float("nan")}, "floor"),
    ],
)
def test_a_value_out_of_range_is_refused_by_name(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidField) as refused:
        asked(question(**fields), "mine", POLICY)
    assert refused.value.field == field


def test_the_longest_question_is_taken() -> None:
    assert asked(question(query="x" * MAX_QUERY), "mine", POLICY).limit == 7


def test_a_namespace_named_twice_is_searched_once() -> None:
    assert asked(question(namespaces=["b", "a", "b"]), "mine", POLICY).namespaces == ("b", "a")


async def test_the_archive_is_looked_in_only_when_asked(tmp_path: Path) -> None:
    async with asker(tmp_path) as asking:
        readers = asking.life.readers
        live, archive = readers.live, readers.archive

        def pools(**fields: Any) -> list[Any]:
            return [place.pool for place in places_of(question(**fields), ["default"], readers)]

        assert pools() == [live]
        assert pools(include_archived=True) == [live, archive]
        assert pools(only_archived=True) == [archive]
        (place,) = places_of(question(include_stale=False, tags=[" Tea "], kinds=["fact"]), ["mine"], readers)
        assert (place.filter.namespace, place.filter.states, place.filter.tags) == ("mine", ("active",), ("tea",))
        assert (place.filter.kinds, place.filter.replaced) == (("fact",), False)
