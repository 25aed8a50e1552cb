"""What is worth weighing: bounded where much matches, complete where a filter leaves little."""

import random
from collections.abc import AsyncIterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import structs

from reveried.app.candidates import Candidates, Search, Weighed
from reveried.app.places import Place, looking
from reveried.app.semantics import Semantics
from reveried.domain.events import MemoryTransitioned
from reveried.domain.memory import Memory
from reveried.domain.policies import RecallPolicy
from reveried.domain.recalling.relevance import RelevancePolicy
from reveried.domain.recalling.terms import as_counted, terms_of
from reveried.domain.recalling.words import query_words, sought_terms
from reveried.log.pool import Pool
from reveried.ports import EmbedderCondition
from reveried.state.reads import Filter
from reveried.state.vectors import Embedded, VectorStore
from unit.domain.histories import BORN, SECOND, Act, stored
from unit.state.workspace import Workspace, workspace

DIMENSION = 16
WORDS = "harbour lamp oil fog ferry pier bell tide rope anchor 喝茶 写代码".split()
# As bounded as the settings allow, so that bounds are met with few memories.
POLICY = RecallPolicy(term_cap=10, candidates=3)
LIMIT = 12
RARE = ("rare",)


class Hashing:
    """An embedder that gives every text a direction of its own."""

    id, dimension, scripts = "hashed", DIMENSION, "all"
    condition = EmbedderCondition(state="ready", reason="", runtime="fake", model="hashed", restarts=0)

    async def embed(self, texts: Sequence[str], deadline: float, *, urgent: bool = False) -> list[bytes]:
        return [direction(text) for text in texts]

    def warm(self) -> None:
        pass

    async def close(self) -> None:
        pass


def direction(text: str) -> bytes:
    seed = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
    vector = np.random.default_rng(seed).standard_normal(DIMENSION)
    return (vector / np.linalg.norm(vector)).astype(np.float32).tobytes()


class Lived:
    """Two hundred memories of two namespaces; every second one has a vector."""

    def __init__(self, space: Workspace, pool: Pool, store: VectorStore) -> None:
        self.pool = pool
        self.memories: dict[int, Memory] = dict(space.world.memories)
        self.embedded = {id_ for id_ in self.memories if id_ % 2}
        rows = [
            Embedded(id_, self.memories[id_].namespace, 0, id_.to_bytes(16, "big"), direction(str(id_)))
            for id_ in sorted(self.embedded)
        ]
        store.write("hashed", 1, [], rows)
        self.candidates = Candidates(Semantics(Hashing(), store, 0.3, 1 << 40))

    async def weighed(self, query: str, *filters: Filter, policy: RecallPolicy = POLICY) -> Weighed:
        return await self.searched(Search(query, LIMIT, policy, RelevancePolicy()), *filters)

    async def searched(self, search: Search, *filters: Filter) -> Weighed:
        places = [Place(self.pool, one) for one in filters]
        meaning, words = await self.candidates.searched(search, places)
        return await looking(places, lambda opened: self.candidates.weighed(search, meaning, words, opened))

    def holding(self, query: str, id_: int) -> bool:
        text = terms_of(self.memories[id_]).text
        return any(as_counted(one.term) in text for one in sought_terms(query_words(query)))


@pytest.fixture(scope="module")
def space() -> Any:
    dice = random.Random(5)
    with workspace() as space:
        for n in range(200):
            event = stored(
                " ".join(dice.sample(WORDS, 3)) + f" {n}",
                kind=dice.choice(["fact", "event", "preference", "task"]),
                tags_manual=(
                    *dice.sample(["red", "green", "blue"], dice.randint(0, 2)),
                    *(RARE if n % 20 == 0 else ()),
                ),
                session_id=dice.choice([None, "one", "two"]),
                created_at=BORN + dice.randint(-500, 500) * SECOND,
            )
            space.world.record(event, None, dice.choice(["default", "default", "other"]))
        ids = [*space.world.memories]
        faded = tuple(id_ for id_ in ids if id_ % 5 == 0)
        space.world.record(
            MemoryTransitioned(ids=faded, what="state", before="active", after="stale", reason="f"), None
        )
        space.flush()
        yield space


@pytest.fixture
async def lived(space: Workspace, tmp_path: Path) -> AsyncIterator[Lived]:
    pool, store = Pool(space.store.live_path, 2), VectorStore(tmp_path / "vectors.db")
    await pool.open()
    yield Lived(space, pool, store)
    await pool.close()
    store.close()


