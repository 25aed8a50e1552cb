from collections import Counter
from itertools import combinations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.corpora import rows
from reveried.domain.understanding.kinds import kind_of
from reveried.domain.understanding.salience import Salience, SaliencePolicy, level_of, salience

WANTED = {1: 5, 2: 35, 3: 40, 4: 15, 5: 5}


def _levels() -> list[int]:
    return [level_of(salience(row["text"], kind_of(row["text"]))) for row in rows("notes")]


def test_levels_are_spread_as_intended() -> None:
    counted = Counter(_levels())
    total = sum(counted.values())
    assert total >= 200
    for level, percent in WANTED.items():
        assert abs(100 * counted[level] / total - percent) <= 7, counted


@pytest.mark.parametrize("split", ["dev", "test"])
def test_what_people_rate_higher_is_rated_higher(split: str) -> None:
    rated = [(row["level"], salience(row["text"], kind_of(row["text"])).value) for row in rows("notes", split)]
    apart = [(a, b) for a, b in combinations(sorted(rated), 2) if b[0] - a[0] >= 2]
    agreeing = sum(low[1] < high[1] for low, high in apart)
    assert agreeing >= 0.9 * len(apart)


@pytest.mark.parametrize(
    ("text", "kind", "signal"),
    [
        ("It must be so", "fact", "specificity"),
        ("The limit is 60 a minute", "fact", "numbers"),
        ("It was shown to Helen", "event", "entities"),
        ("The report is due by friday", "plan", "temporal"),
        ("It ran on 2024-05-02", "event", "temporal"),
        ("Avoid that road", "fact", "negation"),
        ("my favourite colour is blue", "preference", "preference"),
        ("my favorite color is blue", "preference", "preference"),
        ("we chose it", "decision", "kind"),
        ("a long road", "activity", "detail"),
    ],
)
def test_each_signal_is_named_and_raises_the_value(text: str, kind: str, signal: str) -> None:
    weighed = salience(text, kind)
    assert weighed.signals[signal] > 0
    assert weighed.value == pytest.approx(sum(weighed.signals.values()))


def test_a_capital_that_starts_a_sentence_is_no_entity() -> None:
    assert "entities" not in salience("Ships sail. Boats too.", "fact").signals


@pytest.mark.parametrize(("value", "level"), [(0.0, 1), (0.2, 2), (0.35, 3), (0.5, 4), (1.0, 5)])
def test_a_level_begins_at_its_line(value: float, level: int) -> None:
    policy = SaliencePolicy(levels=(0.2, 0.35, 0.5, 1.0))
    assert level_of(Salience(value, {}), policy) == level


def test_a_policy_refuses_unknown_settings() -> None:
    with pytest.raises(msgspec.ValidationError, match="colour"):
        msgspec.convert({"colour": 1}, SaliencePolicy)


@given(st.text(st.characters(codec=None, exclude_categories=()), max_size=300), st.text(max_size=10))
def test_salience_stays_between_nothing_and_one(text: str, kind: str) -> None:
    weighed = salience(text, kind)
    assert 0 <= weighed.value <= 1
    assert 1 <= level_of(weighed) <= 5
