"""`log` finds its place in any log, and picks out what was asked for."""

from collections.abc import Callable
from typing import Any

import pytest

from reverie.cli.times import iso
from unit.cli.conftest import Reverie
from unit.client.peer import Asked, Peer, ok

Start = Callable[[Callable[[Asked], Any]], Peer]
NOON = 1_769_860_800_000_000
MINUTE = 60_000_000


def logged(seq: int, type_: str = "memory.stored", actor: str = "ada", **payload: Any) -> dict[str, Any]:
    said = payload or {"content": f"thing {seq}"}
    view = {"seq": seq, "at": NOON + seq * MINUTE, "type": type_, "namespace": "default", "subject": seq}
    return {**view, "actor": actor, "payload": said}


def serving(events: list[dict[str, Any]]) -> Callable[[Asked], Any]:
    def answer(asked: Asked) -> Any:
        if asked["op"] == "ping":
            return ok(asked, {"head": events[-1]["seq"]})
        after, limit = asked.get("after", 0), asked.get("limit", 200)
        found = [event for event in events if event["seq"] > after][:limit]
        return ok(asked, {"events": found, "next": found[-1]["seq"] if len(found) == limit else None})

    return answer


def test_the_latest_are_told_with_their_day_once(peer: Start, reverie: Reverie) -> None:
    peer(serving([logged(seq) for seq in range(1, 101)]))
    lines = reverie("log").out.splitlines()
    assert [line.startswith("── 2026-01-31") for line in lines].count(True) == 1
    assert len(lines) == 21
    assert lines[-1].endswith("ada stored [id:100] “thing 100”")


def test_since_a_moment_everything_is_told_after_a_few_questions(peer: Start, reverie: Reverie) -> None:
    daemon = peer(serving([logged(seq) for seq in range(1, 1_001)]))
    told = reverie("log", "--since", iso(NOON + 950 * MINUTE), "--json").lines
    assert [line["seq"] for line in told] == [*range(950, 1_001)]
    assert len(daemon.asked) < 20


def test_what_others_did_meanwhile_does_not_hide_the_latest(peer: Start, reverie: Reverie) -> None:
    events = [logged(seq) for seq in range(1, 1_001)]
    ours = serving([event for event in events if event["seq"] % 50 == 0])
    peer(lambda asked: ok(asked, {"head": 1_000}) if asked["op"] == "ping" else ours(asked))
    assert [line["seq"] for line in reverie("log", "--limit", "3", "--json").lines] == [900, 950, 1_000]


@pytest.mark.parametrize(
    ("flags", "numbers"),
    [
        (["--type", "job"], [3]),
        (["--type", "memory.recalled"], [2]),
        (["--actor", "claude"], [2, 3]),
        (["--memory", "1"], [1, 2]),
        (["--type", "memory,job", "--limit", "1"], [3]),
        (["--type", "narrative"], []),
    ],
)
def test_filters_pick_out(flags: list[str], numbers: list[int], peer: Start, reverie: Reverie) -> None:
    peer(
        serving(
            [
                logged(1),
                logged(2, "memory.recalled", "claude", query="tea", ids=[1]),
                logged(3, "job.ran", "claude", job="sleep"),
            ]
        )
    )
    assert [line["seq"] for line in reverie("log", *flags, "--json").lines] == numbers
