import pytest
from hypothesis import given
from hypothesis import strategies as st

from reveried.domain.understanding.tags import TagPolicy, auto_tags, normalise_tag


@pytest.mark.parametrize(
    ("tag", "normal"),
    [
        ("  Ops ", "ops"),
        ("#Release", "release"),
        ("two\n words", "two words"),
        ("E\u0301te\u0301", "\u00e9t\u00e9"),
        (" # ", ""),
    ],
)
def test_a_tag_has_one_spelling(tag: str, normal: str) -> None:
    assert normalise_tag(tag) == normal


def test_the_words_that_come_up_most_are_tags() -> None:
    tags = auto_tags("Redis is fast. Redis cache and redis cluster; the cache is with the team.")
    assert tags[:2] == ("redis", "cache")
    assert "with" not in tags
    assert "is" not in tags


@pytest.mark.parametrize(
    ("source", "reference", "tags"),
    [
        ("agent", None, ()),
        ("upload", "notes/2024/q3-roadmap_draft.md", ("upload", "md", "roadmap")),
        ("connector", "gmail:message-17", ("connector", "gmail")),
        ("upload", "https://example.org/Report.PDF?x=1", ("upload", "pdf", "report")),
        ("upload", "C:\\files\\plan", ("upload",)),
    ],
)
def test_where_a_text_came_from_is_a_tag(source: str, reference: str | None, tags: tuple[str, ...]) -> None:
    assert auto_tags("ok", source, reference) == tags


def test_there_are_never_more_than_a_handful() -> None:
    text = "alpha bravo charlie delta echo foxtrot hotel india juliet"
    assert len(auto_tags(text, "upload", "a/summer-plans.txt")) == 6
    assert len(auto_tags(text, policy=TagPolicy(most=2))) == 2


@given(st.text(st.characters(codec=None, exclude_categories=()), max_size=300), st.text(max_size=40))
def test_tags_of_any_text_are_normal_and_few(text: str, reference: str) -> None:
    tags = auto_tags(text, "upload", reference)
    assert len(tags) == len(set(tags)) <= 6
    assert all(0 < len(tag) <= 64 for tag in tags)
