"""`top` subtracts what only grows, and fits what it found onto the screen that there is."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reverie.cli.rates import percentile, rates
from reverie.cli.screen import cut, painted, width
from reverie.protocol.results import StatusReport, Traffic
from unit.cli.conftest import Reverie
from unit.client.peer import Asked, Peer, ok

Start = Callable[[Callable[[Asked], Any]], Peer]


def status(uptime: float = 10.0, pid: int = 42, **traffic: Traffic) -> StatusReport:
    return StatusReport(
        version="0.1.0", pid=pid, head=7, projected=7, memories={"active": 3}, sizes={"log": 4_096},
        embedder={"state": "ready", "model": "tiny"}, degraded=["semantic recall: no model"], config={}, connections=2,
        queue=0, uptime_s=uptime, traffic=traffic,
    )  # fmt: skip


def traffic(times: list[tuple[int, int]], refused: int = 0) -> Traffic:
    return Traffic(answered=sum(count for _, count in times), refused=refused, times=times)


def test_only_what_happened_in_between_counts() -> None:
    before = status(10.0, recall=traffic([(1_000, 500), (9_000, 2)]))
    now = status(12.0, recall=traffic([(1_000, 598), (9_000, 4)], refused=10), store=traffic([(64, 20)]))
    whole, each = rates(before, now)
    assert (each["recall"].per_s, each["recall"].refused_per_s) == (55.0, 5.0)
    assert (each["recall"].p50_us, each["recall"].p99_us) == (1_000, 9_000)
    assert (whole.per_s, [*each]) == (65.0, ["recall", "store"])


def test_a_daemon_that_was_started_anew_counts_from_zero() -> None:
    whole, _ = rates(status(900.0, pid=1, recall=traffic([(10, 900)])), status(2.0, pid=2, recall=traffic([(10, 4)])))
    assert whole.per_s == 2.0


def test_whoever_watches_does_not_watch_himself() -> None:
    assert rates(status(), status(11.0, status=traffic([(10, 5)]), jobs=traffic([(10, 5)])))[1] == {}


@given(st.dictionaries(st.integers(1, 10**6), st.integers(1, 50), min_size=1), st.sampled_from([0.5, 0.9, 0.99, 1.0]))
def test_a_percentile_has_that_share_at_or_below_it(times: dict[int, int], share: float) -> None:
    found = percentile(times, share)
    assert found is not None
    total = sum(times.values())
    assert sum(count for limit, count in times.items() if limit <= found) >= total * share - 1e-6
    assert sum(count for limit, count in times.items() if limit < found) < total * share


@given(st.lists(st.tuples(st.sampled_from(["", "dim", "bad"]), st.text(max_size=30)), max_size=6), st.integers(1, 60))
def test_a_line_is_never_wider_than_the_screen(line: list[tuple[str, str]], columns: int) -> None:
    assert width(painted(cut(line, columns), colors=False)) <= columns


def test_wide_letters_count_twice() -> None:
    assert cut([("", "東京タワー")], 7) == [("", "東京タ…")]


def watched(asked: Asked) -> Any:
    match asked["op"]:
        case "status":
            return ok(asked, status())
        case "jobs":
            return ok(asked, {"jobs": [{"job": "decay", "summary": "", "schedule": "* * * * *", "running": True}]})
    event = {"seq": 7, "at": 0, "type": "memory.pinned", "namespace": "default", "subject": 3, "actor": "ada"}
    return ok(asked, {"events": [{**event, "payload": {}}]})


def test_in_a_pipe_it_speaks_once_and_plainly(peer: Start, reverie: Reverie) -> None:
    peer(watched)
    out = reverie("top", "--every", "0.01").out
    assert "\x1b" not in out
    for said in ("reveried 0.1.0", "requests", "ready · tiny", "running    decay", "no model", "ada pinned [id:3]"):
        assert said in out


@pytest.mark.parametrize("flags", [["--once", "--json"]])
def test_a_script_gets_one_object(flags: list[str], peer: Start, reverie: Reverie) -> None:
    peer(watched)
    told = reverie("top", "--every", "0.01", *flags).json
    assert told["requests"] == {"per_s": 0.0, "refused_per_s": 0.0, "p50_us": None, "p99_us": None}
    assert told["jobs"][0]["running"] is True
