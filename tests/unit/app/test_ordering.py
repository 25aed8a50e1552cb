"""An answer made of the first few is the answer that all of them would have made."""

import random
from collections.abc import AsyncIterator, Callable

import pytest

from reveried.app.candidates import Weighed
from reveried.app.nearby import Nearby
from reveried.app.ordering import Ordered, ordered
from reveried.app.places import Opened, Place, gists_of, looking
from reveried.config.schema import Config
from reveried.domain.policies import RecallPolicy
from reveried.domain.recalling.budget import Candidate, within_budget
from reveried.domain.recalling.ranking import Ranked
from reveried.domain.recalling.relevance import Query, Relevance
from reveried.log.pool import Pool
from reveried.state.reads import Filter
from unit.domain.histories import BORN, SECOND, stored
from unit.state.workspace import workspace

MEMORIES, NOW = 80, BORN + 90 * 86_400 * SECOND
Order = Callable[[dict[int, float], str, int | None], "Ordered"]


@pytest.fixture
async def order() -> AsyncIterator[Callable[..., object]]:
    """Memories as unlike each other as the lifts can make them, ordered by any relevance."""
    dice = random.Random(3)
    with workspace() as space:
        for n in range(MEMORIES):
            kind = dice.choice(["fact", "event", "preference"])
            at = BORN + dice.randint(0, 80) * 86_400 * SECOND
            space.world.record(stored(f"note {n}", kind=kind, importance=dice.random(), created_at=at))
        space.flush()
        pool = Pool(space.store.live_path, 1)
        await pool.open()
        places = [Place(pool, Filter(namespace="default"))]

        async def by(totals: dict[int, float], profile: str, depth: int | None) -> Ordered:
            def work(opened: list[Opened]) -> Ordered:
                found = {id_: Relevance(total, total, total, total, {}) for id_, total in totals.items()}
                weighed = Weighed(Query("q", {}), gists_of(opened, [*totals]), found, Nearby(None))
                return ordered(opened, weighed, profile, Config(recall=STEEP), NOW, depth)

            return await looking(places, work)

        yield by
        await pool.close()


# The lifts at their largest: relevance tells as little as it may.
STEEP = RecallPolicy(lift_recency=0.5, lift_importance=0.5, lift_retention=0.5)


def chosen(found: Ordered, limit: int, budget: int) -> tuple[list[int], int | None]:
    def candidate(one: Ranked) -> Candidate[int]:
        return Candidate(one.memory.id, lambda: 1 + one.memory.id % 7, one.memory.system == "procedural")

    answer = within_budget([candidate(one) for one in found.ranked], limit, budget)
    return answer.items, answer.last


@pytest.mark.parametrize("profile", ["adaptive", "relevance", "balanced"])
async def test_what_is_chosen_of_the_first_is_what_would_be_chosen_of_all(order: Order, profile: str) -> None:
    dice, short = random.Random(7), 0
    for _ in range(120):
        totals = {id_: dice.choice([0.0, dice.random(), dice.random() ** 4]) for id_ in range(1, MEMORIES + 1)}
        limit, budget = dice.randint(1, 8), dice.choice([6, 30, 1_000])
        some, every = await order(totals, profile, limit), await order(totals, profile, None)  # type: ignore[misc]
        items, last = chosen(some, limit, budget)
        assert every.complete
        if some.holds(last):
            assert items == chosen(every, limit, budget)[0]
            short += not some.complete
    assert (short > 20) == (profile != "balanced"), "the whole order was made although the beginning would have done"


async def test_nothing_weighed_is_nothing_ordered(order: Order) -> None:
    assert (await order({}, "adaptive", 5)).ranked == []  # type: ignore[misc]
