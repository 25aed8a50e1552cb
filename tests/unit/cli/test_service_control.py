"""Every other `reverie service` command, against recorded stand-ins for systemctl and its kin."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from unit.cli.machine import Machine, answering_daemon, reverie


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


@pytest.fixture
def daemon(machine: Machine) -> Iterator[None]:
    with answering_daemon():
        yield


@pytest.mark.parametrize("action", ["install", "uninstall", "start", "stop", "restart", "reload", "status"])
@pytest.mark.parametrize("missing", ["systemctl", "user manager"])
def test_without_systemd_the_way_to_run_by_hand_is_named(
    machine: Machine,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    action: str,
    missing: str,
) -> None:
    if missing == "systemctl":
        monkeypatch.setenv("PATH", str(machine.root / "refuse"))
    else:
        machine.refuses("show-environment")
    assert reverie(action) == 1
    assert "Run `reveried` in the foreground" in capsys.readouterr().err
    assert machine.tree() == {}


def test_what_systemctl_complains_of_is_passed_on(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    machine.refuses("daemon-reload")
    assert reverie("install", as_json=True) == 1
    assert "refused daemon-reload" in json.loads(capsys.readouterr().out)["error"]


@pytest.mark.parametrize(
    ("action", "commands"),
    [
        ("start", ["reset-failed reveried.socket reveried.service", "start reveried.socket reveried.service"]),
        ("restart", ["reset-failed reveried.socket reveried.service", "restart reveried.service"]),
        ("stop", ["stop reveried.socket reveried.service"]),
        ("reload", ["reload reveried.service"]),
    ],
)
def test_controls_reach_the_right_units(machine: Machine, action: str, commands: list[str]) -> None:
    assert reverie(action) == 0
    assert machine.calls[1:] == [f"systemctl --user {command}" for command in commands]


def test_a_start_is_tried_even_when_there_was_nothing_to_forget(machine: Machine) -> None:
    machine.refuses("reset-failed")
    assert reverie("start") == 0
    assert machine.calls[-1] == "systemctl --user start reveried.socket reveried.service"


def test_status_tells_what_systemd_knows(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    assert reverie("status") == 0
    shown = capsys.readouterr().out
    assert "reveried.service: active (running), pid 42, restarted 0 times" in shown
    assert f"path: {machine.root}/run/reverie/reverie.sock" in shown
    assert reverie("status", as_json=True) == 0
    assert json.loads(capsys.readouterr().out)["reveried.service"]["MainPID"] == "42"


def test_status_of_a_dead_socket_is_a_failure(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    machine.shown.write_text("ActiveState=failed\nSubState=failed\nMainPID=0\nResult=start-limit-hit\n")
    assert reverie("status") == 1
    assert "reveried.socket: failed (failed), last result start-limit-hit" in capsys.readouterr().out


def test_logs_come_from_the_journal(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    assert reverie("logs", "-n", "5") == 0
    assert reverie("logs", "--follow") == 0
    assert machine.calls == [
        "journalctl --user-unit=reveried.service --lines=5 --no-pager",
        "journalctl --user-unit=reveried.service --lines=100 --follow",
    ]
    monkeypatch.setenv("PATH", str(machine.root / "refuse"))
    assert reverie("logs") == 1


def _with_memories(machine: Machine) -> Path:
    data = machine.root / "home/.local/share/reverie"
    (data / "backups").mkdir(parents=True)
    for name in ("log.db", "log.db-wal", "state.db", "backups/one.db"):
        (data / name).write_text("memories")
    (machine.root / "home/.config/reverie").mkdir(parents=True)
    (machine.root / "home/.config/reverie/config.yaml").write_text("{}")
    return data


def test_uninstall_removes_the_units_and_keeps_the_memories(machine: Machine) -> None:
    data = _with_memories(machine)
    reverie("install", "--wait", "0")
    machine.calls_file.unlink()
    assert reverie("uninstall") == 0
    assert machine.calls[1:] == [
        "systemctl --user disable --now reveried.socket reveried.service",
        "systemctl --user daemon-reload",
    ]
    assert list(machine.units.iterdir()) == []
    assert (data / "log.db").exists()


def test_uninstall_sets_an_edited_unit_aside(machine: Machine) -> None:
    reverie("install", "--wait", "0")
    (machine.units / "reveried.socket").write_text("[Socket]\n")
    assert reverie("uninstall") == 0
    assert [path.name for path in machine.units.iterdir()] == ["reveried.socket.bak"]


def test_uninstalling_what_is_not_there_is_fine(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    assert reverie("uninstall") == 0
    assert "nothing was installed" in capsys.readouterr().out


def test_a_purge_deletes_memories_and_config(machine: Machine) -> None:
    data = _with_memories(machine)
    assert reverie("uninstall", "--purge") == 0
    assert not data.exists()
    assert not (machine.root / "home/.config/reverie").exists()


def test_a_purge_spares_what_is_not_reveries(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    data = _with_memories(machine)
    for name in ("thesis.txt", "lockers.txt"):
        (data / name).write_text("mine")
    assert reverie("uninstall", "--purge") == 0
    assert sorted(path.name for path in data.iterdir()) == ["lockers.txt", "thesis.txt"]
    monkeypatch.setenv("REVERIE_DATA", str(machine.root / "home"))
    (machine.root / "home/backups").write_text("of something else: there is no log here")
    assert reverie("uninstall", "--purge") == 0
    assert (machine.root / "home/backups").exists()


@pytest.mark.usefixtures("daemon")
def test_a_purge_waits_for_the_daemon_to_be_gone(machine: Machine) -> None:
    data = _with_memories(machine)
    assert reverie("uninstall", "--purge") == 1
    assert (data / "log.db").exists()
