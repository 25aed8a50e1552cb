import itertools
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from reveried.domain.forgetting import columns, lifecycle, priority, pruning, retention, tiers
from reveried.domain.forgetting.units import DAY
from reveried.domain.memory import STATES, Memory
from unit.domain.forgetting.making import a_memory, counts, day, memories, moments

CURVES = [
    retention.RetentionPolicy(),
    retention.RetentionPolicy(by="importance"),
    retention.RetentionPolicy(by="importance", growth="geometric", connectivity=False),
    retention.RetentionPolicy(growth="geometric", geometric_rate=1.0),
]
LIVES = [
    lifecycle.LifecyclePolicy(),
    lifecycle.LifecyclePolicy(mode="full"),
    lifecycle.LifecyclePolicy(mode="full", manual_tags_protect=True, stale_days=1.0),
    lifecycle.LifecyclePolicy(mode="never"),
]
curves = st.sampled_from(CURVES)
lives = st.sampled_from(LIVES)
TIERS = tiers.TierPolicy()
PRIORITY = priority.PriorityPolicy()
PRUNE = pruning.PrunePolicy()
Extra = tuple[int, int, int | None]  # edges, recent edges, stale since


@st.composite
def stores(draw: st.DrawFn) -> tuple[list[Memory], columns.Columns, list[Extra]]:
    """A few memories, the same as columns, and what is known beside each."""
    found = draw(st.lists(memories(), max_size=5, unique_by=lambda memory: memory.id))
    extras = [(draw(counts), draw(st.sampled_from([0, 0, 1, 4])), draw(st.none() | moments)) for _ in found]
    return found, table_of(found, extras), extras


def table_of(found: list[Memory], extras: list[Extra]) -> columns.Columns:
    ids = [memory.id for memory in found]
    edges, recent, stale = ({i: extra[n] for i, extra in zip(ids, extras, strict=True)} for n in range(3))
    return columns.columns_of(found, edges, recent, {i: at for i, at in stale.items() if at is not None})


@given(stores(), moments, curves)
def test_stability_and_retention_are_the_same(store, now, curve) -> None:
    found, table, extras = store
    stability = [retention.stability_days(m, edges, curve) for m, (edges, _, _) in zip(found, extras, strict=True)]
    left = [retention.retention_at(m, now, curve, edges) for m, (edges, _, _) in zip(found, extras, strict=True)]
    assert columns.stability_days(table, curve).tolist() == stability
    assert columns.retention_at(table, now, curve) == pytest.approx(left, rel=1e-12, abs=0)


@given(stores(), moments, curves, lives)
def test_states_and_their_reasons_are_the_same(store, now, curve, life) -> None:
    assert_same_states(*store, now, curve, life)


@pytest.mark.parametrize("life", LIVES)
def test_states_are_the_same_on_a_grid_of_every_case(life) -> None:
    """Each moment is also tried as an expiry, a deletion and a start of staleness."""
    moments_tried = [None, *map(day, (0, 48, 50, 70, 72.5, 102.5, 139, 280))]
    cases = list(itertools.product(STATES, moments_tried, moments_tried, [False, True], [(), ("x",)]))
    found = [
        a_memory(id=n, kind="plan", state=state, expires_at=end, deleted_at=end, pinned=pinned, tags_manual=tags)
        for n, (state, end, _, pinned, tags) in enumerate(cases)
    ]
    extras = [(0, 0, stale_since) for _, _, stale_since, _, _ in cases]
    for now in filter(None, moments_tried):
        assert_same_states(found, table_of(found, extras), extras, now, CURVES[0], life)


def assert_same_states(found, table, extras, now, curve, life) -> None:
    states, reasons = columns.next_states(table, now, curve, life)
    for row, (memory, (edges, _, stale_since)) in enumerate(zip(found, extras, strict=True)):
        change = lifecycle.next_state(memory, stale_since, now, curve, life, edges)
        expected = (change.after, change.reason) if change else None
        assert named(states[row], reasons[row], columns.LADDER, columns.REASONS) == expected


@given(memories(), st.none() | moments, counts, curves, lives, st.integers(-1, 0))
def test_states_are_the_same_at_the_very_moment_of_change(memory, stale_since, edges, curve, life, offset) -> None:
    coming = lifecycle.forecast(memory, stale_since, memory.created_at, curve, life, edges)
    assume(coming is not None)
    extras = [(edges, 0, stale_since)]
    assert_same_states([memory], table_of([memory], extras), extras, coming.at + offset, curve, life)


@given(stores(), moments, curves)
def test_tiers_and_their_reasons_are_the_same(store, now, curve) -> None:
    assert_same_tiers(*store, now, curve)


