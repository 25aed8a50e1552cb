"""Whatever way a namespace is searched, row by row, coarse first, or by a graph, it finds the same."""

from collections.abc import Callable

import numpy as np
import pytest

from reveried.vectors import space
from reveried.vectors.graph import is_available
from reveried.vectors.matrix import Floats
from reveried.vectors.space import BEST, IN_CONTEXT
from unit.vectors.points import BY_GRAPH, COARSE, DIMENSION, EXACT, World, clustered, point, unit

WAYS = [
    pytest.param(EXACT, 1.0, id="exact"),
    pytest.param(COARSE, 0.999, id="coarse"),
    pytest.param(
        BY_GRAPH, 0.98, id="graph", marks=pytest.mark.skipif(not is_available(), reason="usearch is not installed")
    ),
]
QUERIES = clustered(60, seed=9)


def found_of(world: World, queries: Floats, count: int = 10) -> float:
    """The share of the truly nearest that a search returns."""
    world.space.wait_for_graph()
    hits = 0
    for query in queries:
        hits += len({*world.best(query, count)} & {*world.space.similarities(query.tobytes()).nearest(count)})
    return hits / (count * len(queries))


def filled(way: dict[str, int], count: int = 1_500) -> World:
    world = World(**way)
    world.put(point(id_, vector) for id_, vector in enumerate(clustered(count), 1))
    world.space.wait_for_graph()
    return world


@pytest.mark.parametrize(("way", "recall"), WAYS)
def test_the_ten_nearest_are_found(way: dict[str, int], recall: float) -> None:
    world = filled(way)
    assert world.space.is_exact == (way is EXACT)
    assert world.space.has_graph == (way is BY_GRAPH)
    assert found_of(world, QUERIES) >= recall


@pytest.mark.parametrize(("way", "recall"), WAYS)
def test_the_best_are_weighed_exactly_and_in_order(way: dict[str, int], recall: float) -> None:
    world = filled(way)
    similarities, truth = world.space.similarities(QUERIES[0].tobytes()), world.truth(QUERIES[0])
    best = similarities.nearest(20)
    near = similarities.of(best)
    assert [near[id_].together for id_ in best] == pytest.approx([truth[id_] for id_ in best], abs=1e-6)
    assert best == sorted(best, key=lambda id_: (-truth[id_], -id_))


