"""Moments as people write them."""

from argparse import ArgumentTypeError
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.cli.times import age, ago, ahead, end_of, iso, now_us

DAY = 86_400_000_000


@pytest.mark.parametrize(
    ("text", "away"),
    [("7d", 7 * DAY), ("12h", DAY // 2), ("30m", 1_800_000_000), ("45s", 45_000_000), ("2w", 14 * DAY)],
)
def test_a_span_is_ago_or_ahead(text: str, away: int) -> None:
    assert ago(text) == pytest.approx(now_us() - away, abs=5_000_000)
    assert ahead(text) == pytest.approx(now_us() + away, abs=5_000_000)


@pytest.mark.parametrize("text", ["2026-01-31T12:00:00Z", "2026-01-31T14:00:00+02:00", "2026-01-31 12:00:00+00:00"])
def test_iso_8601_is_read_in_its_zone(text: str) -> None:
    assert ago(text) == ahead(text) == 1_769_860_800_000_000


def test_a_date_begins_at_local_midnight_and_until_covers_the_day() -> None:
    start = round(datetime(2026, 1, 31).timestamp() * 1_000_000)
    assert ago("2026-01-31") == start
    assert end_of("2026-01-31") == round(datetime(2026, 2, 1).timestamp() * 1_000_000) - 1


@pytest.mark.parametrize("text", ["", "soon", "7x", "-7d", "2026-13-01", "9999-12-31x"])
def test_what_is_no_time_is_refused_with_advice(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="is not a time: use 7d"):
        ago(text)


@given(st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30)))
def test_iso_output_is_exact_to_the_microsecond(moment: datetime) -> None:
    moment = moment.replace(tzinfo=UTC)
    seconds = (moment.replace(microsecond=0) - datetime(1970, 1, 1, tzinfo=UTC)) // (moment.resolution * 1_000_000)
    assert datetime.fromisoformat(iso(seconds * 1_000_000 + moment.microsecond)) == moment


@given(st.integers())
def test_no_number_is_too_strange_to_print(us: int) -> None:
    assert iso(us)


@pytest.mark.parametrize(
    ("passed", "said"),
    [(0, "just now"), (90, "1m ago"), (7_200, "2h ago"), (3 * 86_400, "3d ago"), (70 * 86_400, "2mo ago")],
)
def test_age_is_told_in_its_largest_unit(passed: int, said: str) -> None:
    assert age(1_000_000, 1_000_000 + passed * 1_000_000) == said
