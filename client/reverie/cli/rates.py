"""What happened between two looks at the daemon: counts that only grow, subtracted."""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from reverie.protocol.results import StatusReport, Traffic

# Whoever watches asks these; they would only show that somebody watches.
WATCHING = ("status", "jobs", "events", "ping", "hello", "subscribe")
_NOTHING = Traffic(answered=0, refused=0, times=[])


class Rate(Struct, frozen=True):
    """Requests a second, and what half and nearly all of them took at most; None where there were none."""

    per_s: float
    refused_per_s: float
    p50_us: int | None
    p99_us: int | None


def rates(before: StatusReport, now: StatusReport) -> tuple[Rate, dict[str, Rate]]:
    """Of all operations together, and of each that was asked, the busiest first."""
    # A daemon that was started anew counts from zero.
    earlier = before.traffic if before.pid == now.pid else {}
    seconds = max(now.uptime_s - (before.uptime_s if before.pid == now.pid else 0.0), 0.001)
    each = {
        op: _between(earlier.get(op, _NOTHING), traffic) for op, traffic in now.traffic.items() if op not in WATCHING
    }
    asked = {op: (refused, times) for op, (refused, times) in each.items() if refused or times}
    whole = _rate(asked.values(), seconds)
    single = {op: _rate([one], seconds) for op, one in asked.items()}
    return whole, dict(sorted(single.items(), key=lambda one: -one[1].per_s))


Counted = tuple[int, dict[int, int]]


def _between(before: Traffic, now: Traffic) -> Counted:
    earlier = dict(before.times)
    times = {limit: count - earlier.get(limit, 0) for limit, count in now.times}
    return now.refused - before.refused, {limit: count for limit, count in times.items() if count > 0}


def _rate(counted: Iterable[Counted], seconds: float) -> Rate:
    refused, times = 0, dict[int, int]()
    for more, inner in counted:
        refused += more
        for limit, count in inner.items():
            times[limit] = times.get(limit, 0) + count
    answered = sum(times.values())
    return Rate(
        (answered + refused) / seconds, refused / seconds, percentile(times, 0.5), percentile(times, 0.99)
    )  # fmt: skip


def percentile(times: Mapping[int, int], share: float) -> int | None:
    """The limit below which that share of the answers stayed."""
    wanted = sum(times.values()) * share
    for limit in sorted(times):
        wanted -= times[limit]
        if wanted <= 1e-9:
            return limit
    return None
