"""A day is a day, to the microsecond."""

from reveried.domain.forgetting.units import DAY, days_since


def test_a_day_has_that_many_microseconds() -> None:
    assert DAY == 24 * 60 * 60 * 1_000_000
    assert days_since(5, 5 + DAY) == 1.0
