"""`reverie export`: complete or not at all, private, and never over another file."""

import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from unit.cli.conftest import Reverie
from unit.cli.samples import memory_view
from unit.client.peer import Asked, Peer, ok, refused

Start = Callable[[Callable[[Asked], Any]], Peer]


def listing(asked: Asked) -> Any:
    if asked["op"] == "namespaces":
        return ok(asked, {"namespaces": {"default": 3, "team": 3}})
    if asked["op"] == "links":
        return ok(asked, {"links": [], "next": None})
    pages = {0: ([1, 2], "2"), 2: ([5], None)}
    ids, following = pages[asked["after"]]
    return ok(asked, {"memories": [memory_view(id_) for id_ in ids], "next": following})


def test_records_come_oldest_first_in_every_state_without_what_is_reckoned(peer: Start, reverie: Reverie) -> None:
    daemon = peer(listing)
    ran = reverie("export")
    records = [msgspec.json.decode(line) for line in ran.out.splitlines()]
    assert [record["id"] for record in records] == [1, 2, 5]
    assert not {"retention", "stability_days", "next_transition", "system", "tags"} & records[0].keys()
    assert daemon.asked[0]["states"] == ["active", "stale", "archived", "deleted"]


def test_all_means_every_namespace(peer: Start, reverie: Reverie) -> None:
    daemon = peer(listing)
    assert len(reverie("export", "--all").out.splitlines()) == 6
    assert [greeting.get("namespace", "default") for greeting in daemon.greeted] == ["default", "team"]
    assert reverie("export", "--all", "-n", "team").code == 2


def test_a_file_is_private_and_never_replaced(peer: Start, reverie: Reverie, tmp_path: Path) -> None:
    peer(listing)
    out = tmp_path / "m.jsonl"
    ran = reverie("export", "--out", str(out))
    assert (ran.code, ran.out) == (0, "")
    assert "3 lines" in ran.err
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    before = out.read_bytes()
    again = reverie("export", "--out", str(out))
    assert again.code == 2
    assert "there already" in again.err
    assert out.read_bytes() == before


def test_an_export_that_breaks_off_leaves_no_file_under_its_name(peer: Start, reverie: Reverie, tmp_path: Path) -> None:
    peer(lambda asked: listing(asked) if asked["after"] == 0 else refused(asked, "state_damaged", "cannot be read"))
    assert reverie("export", "--out", str(tmp_path / "m.jsonl")).code == 1
    assert not (tmp_path / "m.jsonl").exists()


def test_markdown_quotes_what_a_memory_says(peer: Start, reverie: Reverie) -> None:
    def answer(asked: Asked) -> Any:
        view = msgspec.structs.replace(
            memory_view(1), content="# Not a heading\n\ntext", title="A\ntitle", superseded_by=0
        )
        return ok(asked, {"memories": [view], "next": None})

    peer(answer)
    out = reverie("export", "--format", "markdown").out
    assert out.startswith("# Memories of default\n\n## [id:1] A title\n\n> # Not a heading\n>\n> text\n\n*")
    assert "superseded by another" in out