@pytest.mark.parametrize("few", [0, 1_000], ids=["in a pass", "one by one"])
@pytest.mark.parametrize(("way", "recall"), WAYS)
def test_the_closest_are_so_by_their_own_words_whatever_their_context(
    way: dict[str, int], recall: float, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(space, "FEW", few)
    world, own, beside = World(**way), clustered(600), clustered(600, seed=4)
    for id_ in range(1, 601):
        context = [point(id_, beside[id_ - 1], IN_CONTEXT)] if id_ % 2 else []
        world.put([point(id_, own[id_ - 1]), *context])
    world.space.wait_for_graph()
    cosines = own @ QUERIES[0]
    wanted = sorted(range(1, 601), key=lambda id_: (-cosines[id_ - 1], id_))[:10]
    found = world.space.closest(QUERIES[0].tobytes(), 10, -1.0)
    assert len({id_ for id_, _ in found} & {*wanted}) >= 10 * (recall if way is not BY_GRAPH else 0.8)
    assert [cosine for _, cosine in found] == pytest.approx([cosines[id_ - 1] for id_, _ in found], abs=1e-6)
    floor = found[4][1]
    assert world.space.closest(QUERIES[0].tobytes(), 10, floor) == found[:5]


@pytest.mark.parametrize(("way", "recall"), WAYS)
def test_long_texts_count_by_their_best_piece_and_sessions_by_their_context(way: dict[str, int], recall: float) -> None:
    world, vectors = World(**way), clustered(900, seed=3).reshape(300, 3, DIMENSION)
    world.put(
        one
        for id_, (first, second, context) in enumerate(vectors, 1)
        for one in (point(id_, first), point(id_, second), point(id_, context, IN_CONTEXT))[: 1 + id_ % 3]
    )
    assert found_of(world, QUERIES) >= recall
    similarities = world.space.similarities(QUERIES[1].tobytes())
    for id_, near in similarities.of(similarities.nearest(30)).items():
        own = max(float(vector @ QUERIES[1]) for vector in vectors[id_ - 1][: 2 if id_ % 3 else 1])
        assert near.cosine == pytest.approx(own, abs=1e-5)
        context = float(vectors[id_ - 1][2] @ QUERIES[1]) if id_ % 3 == 2 else None
        assert near.in_context == (None if context is None else pytest.approx(context, abs=1e-4))


@pytest.mark.parametrize(("way", "recall"), WAYS)
def test_what_is_usual_is_known_or_well_estimated(way: dict[str, int], recall: float) -> None:
    world = filled(way)
    usual, truth = world.space.similarities(QUERIES[2].tobytes()).usual, [*world.truth(QUERIES[2]).values()]
    assert usual.mean == pytest.approx(float(np.mean(truth)), abs=0.02)
    assert usual.deviation == pytest.approx(float(np.std(truth)), rel=0.1)


@pytest.mark.parametrize(("way", "recall"), WAYS)
def test_more_than_are_known_at_once_can_be_asked_for(way: dict[str, int], recall: float) -> None:
    world = filled(way)
    similarities = world.space.similarities(QUERIES[3].tobytes())
    assert len({*similarities.nearest(BEST * 3)} & {*world.best(QUERIES[3], BEST * 3)}) >= BEST * 3 * 0.99
    assert {*similarities.nearest(10_000)} == world.file.keys()


@pytest.mark.parametrize(("way", "recall"), WAYS)
def test_a_few_given_ones_are_ordered_among_themselves(way: dict[str, int], recall: float) -> None:
    world = filled(way)
    few = [id_ for id_ in world.file if id_ % 97 == 0]
    truth = world.truth(QUERIES[4])
    among = world.space.similarities(QUERIES[4].tobytes()).among([*few, 99_999], 3)
    assert {*among} == {*sorted(few, key=lambda id_: -truth[id_])[:3]}


def change_everything(world: World) -> None:
    world.remove(*range(1, 400))
    world.put(point(id_, vector) for id_, vector in enumerate(clustered(500, seed=5), 300))
    world.remove(1_000, 1_001, 77_777)


@pytest.mark.parametrize(("way", "recall"), WAYS)
def test_changes_are_seen_and_what_is_gone_is_never_found(way: dict[str, int], recall: float) -> None:
    world = filled(way)
    change_everything(world)
    assert len(world.space) == len(world.file)
    assert found_of(world, QUERIES) >= recall
    for query in QUERIES:
        assert world.file.keys() >= {*world.space.similarities(query.tobytes()).nearest(BEST)}


@pytest.mark.parametrize(("way", "recall"), WAYS)
@pytest.mark.parametrize("then", [change_everything, lambda world: world.remove(*range(1, 1_200))])
def test_changes_while_a_graph_is_built_are_not_lost(
    way: dict[str, int], recall: float, then: Callable[[World], None]
) -> None:
    world = World(**way)
    world.put(point(id_, vector) for id_, vector in enumerate(clustered(1_500), 1))
    then(world)
    assert found_of(world, QUERIES) >= recall


@pytest.mark.parametrize(("way", "recall"), WAYS)
def test_rows_of_what_is_gone_are_used_again(way: dict[str, int], recall: float) -> None:
    world, vectors = World(**way), clustered(64)
    for turn in range(200):
        world.put(point(id_, vectors[(id_ + turn) % 64]) for id_ in range(1, 65))
    assert world.space.rows == 64


@pytest.mark.parametrize(("way", "recall"), WAYS)
def test_room_is_given_back_when_most_are_gone(way: dict[str, int], recall: float) -> None:
    world = filled(way, 3_000)
    world.remove(*range(1, 2_800))
    assert world.space.rows == 201
    world.put([point(5_000, QUERIES[0])])
    world.space.wait_for_graph()
    assert world.space.similarities(QUERIES[0].tobytes()).nearest(1) == [5_000]
    assert found_of(world, QUERIES) >= recall


@pytest.mark.parametrize(("way", "recall"), WAYS)
def test_an_empty_space_is_near_to_nothing(way: dict[str, int], recall: float) -> None:
    world = World(**way)
    similarities = world.space.similarities(QUERIES[0].tobytes())
    assert (similarities.nearest(5), similarities.of([1]), similarities.usual.deviation) == ([], {}, 0.0)
    world.put([point(1, unit(np.ones(DIMENSION)))])
    world.remove(1)
    assert world.space.similarities(QUERIES[0].tobytes()).nearest(5) == []
