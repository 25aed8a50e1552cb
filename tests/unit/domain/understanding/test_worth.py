import pytest

from reveried.domain.understanding.worth import IngestPolicy, novelty_of, worth_of


@pytest.mark.parametrize(
    ("text", "signals"),
    [
        ("the weather was nice and everybody went home", {}),
        ("it was nice that Ada came along", {"entity": 0.3}),
        ("it took 3 hours to get there", {"number": 0.2}),
        ("i prefer tea to anything else", {"preference": 0.4}),
        ("my favourite colour is green", {"preference": 0.4}),
        ("the cache was cold again", {"technical": 0.1}),
        ("call `flush` before leaving", {"technical": 0.1}),
        ("the value of max_queue is too low", {"technical": 0.1}),
        (
            "I always ask Ada to restart the server at 9",
            {"entity": 0.3, "number": 0.2, "preference": 0.4, "technical": 0.1},
        ),
        ("明日は会議があります", {}),
    ],
)
def test_each_signal_adds_its_share(text: str, signals: dict[str, float]) -> None:
    worth = worth_of(text, 0.0)
    assert worth.signals == signals
    assert worth.salience == pytest.approx(sum(signals.values()))
    assert worth.importance == pytest.approx(0.4 * worth.salience)


@pytest.mark.parametrize(("novelty", "importance"), [(0.0, 0.0), (0.5, 0.3), (1.0, 0.6)])
def test_novelty_weighs_more_than_what_is_said(novelty: float, importance: float) -> None:
    assert worth_of("nothing much happened", novelty).importance == pytest.approx(importance)


def test_importance_never_exceeds_one() -> None:
    policy = IngestPolicy(novelty=1.0, salience=1.0)
    assert worth_of("I prefer that Ada gets 9 tokens", 1.0, policy).importance == 1.0


@pytest.mark.parametrize(("cosine", "novelty"), [(1.0, 0.0), (0.25, 0.75), (0.0, 1.0), (-0.5, 1.0), (1.01, 0.0)])
def test_novelty_is_the_distance_from_the_middle_of_what_is_known(cosine: float, novelty: float) -> None:
    assert novelty_of(cosine) == pytest.approx(novelty)
