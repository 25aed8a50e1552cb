"""Plain values are read as YAML reads them; what costs more than it says is refused."""

import pytest

from reverie.plain_yaml import NotPlain, values_in


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x]\nb: [*a, *a]",
        "a: !!timestamp x",
        "a: " + "[" * 40,
        "a: 2026-99-99",
        'a: "\\UFFFFFFFF"',
        "a: [",
        "a: \x16",
    ],
)
def test_what_costs_more_than_it_says_is_refused(text: str) -> None:
    with pytest.raises(NotPlain):
        values_in(text)


def test_plain_values_are_read() -> None:
    assert values_in("title: a note\ntags: [b, c]\nn: 3") == {"title": "a note", "tags": ["b", "c"], "n": 3}
    assert (values_in("just words"), values_in("")) == ("just words", None)
