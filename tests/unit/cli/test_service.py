"""`reverie service install` against recorded stand-ins for systemctl and its kin."""

import json
import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from reverie import paths
from unit.cli.machine import Machine, answering_daemon, reverie


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


@pytest.fixture
def daemon(machine: Machine) -> Iterator[None]:
    with answering_daemon():
        yield


@pytest.mark.usefixtures("daemon")
def test_install_lays_down_units_and_starts_listening(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    assert reverie("install") == 0
    assert machine.calls == [
        "systemctl --user show-environment",
        "systemctl --user is-active --quiet reveried.socket",
        "systemd-run --user --wait --quiet -p PrivateUsers=yes -p ProtectSystem=strict"
        " -p CapabilityBoundingSet= /bin/true",
        "systemctl --user daemon-reload",
        "systemctl --user enable --now reveried.socket",
        "systemctl --user enable reveried.service",
        "systemctl --user try-restart reveried.service",
    ]
    assert sorted(machine.tree()) == [
        f".config/systemd/user/{name}"
        for name in ("reveried.service", "reveried.service.d/sandbox.conf", "reveried.socket")
    ]
    assert str(machine.root / "run/reverie/reverie.sock") in capsys.readouterr().out


@pytest.mark.usefixtures("daemon")
def test_the_installed_service_names_the_real_program_and_places(machine: Machine) -> None:
    reverie("install")
    lines = (machine.units / "reveried.service").read_text().splitlines()
    (started,) = [line.removeprefix("ExecStart=") for line in lines if line.startswith("ExecStart=")]
    assert os.path.isabs(started)
    assert os.access(started, os.X_OK)
    assert f"Environment=REVERIE_DATA={machine.root}/home/.local/share/reverie" in lines
    sandbox = (machine.units / "reveried.service.d/sandbox.conf").read_text()
    home = machine.root / "home"
    assert f"ReadWritePaths={home}/.local/share/reverie {home}/.config/reverie\n" in sandbox


@pytest.mark.usefixtures("daemon")
def test_the_writable_directories_exist_and_are_private(machine: Machine) -> None:
    reverie("install")
    for directory in (".local/share/reverie", ".config/reverie"):
        assert stat.S_IMODE((machine.root / "home" / directory).stat().st_mode) == 0o700


@pytest.mark.usefixtures("daemon")
def test_directories_given_by_the_environment_reach_the_units(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REVERIE_DATA", str(machine.root / "my 100% data"))
    reverie("install")
    quoted = f'"{machine.root}/my 100%% data"'
    assert quoted in (machine.units / "reveried.service.d/sandbox.conf").read_text()
    assert f'Environment="REVERIE_DATA={quoted[1:]}' in (machine.units / "reveried.service").read_text()


@pytest.mark.usefixtures("daemon")
def test_a_second_install_changes_nothing_and_restarts_nothing(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    reverie("install")
    before = machine.tree()
    machine.calls_file.unlink()
    capsys.readouterr()
    assert reverie("install") == 0
    assert machine.tree() == before
    assert not any("restart" in call for call in machine.calls)
    assert "wrote" not in capsys.readouterr().out


@pytest.mark.usefixtures("daemon")
def test_an_edited_unit_is_kept_and_its_difference_shown(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    reverie("install")
    unit = machine.units / "reveried.service"
    installed = unit.read_text()
    for edit in ("Nice=5", "Nice=7"):
        unit.write_text(installed + f"{edit}\n")
        capsys.readouterr()
        assert reverie("install") == 0
        assert f"-{edit}" in capsys.readouterr().out
    assert unit.read_text() == installed
    assert (machine.units / "reveried.service.bak").read_text().endswith("Nice=5\n")
    assert (machine.units / "reveried.service.bak2").read_text().endswith("Nice=7\n")


@pytest.mark.usefixtures("daemon")
@pytest.mark.parametrize(
    ("wish", "namespaces", "sandboxed", "probed"),
    [
        ("auto", True, True, True),
        ("auto", False, False, True),
        ("strict", True, True, True),
        ("off", True, False, False),
    ],
)
def test_the_sandbox_is_installed_where_it_works(
    machine: Machine, wish: str, namespaces: bool, sandboxed: bool, probed: bool
) -> None:
    if not namespaces:
        machine.refuses("PrivateUsers=yes")
    assert reverie("install", "--sandbox", wish) == 0
    assert (machine.units / "reveried.service.d/sandbox.conf").exists() == sandboxed
    assert any(call.startswith("systemd-run") for call in machine.calls) == probed


@pytest.mark.usefixtures("daemon")
def test_a_strict_sandbox_that_cannot_work_installs_nothing(
    machine: Machine, capsys: pytest.CaptureFixture[str]
) -> None:
    machine.refuses("PrivateUsers=yes")
    assert reverie("install", "--sandbox", "strict") == 1
    assert "user namespaces" in capsys.readouterr().err
    assert machine.tree() == {}


@pytest.mark.usefixtures("daemon")
def test_turning_the_sandbox_off_removes_it(machine: Machine) -> None:
    reverie("install")
    assert reverie("install", "--sandbox", "off") == 0
    assert not (machine.units / "reveried.service.d").exists()


@pytest.mark.usefixtures("daemon")
def test_linger_is_asked_for_only_on_request(machine: Machine) -> None:
    reverie("install")
    assert "loginctl enable-linger" not in machine.calls
    reverie("install", "--linger")
    assert machine.calls[-1] == "loginctl enable-linger"


@pytest.mark.parametrize("as_json", [False, True])
def test_a_dry_run_shows_everything_and_touches_nothing(
    machine: Machine, capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    before = sorted(machine.root.rglob("*"))
    assert reverie("install", "--dry-run", "--linger", as_json=as_json) == 0
    shown = capsys.readouterr().out
    for part in ("reveried.socket", "Type=notify", "PrivateUsers=yes", "enable-linger", "daemon-reload"):
        assert part in shown
    assert sorted(machine.root.rglob("*")) == before
    if as_json:
        assert {"make", "write", "run"} <= set(json.loads(shown))


def test_a_daemon_that_never_answers_fails_the_install(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket(socket.AF_UNIX) as silent:
        silent.bind(paths.default_socket_path())
        silent.listen()
        assert reverie("install", "--wait", "0.2") == 1
    assert "does not answer" in capsys.readouterr().err


def test_no_socket_at_all_fails_the_install(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    assert reverie("install", "--wait", "0.2", as_json=True) == 1
    assert json.loads(capsys.readouterr().out)["ok"] is False


@pytest.mark.usefixtures("daemon")
def test_a_daemon_run_by_hand_is_not_pushed_aside(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    machine.refuses("is-active")
    assert reverie("install") == 1
    assert "started by hand" in capsys.readouterr().err
    assert machine.tree() == {}


@pytest.mark.usefixtures("daemon")
def test_the_result_is_machine_readable(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    assert reverie("install", as_json=True) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["socket"] == str(machine.root / "run/reverie/reverie.sock")
    assert result["sandbox"] is True
    assert len(result["changed"]) == 3
