from typing import Any

import pytest

from reverie.errors import InvalidField
from reverie.mcp import arguments
from reverie.mcp.arguments import read


def test_an_id_may_be_given_as_it_is_printed() -> None:
    for typed in (12, "12", "id:12", "[id:12]", " [id:12] "):
        assert read({"id": typed}, arguments.OneMemory).id == 12


def test_names_that_models_reach_for_are_understood() -> None:
    assert read({"text": "tea"}, arguments.Save).content == "tea"
    assert read({"memory_id": 3, "q": "tea"}, arguments.Why) == arguments.Why(query="tea", id=3)


def test_a_number_may_come_as_text() -> None:
    assert read({"query": "tea", "limit": "7"}, arguments.Search).limit == 7


@pytest.mark.parametrize(
    ("raw", "shape", "field"),
    [
        ({}, arguments.Search, "query"),
        ({"query": ""}, arguments.Search, "query"),
        ({"query": 5}, arguments.Search, "query"),
        ({"query": "x", "limit": 0}, arguments.Search, "limit"),
        ({"query": "x", "kinds": ["nonsense"]}, arguments.Search, "kinds"),
        ({"query": "x", "since": "soon"}, arguments.Search, "since"),
        ({"query": "x", "qurey": "x"}, arguments.Search, "qurey"),
        ({"content": "x", "importance": 7}, arguments.Save, "importance"),
        ({"id": 0}, arguments.OneMemory, "id"),
        ({"id": "twelve"}, arguments.OneMemory, "id"),
        ({"id": 1 << 70}, arguments.OneMemory, "id"),
    ],
)
def test_bad_arguments_are_refused_with_field_and_hint(raw: dict[str, Any], shape: Any, field: str) -> None:
    with pytest.raises(InvalidField) as caught:
        read(raw, shape)
    assert caught.value.field == field
    assert caught.value.hint is not None
    assert shape.__struct_fields__[0] in caught.value.hint
