"""The units as systemd reads them, and the door it opens for us."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from reverie.cli import service_units
from reverie.cli.service_units import SANDBOX, SERVICE, SOCKET, Places, rendered

needs_analyze = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
needs_activate = pytest.mark.skipif(
    shutil.which("systemd-socket-activate") is None, reason="systemd-socket-activate is not installed"
)


def _settings(name: str) -> dict[str, list[str]]:
    text = Path(service_units.source_dir(), name).read_text()
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if "=" in line and not line.startswith("#"):
            key, value = line.split("=", 1)
            found.setdefault(key, []).append(value)
    return found


@pytest.mark.parametrize(
    ("unit", "key", "value"),
    [
        (SOCKET, "ListenStream", "%t/reverie/reverie.sock"),
        (SOCKET, "SocketMode", "0600"),
        (SOCKET, "DirectoryMode", "0700"),
        (SOCKET, "Backlog", "1024"),
        (SERVICE, "Type", "notify"),
        (SERVICE, "Requires", "reveried.socket"),
        (SERVICE, "ExecStart", "%h/.local/bin/reveried"),
        (SERVICE, "ExecReload", "/bin/kill -HUP $MAINPID"),
        (SERVICE, "Restart", "on-failure"),
        (SERVICE, "RestartPreventExitStatus", "2 64 77"),
        (SERVICE, "StartLimitBurst", "20"),
        (SERVICE, "StartLimitIntervalSec", "60"),
        (SERVICE, "WatchdogSec", "30"),
        (SERVICE, "UMask", "0077"),
        (SERVICE, "MemoryDenyWriteExecute", "yes"),
        (SANDBOX, "PrivateUsers", "yes"),
        (SANDBOX, "ReadWritePaths", "%h/.local/share/reverie %h/.config/reverie"),
    ],
)
def test_a_unit_says_what_the_daemon_relies_on(unit: str, key: str, value: str) -> None:
    assert _settings(unit)[key] == [value]


@pytest.mark.parametrize("unit", [SERVICE, SANDBOX])
@pytest.mark.parametrize(
    ("trap", "why"),
    [
        ("RuntimeDirectory", "deletes the socket's directory when the service stops"),
        ("StateDirectory", "is ~/.config in a user unit"),
        ("PrivateIPC", "breaks reloading"),
    ],
)
def test_no_unit_steps_into_a_known_trap(unit: str, trap: str, why: str) -> None:
    assert trap not in _settings(unit), why


NEEDS_A_USER_NAMESPACE = ("Protect", "Private", "CapabilityBoundingSet", "ReadWritePaths", "ReadOnlyPaths")


def test_the_base_unit_needs_no_user_namespace() -> None:
    assert [key for key in _settings(SERVICE) if key.startswith(NEEDS_A_USER_NAMESPACE)] == []


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The units as an install would write them, with a program and a directory that need quoting."""
    program = tmp_path / "a 100% odd place" / "reveried"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    places = Places(str(program), str(tmp_path / "my data"), str(tmp_path / "config/config.yaml"))
    target = tmp_path / "units"
    for name in (SERVICE, SOCKET, SANDBOX):
        service_units.write(str(target / name), rendered(name, places))
    return target


def _analyze(*words: str, runtime: Path) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "XDG_RUNTIME_DIR": str(runtime), "SYSTEMD_COLORS": "0", "LC_ALL": "C.UTF-8"}
    return subprocess.run(["systemd-analyze", *words], capture_output=True, text=True, env=environ)


def _verify(installed: Path) -> subprocess.CompletedProcess[str]:
    # Without --recursive-errors=no an unknown key is printed but still counts as success.
    units = [str(installed / SERVICE), str(installed / SOCKET)]
    return _analyze("verify", "--user", "--recursive-errors=no", *units, runtime=installed.parent)


@needs_analyze
@pytest.mark.parametrize("sandbox", [True, False])
def test_systemd_finds_nothing_to_complain_of(installed: Path, sandbox: bool) -> None:
    if not sandbox:
        (installed / SANDBOX).unlink()
    verdict = _verify(installed)
    assert (verdict.returncode, verdict.stdout, verdict.stderr) == (0, "", "")


@needs_analyze
@pytest.mark.parametrize(
    ("unit", "mistake"),
    [(SERVICE, "[Service]\nNoSuchKey=1\n"), (SERVICE, "[Service]\nType=loud\n"), (SANDBOX, "NoSuchKey=1\n")],
)
def test_systemd_would_have_complained(installed: Path, unit: str, mistake: str) -> None:
    with (installed / unit).open("a") as file:
        file.write(mistake)
    assert _verify(installed).stderr != ""


def _exposure(installed: Path) -> float:
    report = _analyze("security", "--offline=true", str(installed / SERVICE), runtime=installed.parent)
    return float(report.stdout.strip().splitlines()[-1].split(":")[1].split()[0])


@needs_analyze
def test_exposure_stays_low(installed: Path) -> None:
    assert _exposure(installed) <= 0.6
    (installed / SANDBOX).unlink()
    assert _exposure(installed) <= 6.0


DAEMON = """
import os, select, signal, sys
from reveried.server.listener import listen, peer_allowed
from reveried.server.systemd import Notifier

notifier = Notifier(os.environ)
listener = listen("/never/used.sock", os.environ)
signal.signal(signal.SIGTERM, lambda *_: None)
woken, wake = os.pipe()
os.set_blocking(wake, False)
signal.set_wakeup_fd(wake)
notifier.ready(f"serving {listener.path}")
while True:
    readable, _, _ = select.select([listener.socket, woken], [], [], notifier.watchdog_interval)
    if woken in readable:
        break
    if not readable:
        notifier.watchdog()
        continue
    connection, _ = listener.socket.accept()
    with connection:
        connection.sendall(f"{listener.activated} {peer_allowed(connection)}".encode())
notifier.stopping()
listener.close()
"""


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind(str(tmp_path / "notify"))
        sock.settimeout(20)
        yield sock


@pytest.fixture
def activated(tmp_path: Path, manager: socket.socket) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    path = str(tmp_path / "door.sock")
    # It hands on nothing of our environment but what is named here.
    passed = {
        "NOTIFY_SOCKET": manager.getsockname(),
        "WATCHDOG_USEC": "200000",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    environ = [f"--setenv={name}={value}" for name, value in passed.items()]
    command = ["systemd-socket-activate", f"--listen={path}", *environ, sys.executable, "-c", DAEMON]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert "Listening on" in process.stderr.readline()
    yield path, process
    process.terminate()
    process.communicate()


def _ask(path: str) -> str:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(20)
        client.connect(path)
        return client.recv(4096).decode()


@needs_activate
def test_the_first_caller_wakes_a_daemon_that_tells_systemd_of_its_life(
    activated: tuple[str, subprocess.Popen[str]], manager: socket.socket
) -> None:
    path, process = activated
    assert _ask(path) == "True True"
    assert manager.recv(4096).decode() == f"READY=1\nSTATUS=serving {path}"
    assert manager.recv(4096) == b"WATCHDOG=1"
    assert _ask(path) == "True True"
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0
    said = b"WATCHDOG=1"
    while said == b"WATCHDOG=1":
        said = manager.recv(4096)
    assert said == b"STOPPING=1"
    assert os.path.exists(path), "the path is systemd's to remove, not ours"
