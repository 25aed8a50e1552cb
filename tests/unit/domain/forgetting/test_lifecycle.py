import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from reveried.domain.forgetting.lifecycle import (
    LADDER,
    Forecast,
    LifecyclePolicy,
    Transition,
    forecast,
    next_state,
)
from reveried.domain.forgetting.retention import RetentionPolicy, retention_at
from reveried.domain.forgetting.units import DAY
from unit.domain.forgetting.making import BORN, a_memory, counts, day, maybe, memories, moments

CURVE = RetentionPolicy()
ARCHIVE = LifecyclePolicy()
FULL = LifecyclePolicy(mode="full")
NEVER = LifecyclePolicy(mode="never")
CAREFUL = LifecyclePolicy(mode="full", manual_tags_protect=True)
LAX = LifecyclePolicy(mode="full", manual_tags_protect=False)
ABRUPT = LifecyclePolicy(mode="full", stale_below=0.1, archive_below=0.1, delete_below=0.1)
modes = st.sampled_from([ARCHIVE, FULL, NEVER, LAX, ABRUPT])

PURGED = ("deleted", "purged", "purge_due")

# kind, and the days after which it is stale, archived by the curve, archived at all, deleted.
DAYS_OF_KIND = [
    ("identity", 439.5, 840.4, 469.5, 1680.9),
    ("decision", 439.5, 840.4, 469.5, 1680.9),
    ("preference", 325.1, 621.7, 355.1, 1243.4),
    ("relationship", 325.1, 621.7, 355.1, 1243.4),
    ("fact", 325.1, 621.7, 355.1, 1243.4),
    ("event", 144.5, 276.3, 174.5, 552.6),
    ("activity", 108.4, 207.2, 138.4, 414.5),
    ("plan", 72.2, 138.2, 102.2, 276.3),
    ("context", 25.3, 48.4, 48.4, 96.7),
    ("ephemeral", 3.6, 6.9, 6.9, 13.8),
]


def days_until(change: Forecast | None) -> float:
    assert change is not None
    return (change.at - BORN) / DAY


@pytest.mark.parametrize(("kind", "stale", "faint", "archived", "deleted"), DAYS_OF_KIND)
def test_each_kind_sinks_on_its_days(kind: str, stale: float, faint: float, archived: float, deleted: float) -> None:
    memory = a_memory(kind=kind)
    first = forecast(memory, None, BORN, CURVE, FULL)
    assert days_until(first) == pytest.approx(stale, abs=0.1)
    assert (first.state, first.reason) == ("stale", "retention_below_stale")

    second = forecast(replace(memory, state="stale"), first.at, first.at, CURVE, FULL)
    assert days_until(second) == pytest.approx(archived, abs=0.1)
    assert (second.state, second.reason) == (
        "archived",
        "retention_below_archive" if archived == faint else "stale_too_long",
    )

    third = forecast(replace(memory, state="archived"), None, second.at, CURVE, FULL)
    assert days_until(third) == pytest.approx(deleted, abs=0.1)
    assert (third.state, third.reason) == ("deleted", "retention_below_delete")

    just_before_faint, just_after_faint = day(faint - 0.1), day(faint + 0.1)
    assert next_state(memory, None, just_before_faint, CURVE, FULL).after == "stale"
    assert next_state(memory, None, just_after_faint, CURVE, FULL).after == "archived"


@pytest.mark.parametrize(
    ("fields", "stale_since", "now", "policy", "expected"),
    [
        ({}, None, day(325), ARCHIVE, None),
        ({}, None, day(326), ARCHIVE, ("active", "stale", "retention_below_stale")),
        ({}, None, day(622), ARCHIVE, ("active", "archived", "retention_below_archive")),
        ({}, None, day(5000), ARCHIVE, ("active", "archived", "retention_below_archive")),
        ({}, None, day(1244), FULL, ("active", "deleted", "retention_below_delete")),
        ({}, None, day(5000), NEVER, None),
        ({"state": "stale"}, day(400), day(429), ARCHIVE, None),
        ({"state": "stale"}, day(400), day(430), ARCHIVE, ("stale", "archived", "stale_too_long")),
        ({"state": "stale"}, day(400), day(5000), ARCHIVE, ("stale", "archived", "stale_too_long")),
        ({"state": "stale"}, day(620), day(630), ARCHIVE, ("stale", "archived", "retention_below_archive")),
        ({"state": "stale"}, None, day(356), ARCHIVE, ("stale", "archived", "stale_too_long")),
        ({"state": "stale"}, day(400), day(5000), NEVER, None),
        ({"state": "stale"}, day(1), day(300), ARCHIVE, ("stale", "active", "retention_recovered")),
        ({"state": "archived"}, None, day(5000), ARCHIVE, None),
        ({"state": "archived"}, None, day(5000), FULL, ("archived", "deleted", "retention_below_delete")),
        ({"state": "archived"}, None, day(0), ARCHIVE, None),
        ({"expires_at": day(2)}, None, day(1.9), ARCHIVE, None),
        ({"expires_at": day(2)}, None, day(2), ARCHIVE, ("active", "deleted", "expired")),
        ({"expires_at": day(2)}, None, day(2), NEVER, ("active", "deleted", "expired")),
        ({"expires_at": day(2), "state": "archived"}, None, day(2), ARCHIVE, ("archived", "deleted", "expired")),
        ({"expires_at": day(2), "state": "stale"}, None, day(2), ARCHIVE, ("stale", "deleted", "expired")),
        ({"expires_at": day(2), "pinned": True}, None, day(3), ARCHIVE, None),
        ({"state": "deleted", "deleted_at": day(1)}, None, day(90.9), ARCHIVE, None),
        ({"state": "deleted", "deleted_at": day(1)}, None, day(91), ARCHIVE, PURGED),
        ({"state": "deleted", "deleted_at": day(1)}, None, day(91), NEVER, PURGED),
        ({"state": "deleted", "deleted_at": day(1), "pinned": True}, None, day(91), FULL, PURGED),
        ({"tags_manual": ("x",)}, None, day(5000), CAREFUL, ("active", "stale", "retention_below_stale")),
        ({"tags_manual": ("x",), "state": "stale"}, day(400), day(5000), CAREFUL, None),
        ({"tags_manual": ("x",), "expires_at": day(2)}, None, day(2), CAREFUL, ("active", "deleted", "expired")),
    ],
)  # fmt: skip
def test_a_memory_changes_state_for_one_reason(fields, stale_since, now, policy, expected) -> None:
    change = next_state(a_memory(**fields), stale_since, now, CURVE, policy)
    assert change == (Transition(*expected) if expected else None)