@pytest.mark.parametrize("idle", [1, 3, 3.5, 4, 21, 25, 30, 44, 45, 60, 100])
def test_tiers_are_the_same_on_a_grid_of_every_case(idle: float) -> None:
    kinds, places, priorities = ("ephemeral", "context", "plan"), ("hot", "warm", "archive"), (None, 0.0, 1.0)
    plain = [
        a_memory(kind=kind, tier=tier, priority=worth, pinned=pinned, tags_manual=tags)
        for kind, tier, worth, pinned, tags in itertools.product(kinds, places, priorities, [0, 1], [(), ("x",)])
    ]
    cases = list(itertools.product(plain, (0, 1, 2, 3, 6), (0, 1, 4)))
    found = [replace(memory, id=n) for n, (memory, _, _) in enumerate(cases)]
    extras = [(edges, recent, None) for _, edges, recent in cases]
    assert_same_tiers(found, table_of(found, extras), extras, day(idle), CURVES[0])


@pytest.mark.parametrize("age", [0, 1, 30, 31, 365])
@pytest.mark.parametrize("worth", [None, 0.0, 1.0])
def test_nobody_counts_for_more_than_the_most(age: float, worth: float | None) -> None:
    """Read and linked far more often than what counts in full, in the first period of a life and in later ones."""
    found = [a_memory(id=n, access_count=n**3, priority=worth, pinned=n % 2) for n in range(1, 12)]
    extras = [(edges, edges % 7, None) for edges in range(1, 12)]
    assert_same_tiers(found, table_of(found, extras), extras, day(age), CURVES[0])
    kept = columns.retention_at(table_of(found, extras), day(age), CURVES[0])
    assert all(kept[row] == 1.0 for row, memory in enumerate(found) if memory.pinned)


def assert_same_tiers(found, table, extras, now, curve) -> None:
    priorities = columns.priorities_at(table, now, columns.relationship_scores(table, TIERS), PRIORITY)
    codes, reasons = columns.tiers(table, now, priorities, curve, TIERS)
    for row, (memory, (edges, recent, _)) in enumerate(zip(found, extras, strict=True)):
        worth = priority.priority_at(memory, now, tiers.relationship_score(edges, recent, TIERS), PRIORITY)
        assert priorities[row] == pytest.approx(worth, rel=1e-12, abs=0)
        signals = tiers.tier_signals(
            memory, now, priority=worth, edges=edges, recent_edges=recent, retention=curve, policy=TIERS
        )
        decision = tiers.decide_tier(signals, memory.tier, TIERS)
        found_here = named(codes[row], reasons[row], columns.TIERS, columns.TIER_REASONS)
        assert found_here == (decision.tier, decision.reason)


@given(stores(), moments)
def test_the_order_of_pruning_is_the_same(store, now) -> None:
    found, table, _ = store
    weights = [pruning.prune_weight(m.score, m.reinforced_at or m.created_at, now, PRUNE) for m in found]
    assert columns.prune_weights(table, now, PRUNE).tolist() == weights
    assert columns.prune_order(table, now, PRUNE).tolist() == [m.id for m in pruning.prune_order(found, now, PRUNE)]


def named(code: int, reason: int, names: tuple[str, ...], reasons: tuple[str, ...]) -> tuple[str, str] | None:
    return None if code == columns.NONE else (names[code], reasons[reason])


def test_settings_at_their_limits_do_not_overflow() -> None:
    curve = retention.RetentionPolicy(
        kind_days=retention.KindDays(fact=36_500.0), logarithmic_rate=10.0, connectivity_weight=10.0
    )
    table = columns.columns_of([a_memory(access_count=10**9)], {1: 10**9}, {}, {})
    states, _ = columns.next_states(table, day(36_500), curve, lifecycle.LifecyclePolicy(delete_below=1e-9))
    assert states.tolist() == [columns.NONE]


def test_an_empty_store_has_empty_answers() -> None:
    table = columns.columns_of([], {}, {}, {})
    assert columns.retention_at(table, DAY, CURVES[0]).shape == (0,)
    assert columns.prune_order(table, DAY, PRUNE).tolist() == []


def test_codes_stay_small() -> None:
    table = columns.columns_of([a_memory()], {}, {}, {})
    states = columns.next_states(table, day(1), CURVES[0], LIVES[0])
    places = columns.tiers(table, day(1), np.zeros(1), CURVES[0], TIERS)
    assert {codes.dtype for codes in (*states, *places)} == {np.dtype(np.int8)}


def test_the_rest_of_the_package_does_not_need_numpy() -> None:
    modules = "lifecycle, priority, pruning, retention, tiers, units"
    program = f"import sys; from reveried.domain.forgetting import {modules}; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
