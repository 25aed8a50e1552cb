"""What a person and a script see of the memories they look up."""

from collections.abc import Callable
from typing import Any

import pytest

from unit.cli.conftest import Reverie
from unit.cli.samples import THEN, THEN_ISO, memory_view
from unit.client.peer import Asked, Peer, ok

Start = Callable[[Callable[[Asked], Any]], Peer]


@pytest.mark.parametrize("written", ["12", "id:12", "[id:12]"])
def test_an_id_is_typed_as_it_is_printed(written: str, peer: Start, reverie: Reverie) -> None:
    daemon = peer(lambda asked: ok(asked, memory_view()))
    assert reverie("get", written).out.startswith("[id:12] Ada prefers tea\n")
    assert daemon.asked[0]["memory"] == 12


def test_stored_escape_sequences_are_shown_not_obeyed(peer: Start, reverie: Reverie) -> None:
    nasty = "red \x1b[31m bell \x07 csi \x9b2J rtl \u202e end\nsecond line"
    peer(lambda asked: ok(asked, memory_view(content=nasty, title="t\x1b]0;x\x07", tags=["\x1b[2J"], speaker="\x1bc")))
    out = reverie("get", "12").out
    assert not set(out) & {"\x1b", "\x07", "\x9b", "\u202e"}
    assert "red \\x1b[31m bell \\x07 csi \\x9b2J rtl \\u202e end\n" in out
    assert "second line" in out


def test_metadata_belongs_to_the_user_and_its_numbers_are_not_times(peer: Start, reverie: Reverie) -> None:
    peer(lambda asked: ok(asked, memory_view(metadata={"seen_at": 5, "at": 6}, expires_at=THEN)))
    memory = reverie("get", "12", "--json").json
    assert memory["metadata"] == {"seen_at": 5, "at": 6}
    assert (memory["expires_at"], memory["deleted_at"]) == (THEN_ISO, None)


def test_list_reads_as_many_pages_as_it_takes(peer: Start, reverie: Reverie) -> None:
    def answer(asked: Asked) -> Any:
        newest = asked.get("before", 301) - 1
        ids = range(newest, max(newest - asked.get("limit", 50), 0), -1)
        return ok(asked, {"memories": [memory_view(number) for number in ids], "next": str(ids[-1])})

    daemon = peer(answer)
    page = reverie("list", "--limit", "250", "--state", "archived", "--json").json
    assert [memory["id"] for memory in page["memories"]] == list(range(300, 50, -1))
    assert [asked.get("limit", 50) for asked in daemon.asked] == [200, 50]
    assert daemon.asked[1]["states"] == ["archived"]


def test_timeline_follows_its_cursor(peer: Start, reverie: Reverie) -> None:
    def answer(asked: Asked) -> Any:
        if "cursor" in asked:
            return ok(asked, {"memories": [memory_view(2)]})
        return ok(asked, {"memories": [memory_view(1)], "next": "abc"})

    daemon = peer(answer)
    out = reverie("timeline", "--session", "s1").out
    assert [line[:6] for line in out.splitlines() if line.startswith("[")] == ["[id:1]", "[id:2]"]
    assert (daemon.asked[1]["cursor"], daemon.asked[1]["session_id"]) == ("abc", "s1")