def test_tags_by_hand_stop_protecting_when_the_policy_says_so() -> None:
    tagged = a_memory(tags_manual=("x",))
    assert next_state(tagged, None, day(5000), CURVE, LAX).after == "deleted"


def test_links_put_off_every_change() -> None:
    alone, linked = (forecast(a_memory(), None, BORN, CURVE, ARCHIVE, links) for links in (0, 9))
    assert days_until(linked) == pytest.approx(days_until(alone) * 1.230259, abs=1e-3)


def test_an_expiry_before_the_fading_is_what_is_forecast() -> None:
    brief = a_memory(expires_at=day(2))
    assert forecast(brief, None, BORN, CURVE, ARCHIVE) == Forecast("deleted", day(2), "expired")


def test_thresholds_that_coincide_forecast_the_furthest_state() -> None:
    coming = forecast(a_memory(), None, BORN, CURVE, ABRUPT)
    assert (coming.state, coming.reason) == ("deleted", "retention_below_delete")


def test_a_change_already_due_is_forecast_for_now() -> None:
    assert forecast(a_memory(), None, day(330), CURVE, ARCHIVE) == Forecast("stale", day(330), "retention_below_stale")


@pytest.mark.parametrize(
    ("fields", "policy"), [({"pinned": True}, FULL), ({}, NEVER), ({"state": "archived"}, ARCHIVE)]
)
def test_nothing_is_forecast_for_what_does_not_change_by_itself(fields, policy) -> None:
    assert forecast(a_memory(**fields), None, BORN, CURVE, policy) is None


@given(memories(pinned=True), maybe(moments), moments, counts, modes)
def test_a_pinned_memory_never_changes_by_itself_unless_it_was_deleted(memory, stale_since, now, links, policy) -> None:
    assume(memory.state != "deleted")
    assert next_state(memory, stale_since, now, CURVE, policy, links) is None
    assert forecast(memory, stale_since, now, CURVE, policy, links) is None


@given(memories(), maybe(moments), moments, counts, modes)
def test_a_forecast_comes_true_at_its_moment_and_not_before(memory, stale_since, now, links, policy) -> None:
    foreseen = forecast(memory, stale_since, now, CURVE, policy, links)
    assume(foreseen is not None and foreseen.at > now)
    change = next_state(memory, stale_since, foreseen.at, CURVE, policy, links)
    assert change == Transition(memory.state, foreseen.state, foreseen.reason)
    assert next_state(memory, stale_since, foreseen.at - 1, CURVE, policy, links) is None


@given(memories(), maybe(moments), moments, moments, counts, modes)
def test_a_clock_set_back_never_sinks_a_memory_deeper(memory, stale_since, one, other, links, policy) -> None:
    earlier, later = sorted((one, other))
    assert depth_at(earlier, memory, stale_since, links, policy) <= depth_at(later, memory, stale_since, links, policy)


def depth_at(now, memory, stale_since, links, policy) -> int:
    change = next_state(memory, stale_since, now, CURVE, policy, links)
    return LADDER.index(change.after if change else memory.state)


@given(memories(state="active", pinned=False, expires_at=None), moments, counts)
def test_the_state_agrees_with_the_curve(memory, now, links) -> None:
    left = retention_at(memory, now, CURVE, links)
    assume(all(abs(left - line) > 1e-9 for line in (0.3, 0.1, 0.01)))
    change = next_state(memory, None, now, CURVE, LAX, links)
    expected = "active" if left >= 0.3 else "stale" if left >= 0.1 else "archived" if left >= 0.01 else "deleted"
    assert (change.after if change else "active") == expected


@given(memories(), maybe(moments), moments, counts)
def test_only_an_expiry_deletes_unasked_in_archive_mode(memory, stale_since, now, links) -> None:
    change = next_state(memory, stale_since, now, CURVE, ARCHIVE, links)
    assert change is None or change.after != "deleted" or change.reason == "expired"


@pytest.mark.parametrize(
    "section", [{"stale_below": 0.05}, {"delete_below": 0}, {"stale_below": 1}, {"mode": "sometimes"}, {"purge": 1}]
)
def test_a_section_that_makes_no_sense_is_refused(section: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(section, LifecyclePolicy)
