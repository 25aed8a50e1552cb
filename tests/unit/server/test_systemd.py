"""What is said to the service manager, and what is taken from it."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reveried.server.systemd import BadActivation, Notifier, activated_sockets


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    with _manager_at(str(tmp_path / "notify")) as sock:
        yield sock


def _manager_at(address: str) -> socket.socket:
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    sock.bind(address)
    sock.settimeout(5)
    return sock


def _told(manager: socket.socket) -> Notifier:
    return Notifier({"NOTIFY_SOCKET": manager.getsockname()})


def test_each_state_is_announced_in_the_managers_words(manager: socket.socket) -> None:
    notifier = _told(manager)
    assert notifier.ready("serving")
    assert notifier.status("replaying")
    assert notifier.watchdog()
    assert notifier.extend_timeout(2.5)
    assert notifier.stopping()
    assert [manager.recv(4096) for _ in range(5)] == [
        b"READY=1\nSTATUS=serving",
        b"STATUS=replaying",
        b"WATCHDOG=1",
        b"EXTEND_TIMEOUT_USEC=2500000",
        b"STOPPING=1",
    ]


def test_a_reload_carries_the_moment_it_began(manager: socket.socket) -> None:
    import time

    before = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
    assert _told(manager).reloading()
    first, second = manager.recv(4096).decode().split("\n")
    assert first == "RELOADING=1"
    key, value = second.split("=")
    assert key == "MONOTONIC_USEC"
    assert before <= int(value) <= time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000


def test_an_abstract_socket_is_reached() -> None:
    name = f"reverie-test-{os.getpid()}"
    with _manager_at(f"\0{name}") as manager:
        assert Notifier({"NOTIFY_SOCKET": f"@{name}"}).watchdog()
        assert manager.recv(4096) == b"WATCHDOG=1"


@pytest.mark.parametrize("environ", [{}, {"NOTIFY_SOCKET": ""}, {"NOTIFY_SOCKET": "vsock:2:1234"}])
def test_without_a_usable_manager_nothing_is_sent(environ: dict[str, str]) -> None:
    assert not Notifier(environ).ready("serving")


def test_a_manager_that_is_gone_is_named_in_the_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert not Notifier({"NOTIFY_SOCKET": str(tmp_path / "gone")}).stopping()
    assert "STOPPING=1" in caplog.text


def test_a_manager_that_does_not_read_never_holds_us_up(manager: socket.socket) -> None:
    notifier = _told(manager)
    assert not all(notifier.watchdog() for _ in range(10_000))


def test_the_process_environment_is_not_consulted(manager: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", manager.getsockname())
    monkeypatch.setenv("WATCHDOG_USEC", "1000000")
    notifier = Notifier({})
    assert not notifier.ready("serving")
    assert notifier.watchdog_interval is None


@given(st.text())
def test_no_status_text_can_smuggle_in_a_second_line(text: str) -> None:
    name = f"\0reverie-status-{os.getpid()}"
    with _manager_at(name) as manager:
        assert Notifier({"NOTIFY_SOCKET": "@" + name[1:]}).status("x\n" + text[:200])
        said = manager.recv(4096)
    assert said.startswith(b"STATUS=x")
    assert b"\n" not in said


@pytest.mark.parametrize(
    ("environ", "seconds"),
    [
        ({"WATCHDOG_USEC": "30000000"}, 15.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"}, 15.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8"}, None),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "x"}, None),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": ""}, 15.0),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
        ({"WATCHDOG_PID": "7"}, None),
    ],
)
def test_the_watchdog_interval_is_half_of_what_is_allowed_us(environ: dict[str, str], seconds: float | None) -> None:
    assert Notifier(environ, pid=7).watchdog_interval == seconds


def _passed(sock: socket.socket) -> int:
    """A copy of the descriptor as an exec would leave it: owned by nobody here, and inheritable."""
    fd = os.dup(sock.fileno())
    os.set_inheritable(fd, True)
    return fd


def _for_us(count: int = 1) -> dict[str, str]:
    return {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": str(count)}


def _listening(path: str) -> socket.socket:
    sock = socket.socket(socket.AF_UNIX)
    sock.bind(path)
    sock.listen()
    return sock


def test_a_passed_socket_is_adopted_and_not_inherited_further(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    with _listening(path) as original:
        fd = _passed(original)
        (adopted,) = activated_sockets(_for_us(), os.getpid(), fd)
    with adopted, socket.socket(socket.AF_UNIX) as client:
        assert adopted.fileno() == fd
        assert not os.get_inheritable(fd)
        client.connect(path)
        adopted.accept()[0].close()


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"LISTEN_FDS": "1"},
        {"LISTEN_PID": "1", "LISTEN_FDS": "1"},
        {"LISTEN_PID": str(os.getpid())},
        {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "0"},
        {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "many"},
        {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "-1"},
    ],
)
def test_sockets_meant_for_another_process_are_left_alone(environ: dict[str, str]) -> None:
    assert activated_sockets(environ, os.getpid()) == []


def test_what_is_no_socket_is_refused_by_name(tmp_path: Path) -> None:
    fd = os.open(tmp_path, os.O_RDONLY)
    try:
        with pytest.raises(BadActivation, match=f"descriptor {fd} .* not a socket"):
            activated_sockets(_for_us(), os.getpid(), fd)
    finally:
        os.close(fd)


@pytest.mark.parametrize(
    ("family", "kind", "listening", "complaint"),
    [
        (socket.AF_INET, socket.SOCK_STREAM, True, "not a Unix socket"),
        (socket.AF_UNIX, socket.SOCK_DGRAM, False, "not a stream socket"),
        (socket.AF_UNIX, socket.SOCK_STREAM, False, "not listening"),
        (socket.AF_UNIX, socket.SOCK_STREAM, True, "not bound to a path"),
    ],
)
def test_a_socket_of_another_kind_is_refused_and_closed(
    family: int, kind: int, listening: bool, complaint: str
) -> None:
    with socket.socket(family, kind) as sock:
        if listening:
            sock.bind(f"\0reverie-{os.getpid()}" if family == socket.AF_UNIX else ("127.0.0.1", 0))
            sock.listen()
        fd = _passed(sock)
        with pytest.raises(BadActivation, match=complaint):
            activated_sockets(_for_us(), os.getpid(), fd)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(fd)
