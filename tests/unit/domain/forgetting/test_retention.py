import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reveried.domain.forgetting.retention import (
    KindDays,
    RetentionPolicy,
    curve_at,
    level_of,
    retention_at,
    stability_days,
    staleness_at,
)
from unit.domain.forgetting.making import BORN, a_memory, counts, day, memories, moments

BY_KIND = RetentionPolicy()
BY_IMPORTANCE = RetentionPolicy(by="importance")
GEOMETRIC = RetentionPolicy(by="importance", growth="geometric")
policies = st.sampled_from([BY_KIND, BY_IMPORTANCE, GEOMETRIC, RetentionPolicy(connectivity=False)])


@pytest.mark.parametrize(
    ("kind", "days"),
    [
        ("identity", 365),
        ("preference", 270),
        ("relationship", 270),
        ("fact", 270),
        ("decision", 365),
        ("event", 120),
        ("activity", 90),
        ("plan", 60),
        ("context", 21),
        ("ephemeral", 3),
        ("document", 90),
        ("hunch", 90),
        ("of", 90),
    ],
)
def test_every_kind_has_its_base_stability(kind: str, days: float) -> None:
    assert stability_days(a_memory(kind=kind), 0, BY_KIND) == days
    assert retention_at(a_memory(kind=kind), day(days), BY_KIND) == pytest.approx(0.3679, abs=1e-4)


@pytest.mark.parametrize(("level", "half_life"), [(1, 7), (2, 14), (3, 30), (4, 90), (5, 365)])
def test_a_level_of_importance_has_its_half_life(level: int, half_life: float) -> None:
    assert retention_at(a_memory(importance=level / 5), day(half_life), BY_IMPORTANCE) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("days", "left"), [(0, 1), (7, 0.851), (14, 0.724), (30, 0.5), (60, 0.25), (90, 0.125), (120, 0.063)]
)
def test_importance_three_halves_every_thirty_days(days: float, left: float) -> None:
    # Day 120 is exactly .0625, on the very edge of what rounds to .063.
    assert retention_at(a_memory(importance=0.6), day(days), BY_IMPORTANCE) == pytest.approx(left, abs=5.001e-4)


@pytest.mark.parametrize(
    ("importance", "level"), [(0, 1), (0.1, 1), (0.2, 1), (0.3, 2), (0.4, 2), (0.6, 3), (0.69, 3), (0.8, 4), (1, 5)]
)
def test_importance_belongs_to_the_nearest_level(importance: float, level: int) -> None:
    assert level_of(importance) == level


def test_five_accesses_double_a_half_life_of_thirty_days_geometrically() -> None:
    recalled = a_memory(importance=0.6, access_count=5)
    assert retention_at(recalled, day(60.34), GEOMETRIC) == pytest.approx(0.5, abs=1e-4)


@pytest.mark.parametrize("accesses", [20, 50, 10_000, 10**9])
def test_geometric_growth_stops_at_its_cap(accesses: int) -> None:
    once = stability_days(a_memory(), 0, GEOMETRIC)
    assert stability_days(a_memory(access_count=accesses), 0, GEOMETRIC) == 16 * once


def test_geometric_growth_below_its_cap_is_a_plain_power() -> None:
    once = stability_days(a_memory(), 0, GEOMETRIC)
    assert stability_days(a_memory(access_count=19), 0, GEOMETRIC) == pytest.approx(once * 1.15**19)


def test_an_identity_recalled_ten_times_keeps_78_percent_for_200_days() -> None:
    recalled = a_memory(kind="identity", access_count=10, last_accessed_at=BORN)
    assert stability_days(recalled, 0, BY_KIND) == pytest.approx(802.6, abs=0.05)
    assert retention_at(recalled, day(200), BY_KIND) == pytest.approx(0.779, abs=5e-4)


def test_links_slow_fading_unless_connectivity_is_off() -> None:
    assert stability_days(a_memory(), 9, BY_KIND) == pytest.approx(270 * 1.230259, abs=1e-3)
    assert stability_days(a_memory(), 9, RetentionPolicy(connectivity=False)) == 270


@pytest.mark.parametrize(
    ("times", "idle"),
    [
        ({}, 100),
        ({"last_accessed_at": day(40)}, 60),
        ({"reinforced_at": day(70)}, 30),
        ({"last_accessed_at": day(40), "reinforced_at": day(70)}, 30),
        ({"last_accessed_at": day(90), "reinforced_at": day(70)}, 10),
    ],
)
def test_fading_starts_again_when_a_memory_is_read_reinforced_or_rewritten(times: dict[str, int], idle: float) -> None:
    expected = retention_at(a_memory(), day(idle), BY_KIND)
    assert retention_at(a_memory(**times), day(100), BY_KIND) == pytest.approx(expected)


def test_a_pinned_memory_does_not_fade_though_its_curve_is_known() -> None:
    pinned = a_memory(pinned=True)
    assert retention_at(pinned, day(1000), BY_KIND) == 1.0
    assert curve_at(pinned, day(270), BY_KIND) == pytest.approx(0.3679, abs=1e-4)


@given(memories(), moments, counts, policies)
def test_something_is_always_left_and_never_more_than_all(memory, now, links, policy) -> None:
    assert 0.0 < retention_at(memory, now, policy, links) <= 1.0
    assert staleness_at(memory, now, policy, links) == 1.0 - retention_at(memory, now, policy, links)


@given(memories(), moments, moments, counts, policies)
def test_a_memory_only_fades_as_time_passes_and_a_clock_set_back_never_fades_it(memory, one, other, links, policy):
    earlier, later = sorted((one, other))
    assert retention_at(memory, earlier, policy, links) >= retention_at(memory, later, policy, links)


@given(memories())
def test_a_clock_before_its_last_use_leaves_a_memory_whole(memory) -> None:
    assert retention_at(memory, BORN - 1, BY_KIND) == 1.0


@given(memories(), moments, counts, counts, policies)
def test_a_recalled_memory_fades_more_slowly(memory, now, links, more, policy) -> None:
    recalled = replace(memory, access_count=memory.access_count + more)
    assert retention_at(recalled, now, policy, links) >= retention_at(memory, now, policy, links)


@given(memories(), moments, counts, counts, policies)
def test_a_linked_memory_never_fades_faster(memory, now, links, more, policy) -> None:
    assert retention_at(memory, now, policy, links + more) >= retention_at(memory, now, policy, links)


def test_one_kind_can_be_set_without_losing_the_others() -> None:
    policy = msgspec.convert({"kind_days": {"plan": 10}}, RetentionPolicy)
    assert policy.kind_days == KindDays(plan=10.0)
    assert policy.kind_days.of("identity") == 365


@pytest.mark.parametrize(
    "section",
    [
        {"kind_days": {"plans": 10}},
        {"kind_days": {"plan": 0}},
        {"kind_days": {"plan": float("nan")}},
        {"half_life_days": [7, 14, 30]},
        {"growth": "linear"},
        {"geometric_rate": 0.9},
        {"speed": 1},
    ],
)
def test_a_section_that_makes_no_sense_is_refused(section: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(section, RetentionPolicy)
