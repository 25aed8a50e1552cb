"""What scripts may rely on: with --json every command prints objects, and a field that was there stays there."""

import json
from pathlib import Path

import pytest

from reverie.cli.catalog import COMMANDS
from reverie.cli.main import main
from running import RunningDaemon

WRITTEN = "id outcome seq repeated similarity notes enrichment against conflict rule confidence resolution"
EVENT = "seq at type namespace subject actor payload"
RUN = "job dry_run total changes changed notes failed seconds"
CONFIG = "path loaded values problem needs_restart"
# In the order in which they are typed: each command, and the fields of the first object it prints.
SHAPES: list[tuple[str, str]] = [
    ("store Ada prefers tea --kind preference", WRITTEN),
    ("store Ada lives in Lisbon", WRITTEN),
    ("recall tea", "memories semantic semantic_reason profile total_tokens budget_used took_us evidence floor"),
    ("context tea", "block semantic semantic_reason"),
    ("why tea 1", "memory returned rank reason evidence floor parts signals contributions semantic"),
    ("get 1", "id namespace content title kind tags state tier pinned created_at updated_at metadata"),
    ("list", "memories next"),
    ("timeline", "memories next"),
    ("entities", "entities"),
    ("relations Ada", "entity relations"),
    ("link 1 2", WRITTEN),
    ("related 1", "memory links edges recent_edges"),
    ("path 1 2", "steps complete"),
    ("graph 1", "nodes links complete"),
    ("unlink 1 2", WRITTEN),
    ("session begin s-1", "session_id outcome seq"),
    ("session list", "sessions next"),
    ("sessions", "sessions next"),
    ("session end s-1", WRITTEN),
    ("narrative add All is well", WRITTEN),
    ("narrative latest", "narratives next"),
    ("narratives", "narratives next"),
    ("update 1 --title Tea", WRITTEN),
    ("reinforce 1", WRITTEN),
    ("demote 1", WRITTEN),
    ("pin 1", WRITTEN),
    ("unpin 1", WRITTEN),
    ("tag 1 drinks", WRITTEN),
    ("untag 1 drinks", WRITTEN),
    ("supersede 1 2", WRITTEN),
    ("restore 1", WRITTEN),
    ("conflicts", "conflicts next"),
    ("archive 1", WRITTEN),
    ("delete 1", WRITTEN),
    ("erase 1 --yes", WRITTEN),
    ("stats", "states tiers kinds days coming"),
    ("curve 2", "memory kind points thresholds marks"),
    ("jobs", "jobs"),
    ("run decay --dry-run", RUN),
    ("log", "seq at type actor memory sentence"),
    ("history 2", EVENT),
    ("events", EVENT),
    ("export", "id"),
    ("status", "version pid head projected memories sizes embedder degraded config connections queue uptime_s traffic"),
    ("top --once --every 0.05", "requests operations queue head connections embedder memories sizes jobs degraded"),
    ("doctor", "ok checks"),
    ("verify", "ok events head chain live_digest replayed_digest erased problems"),
    ("ping", "head took_us"),
    ("rebuild", "events upto digest out seconds"),
    ("backup", "path events head bytes"),
    ("model", "state id model"),
    ("config show", CONFIG),
    ("config reload", CONFIG),
    ("setup", "client title state"),
    ("completion bash", "shell script"),
    ("man", "page"),
]  # fmt: skip
# These need another program, a file, a conflict or a terminal; tests of their own hold them to their shapes.
ELSEWHERE = {"ingest", "resolve", "mcp", "hook", "import", "service"}


def test_every_command_says_its_fields_to_scripts(
    daemon: RunningDaemon, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("REVERIE_SOCKET", daemon.socket)
    monkeypatch.setenv("HOME", str(tmp_path))
    wrong = []
    for typed, fields in SHAPES:
        code = main([*typed.split(), "--json"])
        printed = capsys.readouterr()
        if code != 0:
            wrong.append(f"{typed}: exit {code}, {printed.err}")
            continue
        told = [json.loads(line) for line in printed.out.splitlines()]
        if missing := set(fields.split()) - told[0].keys():
            wrong.append(f"{typed}: without {missing}")
    assert wrong == []


def test_no_command_is_forgotten() -> None:
    assert sorted(COMMANDS.keys() - {typed.split()[0] for typed, _ in SHAPES} - ELSEWHERE) == []
