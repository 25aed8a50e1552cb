"""Commands that change memories send exactly what was typed and say what became of it."""

from collections.abc import Callable
from typing import Any

import pytest

from unit.cli.conftest import Reverie
from unit.cli.samples import memory_view
from unit.client.peer import Asked, Peer, ok, refused, written

Start = Callable[[Callable[[Asked], Any]], Peer]


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        (["reinforce", "3"], {"op": "reinforce", "memory": 3}),
        (["demote", "[id:3]"], {"op": "demote", "memory": 3}),
        (["pin", "3"], {"op": "pin", "memory": 3}),
        (["unpin", "3"], {"op": "unpin", "memory": 3}),
        (["tag", "3", "a,b", "c"], {"op": "tag", "memory": 3, "tags": ["a", "b", "c"]}),
        (["untag", "3", "a"], {"op": "untag", "memory": 3, "tags": ["a"]}),
        (["supersede", "3", "4", "--reason", "old"], {"op": "supersede", "old": 3, "new": 4, "reason": "old"}),
        (["archive", "3", "--reason", "done"], {"op": "archive", "memory": 3, "reason": "done"}),
        (["restore", "3"], {"op": "restore", "memory": 3}),
        (["delete", "--reason", "wrong", "3"], {"op": "delete", "memory": 3, "reason": "wrong"}),
        (["erase", "3", "--yes"], {"op": "erase", "memory": 3}),
        (["update", "3", "new", "--title", "T"], {"op": "update", "memory": 3, "content": "new", "title": "T"}),
        (["update", "3", "--title", "T", "new"], {"op": "update", "memory": 3, "content": "new", "title": "T"}),
        (["update", "3", "--tags", ""], {"op": "update", "memory": 3, "tags": []}),
        (
            ["update", "3", "--tags", "a,b", "--level", "2"],
            {"op": "update", "memory": 3, "tags": ["a", "b"], "level": 2},
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_command_asks_for_what_was_typed(
    typed: list[str], sent: dict[str, Any], peer: Start, reverie: Reverie
) -> None:
    daemon = peer(lambda asked: written(asked, 3, "done"))
    ran = reverie(*typed)
    assert (ran.code, ran.out) == (0, "[id:3] done\n")
    (asked,) = daemon.asked
    assert {name: value for name, value in asked.items() if name not in ("id", "key")} == sent
    assert asked["key"]


def test_several_ids_are_several_commands_with_their_own_keys(peer: Start, reverie: Reverie) -> None:
    daemon = peer(lambda asked: written(asked, asked["memory"]))
    assert [line["id"] for line in reverie("pin", "1", "2", "3", "--json").lines] == [1, 2, 3]
    assert len({asked["key"] for asked in daemon.asked}) == 3


def test_a_refusal_weighs_more_than_an_unknown_id(peer: Start, reverie: Reverie) -> None:
    codes = {1: "not_found", 2: "wrong_state"}
    peer(lambda asked: refused(asked, codes[asked["memory"]]))
    assert reverie("reinforce", "1", "2").code == 1
    assert reverie("reinforce", "1").code == 3


def test_notes_and_repeats_are_mentioned(peer: Start, reverie: Reverie) -> None:
    reply = {"id": 3, "outcome": "stored", "seq": 3, "repeated": True, "notes": ["a secret was redacted"]}
    peer(lambda asked: ok(asked, reply))
    out = reverie("store", "x", "--key", "k").out
    assert "a secret was redacted" in out
    assert "key" in out


@pytest.mark.parametrize(
    ("typed", "erased"), [("y\n", True), ("yes\n", True), ("n\n", False), ("\n", False), ("", False)]
)
def test_erasing_at_a_terminal_asks_first(
    typed: str, erased: bool, peer: Start, reverie: Reverie, monkeypatch: pytest.MonkeyPatch
) -> None:
    daemon = peer(lambda asked: ok(asked, memory_view(3)) if asked["op"] == "get" else written(asked, 3, "erased"))
    monkeypatch.setattr("reverie.cli.erasing.at_a_terminal", lambda: True)
    ran = reverie("erase", "3", stdin=typed.encode())
    assert "Ada prefers tea" in ran.out
    assert ("erase" in [asked["op"] for asked in daemon.asked]) is erased
    assert ran.code == (0 if erased else 1)
