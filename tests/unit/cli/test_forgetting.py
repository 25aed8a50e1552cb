"""What a person and a script see of forgetting, and of the jobs that do it."""

import io
import struct
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from reverie.cli.drawing import left_after
from reverie.cli.progress import bar
from reverie.protocol.results import (
    Coming,
    CurveReport,
    JobChange,
    JobsReport,
    JobStatus,
    Mark,
    RunReport,
    StatsReport,
)
from unit.cli.conftest import Reverie
from unit.cli.samples import DAY, THEN, THEN_ISO
from unit.client.peer import Asked, Peer, ok

Start = Callable[[Callable[[Asked], Any]], Peer]
STATS = StatsReport(
    states={"active": 1200, "stale": 30, "archived": 7},
    tiers={"hot": 1000, "warm": 200, "archive": 37},
    kinds={"fact": 900, "plan": 337},
    days=7.0,
    coming=[Coming(before="active", after="stale", reason="retention_below_stale", count=41)],
)
CURVE = CurveReport(
    memory=12,
    kind="plan",
    pinned=False,
    stability_days=80.8,
    start_at=THEN,
    points=[(0.0, 1.0), (30.0, 0.6), (59.999, 0.37), (60.0, 1.0), (120.0, 0.48), (200.0, 0.05)],
    thresholds={"stale": 0.3, "archived": 0.1, "deleted": 0.01},
    marks=[
        Mark(what="stored", at=THEN),
        Mark(what="accessed", at=THEN + 30 * DAY),
        Mark(what="accessed", at=THEN + 60 * DAY),
        Mark(what="now", at=THEN + 100 * DAY),
    ],
    access_count=5,
)
JOBS = JobsReport(
    jobs=[
        JobStatus(
            job="decay",
            summary="fades",
            schedule="*/30 * * * *",
            running=False,
            next_run=THEN + DAY,
            started=THEN,
            finished=THEN + 2_000_000,
            reason="missed",
            changed={"stale": 1500, "active": 0},
            notes=["the clock may be wrong"],
        ),
        JobStatus(job="prune", summary="makes room", schedule="never", running=True, done=50, total=200),
        JobStatus(job="purge", summary="erases", schedule="never", running=False, failed="disk full"),
    ]
)


def report(**other: Any) -> RunReport:
    change = JobChange(id=12, namespace="default", what="state", before="active", after="stale", reason="it faded")
    fields: dict[str, Any] = {"job": "decay", "dry_run": True, "total": 3, "changes": [change], "changed": {}}
    return RunReport(**(fields | {"notes": ["a note"], "failed": "", "seconds": 0.5} | other))


def test_stats_shows_the_spread_and_what_is_coming(peer: Start, reverie: Reverie) -> None:
    daemon = peer(lambda asked: ok(asked, STATS))
    out = reverie("stats").out
    for said in ("states", "1,200 ████", "tiers", "hot", "kinds", "plan", "within 7 days", "41 active → stale"):
        assert said in out
    assert reverie("stats", "--days", "30", "--json").json["coming"][0]["count"] == 41
    assert daemon.asked[1]["days"] == 30


def test_stats_of_an_empty_store_says_that_there_is_nothing(peer: Start, reverie: Reverie) -> None:
    peer(lambda asked: ok(asked, StatsReport(states={}, tiers={}, kinds={}, days=7.0, coming=[])))
    assert "there is no memory yet" in reverie("stats").err


def test_jobs_shows_the_last_run_the_next_and_what_runs_now(peer: Start, reverie: Reverie) -> None:
    peer(lambda asked: ok(asked, JOBS))
    out = reverie("jobs").out
    for said in ("*/30 * * * * · next 2026-02-01", "(missed), 2 s: 1,500 stale", "the clock may be wrong"):
        assert said in out
    assert "never by itself · running now" in out
    assert "failed disk full" in out
    assert reverie("jobs", "--json").json["jobs"][0]["started"] == THEN_ISO


def test_a_dry_run_lists_each_change_with_its_reason(peer: Start, reverie: Reverie) -> None:
    daemon = peer(lambda asked: ok(asked, report()))
    ran = reverie("run", "decay", "--dry-run", "--limit", "1")
    assert ran.out.splitlines() == [
        "[id:12] state active → stale it faded",
        "decay would change 3 memories",
        "a note",
    ]
    assert "and 2 more" in ran.err
    assert (daemon.asked[0]["job"], daemon.asked[0]["dry_run"], daemon.asked[0]["limit"]) == ("decay", True, 1)


def test_a_run_says_what_it_did_and_exits_1_when_it_failed(peer: Start, reverie: Reverie) -> None:
    peer(lambda asked: ok(asked, report(dry_run=False, changed={"stale": 3}, failed=asked.get("job", "")[6:])))
    fine, failed = reverie("run", "decay"), reverie("run", "decay-broken", "--json")
    assert (fine.code, fine.out.splitlines()[0]) == (0, "decay: 3 stale in 0.50 s")
    assert (failed.code, failed.json["failed"]) == (1, "broken")


