"""`reverie import`: what is read goes to the daemon, and what became of it is told."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from unit.cli.conftest import Reverie
from unit.client.peer import Asked, Peer, ok

Start = Callable[[Callable[[Asked], Any]], Peer]


def storing(asked: Asked) -> Any:
    results = [{"id": n, "outcome": "stored", "seq": n} for n in range(1, len(asked["arrivals"]) + 1)]
    return ok(asked, {"results": results})


def test_a_file_is_recognised_and_its_memories_are_sent(peer: Start, reverie: Reverie, tmp_path: Path) -> None:
    daemon = peer(storing)
    (tmp_path / "MEMORY.md").write_text("- tea\n- coffee\n")
    ran = reverie("import", str(tmp_path / "MEMORY.md"))
    assert ran.code == 0
    assert ran.out == "read 2 memories  from files: 1 markdown\n          2  new\n"
    (asked,) = daemon.asked
    assert [arrival["memory"]["content"] for arrival in asked["arrivals"]] == ["tea", "coffee"]
    assert {arrival["memory"]["source"] for arrival in asked["arrivals"]} == {"migration"}
    assert daemon.greeted[0].get("namespace", "default") == "default"


def test_the_namespace_of_the_flag_is_used(peer: Start, reverie: Reverie, tmp_path: Path) -> None:
    daemon = peer(storing)
    (tmp_path / "MEMORY.md").write_text("- tea\n")
    reverie("import", str(tmp_path / "MEMORY.md"), "-n", "team")
    assert daemon.greeted[0]["namespace"] == "team"


def test_a_dry_run_needs_no_daemon_and_says_what_would_go(reverie: Reverie, tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "a.md").write_text("- tea\n")
    (tmp_path / "memory" / "dev.txt").write_text("# x\nuse make\n")
    ran = reverie("import", str(tmp_path), "--dry-run")
    assert (ran.code, ran.out) == (0, "would send 2 memories  from files: 1 markdown, 1 goose\n")


def test_bad_records_are_told_with_line_and_reason_and_the_exit_code(
    peer: Start, reverie: Reverie, tmp_path: Path
) -> None:
    peer(storing)
    good = '{"type":"relation","from":"a","to":"b","relationType":"knows"}'
    (tmp_path / "m.jsonl").write_text(f'{good}\n{{"type":\n{good.replace("knows", "likes")}\n')
    plain = reverie("import", str(tmp_path / "m.jsonl"))
    assert plain.code == 1
    assert "m.jsonl:2: not JSON" in plain.err
    assert "2  new" in plain.out
    told = reverie("import", str(tmp_path / "m.jsonl"), "--json").json
    assert (told["read"], told["stored"], told["bad"], told["files"]) == (2, 2, 1, {"mcp": 1})
    assert told["problems"][0]["place"] == "m.jsonl:2"


def test_standard_input_is_looked_at_like_a_file(peer: Start, reverie: Reverie) -> None:
    daemon = peer(storing)
    ran = reverie("import", "-", stdin=b'{"type":"entity","name":"Ada","entityType":"person","observations":["x"]}')
    assert ran.code == 0
    assert daemon.asked[0]["arrivals"][0]["memory"]["content"] == "Ada: x"


def test_what_is_of_no_known_format_says_how_to_name_one(reverie: Reverie, tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(b"\x00\x01")
    ran = reverie("import", str(tmp_path / "x.bin"))
    assert ran.code == 2
    assert "--format" in ran.err
    assert "cannot read" in reverie("import", str(tmp_path / "absent")).err
    named = reverie("import", str(tmp_path / "x.bin"), "--format", "goose", "--dry-run")
    assert "would send 1" in named.out


def test_a_raw_log_is_sent_to_the_program_that_can_restore_it(reverie: Reverie, tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"format":"reverie.events","version":1,"events":0,"chain":""}\n')
    ran = reverie("import", str(tmp_path / "log.jsonl"))
    assert ran.code == 2
    assert "--restore-events" in ran.err
