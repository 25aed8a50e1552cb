"""Every answer is counted once, at the right place, and a percentile read off the places is near the truth."""

from hypothesis import given
from hypothesis import strategies as st

from reverie.protocol.requests import Ping, Recall, Store
from reveried.server.meter import Meter, limit_of


def test_what_nobody_asked_for_is_not_told() -> None:
    assert Meter().traffic == {}


def test_answers_and_refusals_are_counted_by_operation() -> None:
    meter = Meter()
    meter.answered(Recall, 900_000)
    meter.answered(Recall, 900_000)
    meter.refused(Store)
    traffic = meter.traffic
    assert (traffic["recall"].answered, traffic["recall"].refused) == (2, 0)
    assert (traffic["store"].answered, traffic["store"].refused) == (0, 1)
    assert set(traffic) == {"recall", "store"}


@given(st.integers(min_value=0, max_value=10**13))
def test_a_time_is_counted_below_a_limit_that_is_at_most_a_quarter_above_it(nanoseconds: int) -> None:
    meter = Meter()
    meter.answered(Ping, nanoseconds)
    ((limit, count),) = meter.traffic["ping"].times
    micros = nanoseconds // 1_000
    assert count == 1
    assert micros < limit <= micros * 1.25 + 1 or micros >= limit_of(127)


def test_a_time_beyond_all_measure_is_still_counted() -> None:
    meter = Meter()
    meter.answered(Ping, 10**18)
    assert meter.traffic["ping"].answered == 1


def test_the_limits_grow_without_a_gap() -> None:
    limits = [limit_of(place) for place in range(128)]
    assert limits == sorted(set(limits))