def test_nothing_to_change_is_said_in_words(peer: Start, reverie: Reverie) -> None:
    peer(lambda asked: ok(asked, report(total=0, changes=[])))
    assert "nothing would change" in reverie("run", "decay", "--dry-run").out


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_run_shows_a_bar_on_a_terminal(peer: Start, reverie: Reverie, monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(asked: Asked) -> Any:
        if asked["op"] == "jobs":
            return ok(asked, JOBS)
        daemon.until_asked(3)  # the run ends when somebody has looked twice
        return ok(asked, report(job="prune", dry_run=False))

    daemon = peer(answer)
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert reverie("run", "prune").code == 0
    shown = sys.stderr.getvalue()  # type: ignore[attr-defined]
    assert "prune ██████░░░░░░░░░░░░░░░░░░ 50 of 200" in shown
    assert shown.endswith("\r\x1b[K")


def test_a_run_shows_no_bar_in_a_pipe_or_for_a_script(
    peer: Start, reverie: Reverie, monkeypatch: pytest.MonkeyPatch
) -> None:
    daemon = peer(lambda asked: ok(asked, report()))
    assert reverie("run", "prune").err == "and 2 more\n"
    monkeypatch.setattr(sys, "stderr", Terminal())
    reverie("run", "prune", "--json")
    assert [asked["op"] for asked in daemon.asked] == ["run", "run"]


@pytest.mark.parametrize(
    ("done", "total", "line"),
    [
        (0, 0, "x …"),
        (0, 8, f"x {'░' * 24} 0 of 8"),
        (4, 8, f"x {'█' * 12}{'░' * 12} 4 of 8"),
        (9, 8, f"x {'█' * 24} 9 of 8"),
    ],
)
def test_a_bar_is_as_full_as_the_work_is_done(done: int, total: int, line: str) -> None:
    assert bar("x", done, total) == line


def test_a_curve_shows_thresholds_accesses_and_now(peer: Start, reverie: Reverie) -> None:
    peer(lambda asked: ok(asked, CURVE))
    out = reverie("curve", "12").out
    assert "[id:12] plan: after 80.8 days untouched 37 % is left" in out
    for said in ("stale │┄", "archived │┄", "deleted │┄", "200 days", "▲ accessed 2 of 5 times, last 2026-04-01"):
        assert said in out
    (axis,) = [line for line in out.splitlines() if "└" in line]
    assert (axis.count("▲"), axis.count("┼")) == (3, 1)


def test_the_curve_rises_where_the_memory_was_used() -> None:
    assert left_after(CURVE, 59.9) < 0.4
    assert left_after(CURVE, 60.0) == 1.0
    assert left_after(CURVE, 1e9) == 0.05


def test_a_curve_of_a_kind_is_asked_for_by_kind(peer: Start, reverie: Reverie) -> None:
    daemon = peer(lambda asked: ok(asked, CurveReport(**{**as_fields(CURVE), "memory": None, "marks": []})))
    assert "plan: after" in reverie("curve", "--kind", "plan", "--days", "200").out
    assert (daemon.asked[0]["kind"], daemon.asked[0]["days"]) == ("plan", 200)


def as_fields(curve: CurveReport) -> dict[str, Any]:
    return {name: getattr(curve, name) for name in curve.__struct_fields__}


def test_an_svg_holds_the_curve_its_thresholds_and_its_marks(peer: Start, reverie: Reverie, tmp_path: Path) -> None:
    peer(lambda asked: ok(asked, CURVE))
    assert reverie("curve", "12", "--out", str(tmp_path / "c.svg")).code == 0
    drawing = ElementTree.fromstring((tmp_path / "c.svg").read_text())
    texts = [element.text for element in drawing.iter() if element.tag.endswith("text")]
    assert {"stale", "archived", "deleted", "stored", "accessed", "now"} <= set(texts)
    lines = [element.get("points", "") for element in drawing.iter() if element.tag.endswith("polyline")]
    assert max(len(points.split()) for points in lines) == len(CURVE.points)


def test_a_png_is_a_picture_with_the_curve_in_it(peer: Start, reverie: Reverie, tmp_path: Path) -> None:
    peer(lambda asked: ok(asked, CURVE))
    assert reverie("curve", "12", "--out", str(tmp_path / "c.png")).code == 0
    size, rows = decoded((tmp_path / "c.png").read_bytes())
    assert size == (800, 400)
    blue = bytes.fromhex("2563eb")
    pixel = {(x, y) for y, row in enumerate(rows) for x in range(800) if row[x * 3 : x * 3 + 3] == blue}
    # At the use on day 60 it goes straight up from 37 % to all.
    at_use = [y for x, y in pixel if x == 80 + round(60 / 200 * 690)]
    assert min(at_use) == 40
    assert max(at_use) >= 40 + round(0.6 * 310)


def decoded(png: bytes) -> tuple[tuple[int, int], list[bytes]]:
    """As any reader of the format would: each part with its checksum, each row without its filter."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    at, parts = 8, {}
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        body = png[at + 4 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length])[0] == zlib.crc32(body)
        parts[body[:4]] = body[4:]
        at += 12 + length
    width, height, depth, color, *_ = struct.unpack(">IIBBBBB", parts[b"IHDR"])
    assert (depth, color) == (8, 2)
    raw = zlib.decompress(parts[b"IDAT"])
    step = 1 + width * 3
    assert len(raw) == step * height
    assert {raw[start] for start in range(0, len(raw), step)} == {0}
    return (width, height), [raw[start + 1 : start + step] for start in range(0, len(raw), step)]


@pytest.mark.parametrize(
    "typed", [[], ["12", "--kind", "plan"], ["12", "--out", "c.gif"], ["12", "--out", "/none/c.svg"]]
)
def test_a_curve_that_cannot_be_drawn_is_a_mistake_of_the_caller(
    peer: Start, reverie: Reverie, typed: list[str]
) -> None:
    peer(lambda asked: ok(asked, CURVE))
    assert reverie("curve", *typed).code == 2
