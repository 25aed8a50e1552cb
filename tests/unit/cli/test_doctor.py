"""The doctor tells what the daemon found, whether it answers at all, and what systemd knows of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from unit.cli.conftest import Reverie
from unit.cli.machine import Machine
from unit.client.peer import Asked, Peer, ok

Start = Callable[[Callable[[Asked], Any]], Peer]
INSTALLED = {"LoadState": "loaded", "ActiveState": "active", "Result": "success"}


def examined(sound: bool) -> Callable[[Asked], Any]:
    check = {"name": "disk", "status": "ok" if sound else "fail", "detail": "little room", "fix": "reverie backup"}
    return lambda asked: ok(asked, {"ok": sound, "checks": [check]} if asked["op"] == "doctor" else {"head": 1})


@pytest.mark.parametrize("sound", [True, False])
def test_it_exits_1_when_a_check_fails_and_shows_the_remedy(sound: bool, peer: Start, reverie: Reverie) -> None:
    peer(examined(sound))
    ran, scripted = reverie("doctor"), reverie("doctor", "--json")
    assert (ran.code, scripted.code) == ((0, 0) if sound else (1, 1))
    assert "disk: little room" in ran.out
    assert "mend it with: reverie backup" in ran.out
    assert [check["name"] for check in scripted.json["checks"]] == ["socket", "disk"]
    assert scripted.json["ok"] is sound


def test_where_no_daemon_answers_it_says_so_and_what_to_do(reverie: Reverie, tmp_path: Path) -> None:
    ran, scripted = reverie("doctor"), reverie("doctor", "--json")
    assert ran.code == scripted.code == 1
    assert f"fail socket: no daemon answers on {tmp_path / 'peer.sock'}" in ran.out
    assert "reverie service" in ran.out
    (check,) = scripted.json["checks"]
    assert (check["name"], check["status"]) == ("socket", "fail")


@pytest.mark.parametrize(
    ("units", "status", "fix"),
    [
        ({"LoadState": "not-found"}, "warn", "reverie service install"),
        ({**INSTALLED, "ActiveState": "inactive"}, "warn", "reverie service start"),
        ({**INSTALLED, "Result": "exit-code"}, "fail", "reverie service logs"),
        (INSTALLED, "ok", None),
    ],
)
def test_it_asks_systemd_who_keeps_the_daemon_up(
    units: dict[str, str], status: str, fix: str | None, reverie: Reverie, tmp_path: Path, monkeypatch: Any
) -> None:
    machine = Machine(tmp_path / "machine", monkeypatch)
    machine.shown.write_text("".join(f"{name}={value}\n" for name, value in units.items()))
    *_, service = reverie("doctor", "--json").json["checks"]
    assert (service["name"], service["status"], service.get("fix")) == ("service", status, fix)
