"""Words find what holds them, in any script and whatever else is asked; no text is an error in the index."""

import random
from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime

import pytest

from reveried.domain.recalling.words import query_words, sought_terms
from reveried.log.pool import Pool
from reveried.state.reads import Filter, extent
from reveried.state.searching import holders, holders_of_both, within_filter, within_ids
from unit.domain.histories import stored
from unit.state.workspace import Workspace, workspace

MAY = int(datetime(2023, 5, 8, 12, tzinfo=UTC).timestamp()) * 1_000_000
TEXTS = (
    "Deployed the staging database to amber-17",
    "The café near the Zürich office opens at eight",
    "我们用Python写代码",
    "我喜欢喝茶",
    "Running late again",
    "to be or not to be",
    "cafe without its accent",
)
SPOKEN = stored("I went there alone", speaker="Caroline", tags_manual=("pottery", "陶艺"), created_at=MAY)
COMMON = 60
# Each could be taken for the first by its words, its letters' case, or its accents.
ALIKE = ("team", "team a", "a team", "Team", "téam", "te-am", "teams", "!", "?", "tea\u0301m")


@pytest.fixture(scope="module")
def space() -> Iterator[Workspace]:
    with workspace() as space:
        for text in TEXTS:
            space.world.record(stored(text))
        space.world.record(SPOKEN)
        space.world.record(stored("harbour lantern, long ago"))
        for n in range(COMMON):
            space.world.record(stored(f"harbour note {n}", kind="event" if n == 0 else "fact"))
            space.world.record(stored(f"lantern note {n}"))
        space.world.record(stored("amber elsewhere 喝茶"), None, "other")
        for name in ALIKE:
            space.world.record(stored("falcon 喝水"), None, name)
        space.flush()
        yield space


@pytest.fixture
async def pool(space: Workspace) -> AsyncIterator[Pool]:
    pool = Pool(space.store.live_path, 1)
    await pool.open()
    yield pool
    await pool.close()


async def found(pool: Pool, query: str, namespace: str | None = "default", cap: int = 1_000) -> set[int]:
    terms = sought_terms(query_words(query))
    return {id_ for ids in await pool.run(lambda db: holders(db, terms, namespace, cap)) for id_ in ids}


@pytest.mark.parametrize(
    ("query", "id_"),
    [
        ("deploys", 1),
        ("databases", 1),
        ("amber-17", 1),
        ("cafe", 2),
        ("café", 7),
        ("cafe\u0301", 2),
        ("zurich", 2),
        ("python", 3),
        ("PYTHON代码", 3),
        ("代码", 3),
        ("写", 3),
        ("喝茶", 4),
        ("茶", 4),
        ("run", 5),
        ("to be", 6),
        ("what did Caroline say", 8),
        ("pottery", 8),
        ("陶艺", 8),
        ("8 May", 8),
        ("May 2023", 8),
        ("2023-05-08", 8),
        ("https://example.org/amber lantern, long", 9),
    ],
)
async def test_a_memory_is_found_by(pool: Pool, query: str, id_: int) -> None:
    assert id_ in await found(pool, query)


async def test_stop_words_find_nothing_beside_a_telling_word(pool: Pool) -> None:
    assert await found(pool, "what is the database to be") == {1}


@pytest.mark.parametrize("query", ["falcon", "喝水"], ids=["words", "pairs"])
async def test_namespaces_whose_names_are_alike_are_not_taken_for_each_other(pool: Pool, query: str) -> None:
    places = [await found(pool, query, name) for name in ALIKE]
    assert [len(ids) for ids in places] == [1] * len(ALIKE)
    assert len(set.union(*places)) == len(ALIKE)


async def test_another_namespace_is_not_searched_in_either_index(pool: Pool) -> None:
    assert await found(pool, "amber 喝茶") == {1, 4}
    assert len(await found(pool, "amber 喝茶", "other")) == 1
    assert await found(pool, "amber 喝茶", "nobody") == set()


async def test_a_common_word_gives_its_newest_alone(pool: Pool) -> None:
    (ids,) = await pool.run(lambda db: holders(db, sought_terms(["harbour"]), None, 10))
    assert (len(ids), ids) == (10, sorted(ids, reverse=True))
    assert min(ids) > COMMON
    assert 9 not in ids


async def test_what_holds_two_common_words_is_found_however_old(pool: Pool) -> None:
    one, other = sought_terms(["harbour", "lantern"])
    assert await pool.run(lambda db: holders_of_both(db, one, other, "default", 10)) == [9]


async def test_a_search_inside_given_ids_or_a_filter_looks_past_the_newest(pool: Pool) -> None:
    terms = sought_terms(["harbour", "茶"])
    assert await pool.run(lambda db: holders(db, terms, "default", 5, within_ids([4, 9, 11]))) == [[9], [4]]
    assert await pool.run(lambda db: holders(db, terms, "default", 5, within_ids([]))) == [[], []]
    events = within_filter(Filter(namespace="default", kinds=("event",)))
    assert [len(ids) for ids in await pool.run(lambda db: holders(db, terms, "default", 5, events))] == [1, 0]


async def test_the_extent_says_how_many_and_whether_others_are_there(pool: Pool) -> None:
    known = await pool.run(lambda db: extent(db, "default"))
    assert (known.count, known.lowest, known.highest, known.alone) == (2 * COMMON + 9, 1, 2 * COMMON + 9, False)
    assert (await pool.run(lambda db: extent(db, "nobody"))).count == 0


NASTY = [
    *('"', "'", "*", "^", "(", ")", "{", "}", ":", "-", "+", "NEAR(a b)", "AND", "OR NOT", "a AND", "content:", "\0"),
    *(
        "'; DROP TABLE memories; --",
        '" OR 1',
        'namespace:"other"',
        "\ud7ff",
        "\u200d\u200b",
        "e\u0301" * 40,
        "木" * 500,
    ),
    *("١٢٣", "ﬁﬂ", "İI", "ß", "🙂👩‍👩‍👧", "\u0e33\u0e31", "a" * 10_000, "名 前", "%s{table}{0}", "½²", "_", "__a__"),
]


async def test_no_text_whatever_is_an_error(pool: Pool) -> None:
    dice = random.Random(11)
    alphabet = "".join(NASTY[:17]) + "aé木の서ไ🙂\u0301\u200d\n\t_%{}0"
    texts = NASTY + ["".join(dice.choices(alphabet, k=dice.randint(1, 60))) for _ in range(1_500)]
    anything = [*map(chr, range(1, 0xD7FF)), *map(chr, range(0xE000, 0x2FFFF))]
    texts += ["".join(dice.choices(anything, k=12)) for _ in range(500)]
    for text in texts:
        await found(pool, text, dice.choice(["default", "other", None, text[:64]]), 5)
    assert len(texts) > 2_000
