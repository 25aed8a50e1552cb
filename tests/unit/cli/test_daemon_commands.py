"""Commands about the daemon and its log."""

from collections.abc import Callable
from typing import Any

import pytest

from reverie.cli.health import size, span
from reverie.protocol.results import ConfigReport, StatusReport, VerifyReport
from unit.cli.conftest import Reverie
from unit.cli.samples import THEN, THEN_ISO
from unit.client.peer import HANG_UP, Asked, Peer, event, ok

Start = Callable[[Callable[[Asked], Any]], Peer]
STATUS = StatusReport(
    version="0.1.0",
    pid=7,
    head=1234,
    projected=1230,
    memories={"active": 1000, "stale": 3},
    sizes={"log": 1_500_000, "state": 12},
    embedder={"model": "mini", "runtime": "onnx", "state": "ready", "embedded": 990, "to_do": 13, "restarts": 0},
    degraded=["no embedder: keywords only"],
    config={"path": "/c.yaml", "problem": None, "needs_restart": ["server.max_queue"]},
    connections=2,
    queue=0,
    uptime_s=3_725.0,
    last_verified={"at": THEN, "ok": True},
)


def verified(ok: bool) -> VerifyReport:
    return VerifyReport(
        ok=ok,
        events=9,
        head=9,
        chain="c",
        live_digest="d",
        replayed_digest="d",
        erased=1,
        problems=[] if ok else ["hole"],
    )


def test_status_names_counts_lag_sizes_and_degradations(peer: Start, reverie: Reverie) -> None:
    peer(lambda asked: ok(asked, STATUS))
    out = reverie("status").out
    for said in ("1,234 events", "4 not yet projected", "1,000 active", "log 1.5 MB", "1 h 2 min", "keywords only"):
        assert said in out
    assert "mini (onnx) · ready · 990 memories embedded · 13 to do" in out
    assert "/c.yaml · in force after the next start: server.max_queue" in out


def test_status_for_scripts_has_the_wire_fields(peer: Start, reverie: Reverie) -> None:
    peer(lambda asked: ok(asked, STATUS))
    report = reverie("status", "--json").json
    assert (report["head"], report["memories"]["active"], report["sizes"]["log"]) == (1234, 1000, 1_500_000)
    assert report["last_verified"]["at"] == THEN_ISO


@pytest.mark.parametrize("sound", [True, False])
def test_verify_exits_1_when_something_is_wrong(sound: bool, peer: Start, reverie: Reverie) -> None:
    peer(lambda asked: ok(asked, verified(sound)))
    plain, scripted = reverie("verify"), reverie("verify", "--json")
    assert (plain.code, scripted.code) == ((0, 0) if sound else (1, 1))
    assert ("hole" in plain.out) is not sound
    assert scripted.json["ok"] is sound


@pytest.mark.parametrize(
    ("typed", "sent"),
    [([], {}), (["--to", "40"], {"to": 40}), (["--to", "2026-01-31T12:00:00.25Z"], {"to_time": THEN})],
)
def test_rebuild_takes_an_event_or_a_time(
    typed: list[str], sent: dict[str, Any], peer: Start, reverie: Reverie
) -> None:
    daemon = peer(lambda asked: ok(asked, {"events": 9, "upto": 9, "digest": "d", "out": None, "seconds": 0.1}))
    assert reverie("rebuild", *typed).code == 0
    assert {name: value for name, value in daemon.asked[0].items() if name not in ("id", "op")} == sent


def test_rebuild_sends_an_absolute_path(
    peer: Start, reverie: Reverie, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    daemon = peer(lambda asked: ok(asked, {"events": 9, "upto": 9, "digest": "d", "out": asked["out"], "seconds": 0.1}))
    monkeypatch.chdir(tmp_path)
    reverie("rebuild", "--out", "then.db")
    assert daemon.asked[0]["out"] == str(tmp_path / "then.db")


def test_events_shows_the_latest_page_by_page(peer: Start, reverie: Reverie) -> None:
    def answer(asked: Asked) -> Any:
        if asked["op"] == "ping":
            return ok(asked, {"head": 30})
        after = asked.get("after", 0)
        found = [event(0, seq)["event"] for seq in range(after + 1, min(after + 10, 30) + 1)]
        return ok(asked, {"events": found, "next": after + 10 if after + 10 < 30 else None})

    peer(answer)
    assert [line["seq"] for line in reverie("events", "--json").lines] == list(range(11, 31))
    assert [line["seq"] for line in reverie("events", "--json", "--after", "28").lines] == [29, 30]
    assert "memory.pinned" in reverie("events").out


def test_following_prints_events_as_they_come(peer: Start, reverie: Reverie) -> None:
    def answer(asked: Asked) -> Any:
        if asked["from_seq"] > 6:
            return HANG_UP
        return [ok(asked, {"subscription": 2, "from_seq": asked["from_seq"]}), event(2, 5), event(2, 6), HANG_UP]

    peer(answer)
    daemon_gone = reverie("events", "--follow", "--after", "4", "--json", "--timeout", "0.2")
    assert [line["seq"] for line in daemon_gone.lines] == [5, 6]
    assert daemon_gone.code == 69


def test_config_is_shown_with_its_problem(peer: Start, reverie: Reverie) -> None:
    report = ConfigReport(
        path="/c.yaml", loaded=True, values={"recall": {"limit": 5, "on": True, "x": None}}, problem="line 3: no"
    )
    peer(lambda asked: ok(asked, report))
    ran = reverie("config")
    assert "recall:\n  limit: 5\n  on: true\n  x: null\n" in ran.out
    assert "line 3: no" in ran.out
    assert reverie("config", "reload").code == 1


def test_config_path_needs_no_daemon(reverie: Reverie, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVERIE_CONFIG", "/etc/mine.yaml")
    assert reverie("config", "path").out == "/etc/mine.yaml\n"


@pytest.mark.parametrize(
    ("count", "said"), [(0, "0 B"), (999, "999 B"), (1_500, "1.5 kB"), (2e9, "2 GB"), (3e13, "30 TB")]
)
def test_sizes_are_readable(count: float, said: str) -> None:
    assert size(count) == said


@pytest.mark.parametrize(("seconds", "said"), [(5, "5 s"), (65, "1 min"), (3_725, "1 h 2 min"), (200_000, "2 d 7 h")])
def test_spans_are_readable(seconds: float, said: str) -> None:
    assert span(seconds) == said