def a_filter(dice: random.Random) -> Filter:
    def perhaps(value: Any, otherwise: Any) -> Any:
        return value if dice.random() < 0.4 else otherwise

    return Filter(
        namespace=dice.choice(["default", "other"]),
        kinds=perhaps(("event", "task"), ()),
        systems=perhaps(("episodic",), ()),
        tags=perhaps(dice.choice([("red",), ("green", "blue")]), ()),
        states=perhaps(("stale",), ()),
        session_id=perhaps("one", None),
        since=perhaps(BORN + dice.randint(-500, 400) * SECOND, None),
        until=perhaps(BORN + dice.randint(-300, 500) * SECOND, None),
    )


def passes(memory: Memory, asked: Filter) -> bool:
    """The filter as it is documented, said once more in Python."""
    return (
        memory.namespace == asked.namespace
        and (not asked.kinds or memory.kind in asked.kinds)
        and (not asked.systems or memory.system in asked.systems)
        and {*asked.tags} <= {*memory.tags}
        and (not asked.states or memory.state in asked.states)
        and (asked.session_id is None or memory.session_id == asked.session_id)
        and (asked.since is None or memory.created_at >= asked.since)
        and (asked.until is None or memory.created_at < asked.until)
    )


async def test_a_filter_never_returns_less_than_exists_nor_anything_else(lived: Lived) -> None:
    dice, narrow = random.Random(17), 0
    for _ in range(300):
        asked, query = a_filter(dice), " ".join(dice.sample(WORDS, 2))
        found = (await lived.weighed(query, asked)).gists
        passing = {id_ for id_, memory in lived.memories.items() if passes(memory, asked)}
        expected = {id_ for id_ in passing if id_ in lived.embedded or lived.holding(query, id_)}
        by_words = {id_ for id_ in expected if lived.holding(query, id_)}
        assert found.keys() <= passing
        for wanted in (by_words, expected & lived.embedded):
            assert len(wanted & found.keys()) >= min(LIMIT, len(wanted))
        narrow += 0 < len(expected) <= LIMIT
    assert narrow > 50


async def test_without_a_filter_the_number_weighed_is_bounded(lived: Lived) -> None:
    search = Search(" ".join(WORDS), 1, POLICY, RelevancePolicy())
    weighed = await lived.searched(search, Filter(namespace="default"))
    # Three by words, three by meaning, and at most four neighbours of each.
    assert 3 <= len(weighed.gists) <= 6 * 5


async def test_several_namespaces_are_searched_as_if_each_were_alone(lived: Lived) -> None:
    for word in WORDS:
        both = await lived.weighed(word, Filter(namespace="default", tags=RARE), Filter(namespace="other", tags=RARE))
        alone = [await lived.weighed(word, Filter(namespace=name, tags=RARE)) for name in ("default", "other")]
        assert both.gists.keys() == alone[0].gists.keys() | alone[1].gists.keys()
        assert {memory.namespace for memory in both.gists.values()} == {"default", "other"}


async def test_a_common_word_is_not_taken_for_a_rare_one_by_being_capped(space: Workspace, tmp_path: Path) -> None:
    with workspace() as busy:
        for n in range(400):
            busy.world.record(stored(f"{'everyday ' * (n % 2)}{'weekly ' * (n % 10 == 0)}note {n}"))
        busy.flush()
        pool, store = Pool(busy.store.live_path, 1), VectorStore(tmp_path / "vectors.db")
        await pool.open()
        lived = Lived(busy, pool, store)
        rarity = (await lived.weighed("everyday weekly note", Filter(namespace="default"))).query.rarity
        counted = structs.replace(POLICY, term_cap=10_000)
        exact = (await lived.weighed("everyday weekly note", Filter(namespace="default"), policy=counted)).query.rarity
        await pool.close()
        store.close()
    assert rarity == {term: pytest.approx(worth, rel=0.15, abs=0.05) for term, worth in exact.items()}


async def test_what_is_deleted_does_not_hide_what_is_not(tmp_path: Path) -> None:
    with workspace() as space:
        for n in range(100):
            space.world.record(stored(f"harbour note {n}"))
        space.world.run(*(Act("delete", n) for n in range(2, 100)))
        space.flush()
        pool, store = Pool(space.store.live_path, 1), VectorStore(tmp_path / "vectors.db")
        await pool.open()
        weighed = await Lived(space, pool, store).weighed("harbour", Filter(namespace="default", states=("active",)))
        await pool.close()
        store.close()
    assert len(weighed.gists) == 2
