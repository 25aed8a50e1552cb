"""The keyword index finds what people mean, in any script, and no query can make it fail."""

import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from reveried.domain.recalling.words import LONE_SHARE, Sought, query_words, sought_terms
from reveried.state.catalog import LIVE, ddl_of
from reveried.state.fulltext import DEEPEST, FullText, depth
from reveried.state.projection import Change
from unit.domain.histories import Act
from unit.state.workspace import workspace

TEXTS = (
    "Deployed the staging database to amber-17",
    "The café near the Zürich office opens at eight",
    "明日は東京で会議があります",
    "我喜欢喝茶",
    "서울에서 만나요",
    "พรุ่งนี้ประชุมที่สำนักงาน",
    "テストを書く",
    "to be or not to be",
)


@pytest.fixture(scope="module")
def index() -> Iterator[sqlite3.Connection]:
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(ddl_of(LIVE))
    with workspace() as space:
        space.world.run(*(Act("store", text=text) for text in TEXTS))
        changes = [Change(id_, None, memory) for id_, memory in space.world.memories.items()]
    for projection in LIVE:
        projection.apply(db, (), changes, bulk=False)
    yield db
    db.close()


def found(db: sqlite3.Connection, query: str) -> set[str]:
    return {text for sought in sought_terms(query_words(query)) for text in found_by(db, sought)}


def found_by(db: sqlite3.Connection, sought: Sought) -> set[str]:
    ids = set[int]()
    for table, expression in (("fulltext", sought.spaced), ("fulltext_pairs", sought.paired)):
        if expression:
            ids |= {id_ for (id_,) in db.execute(f"SELECT rowid FROM {table} WHERE {table} MATCH ?", (expression,))}
    return {TEXTS[id_ - 1] for id_ in ids}


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("deploy", 0),
        ("deploys databases", 0),
        ("STAGING", 0),
        ("amber", 0),
        ("amber-17", 0),
        ("cafe", 1),
        ("CAFÉ", 1),
        ("cafe\u0301", 1),
        ("zurich", 1),
        ("東京", 2),
        ("会議", 2),
        ("東", 2),
        ("り", 2),
        ("喝茶", 3),
        ("茶", 3),
        ("我", 3),
        ("서울", 4),
        ("울", 4),
        ("만나요", 4),
        ("ประชุม", 5),
        ("น", 5),
        ("テスト", 6),
        ("スト", 6),
        ("be or not", 7),
    ],
)
def test_a_query_finds_its_text(index: sqlite3.Connection, query: str, text: int) -> None:
    assert TEXTS[text] in found(index, query)


@pytest.mark.parametrize("query", ["tokyo", "office17", "トテ", "zzz", "http://staging.example/database", "", "?"])
def test_a_query_finds_nothing_it_should_not(index: sqlite3.Connection, query: str) -> None:
    assert found(index, query) == set()


@pytest.mark.parametrize(("pair", "text"), [("京東", 2), ("茶喝", 3)])
def test_a_pair_turned_round_is_found_by_its_characters_alone_and_those_count_less(
    index: sqlite3.Connection, pair: str, text: int
) -> None:
    matching = [sought for sought in sought_terms(query_words(pair)) if found_by(index, sought)]
    assert [(sought.term, sought.share) for sought in matching] == [(char, LONE_SHARE) for char in pair]
    assert found(index, pair) == {TEXTS[text]}


HOSTILE = (
    '"', '""', "'", "*", "a*", "^a", "-a", "+", "a + b", "NEAR(a b)", "AND", "OR", "NOT", "a AND", "(a", ")", "{a b}:c",
    "content:staging", "fulltext MATCH 'x'", "\x00", "a\x00b", "\ud7ff", "\ufeff", "%_", ";--", "' OR 1=1 --", "\u0301",
    "\u0301" * 80, "a" * 10_000, "a " * 5_000, "東 " * 100, " ".join("東京" * 40 for _ in range(40)),
    " ".join(f"{number:05}東{'京都' * 31}" for number in range(40)), "\u202e evil",
    "İ", "ß", "ﬃ", "\U0001f600", "०१२", "a\u200db",
)  # fmt: skip


@pytest.mark.parametrize("query", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_query_raises_no_error(index: sqlite3.Connection, query: str) -> None:
    found(index, query)


pieces = st.sampled_from(HOSTILE[:-8]) | st.text(max_size=12) | st.sampled_from(TEXTS)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(pieces, max_size=5).map("".join), min_size=100, max_size=100))
def test_no_query_raises_an_error(index: sqlite3.Connection, queries: list[str]) -> None:
    """A hundred queries an example: ten thousand in all."""
    for query in queries:
        found(index, query)


def test_an_index_that_was_merged_thousands_of_times_still_answers(index: sqlite3.Connection) -> None:
    """An erasure merges it wholly, and so does each look of the doctor."""
    with workspace() as space:
        space.world.run(Act("store", text="the heron stands in the reeds 鷺"))
        (memory,) = space.world.memories.values()
    fulltext, deepest = FullText(), 0
    for id_ in range(1_000, 3_500):
        fulltext.apply(index, (), [Change(id_, None, replace(memory, id=id_))], bulk=False)
        fulltext.scrub(index)
        deepest = max(deepest, depth(index, "fulltext"), depth(index, "fulltext_pairs"))
    assert found(index, "staging") == {TEXTS[0]}
    assert found(index, "東京") == {TEXTS[2]}
    assert deepest <= DEEPEST + 1
