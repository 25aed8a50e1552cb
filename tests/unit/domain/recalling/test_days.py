"""The day of a memory in words: the calendar's own, and the index's."""

import sqlite3
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reveried.domain.recalling.days import MONTHS, day_of

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
moments = st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31), timezones=st.just(UTC))


def written(day: date) -> str:
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


@given(moments)
def test_every_moment_has_the_day_of_the_calendar(moment: datetime) -> None:
    assert day_of((moment - EPOCH) // MICROSECOND) == written(moment.date())


@pytest.mark.parametrize("year", [1600, 1900, 1970, 2000, 2023, 2024, 2100])
def test_every_day_of_a_year_is_right_also_around_leap_days(year: int) -> None:
    day = date(year, 1, 1)
    while day.year == year:
        at = (datetime(day.year, day.month, day.day, tzinfo=UTC) - EPOCH) // MICROSECOND
        assert {day_of(at), day_of(at + 86_399_999_999)} == {written(day)}
        day += timedelta(days=1)


def test_a_rebuild_writes_the_same_day() -> None:
    """The view behind the index makes it with strftime; the two must not differ by a word."""
    db = sqlite3.connect(":memory:")
    at = 1_683_504_000_000_000
    row = db.execute("SELECT strftime('%Y-%m-%d', ? / 1000000, 'unixepoch')", (at,)).fetchone()
    db.close()
    assert row == ("2023-05-08",)
    assert day_of(at) == "8 may 2023"
