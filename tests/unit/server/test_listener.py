"""One daemon, one door, and nobody else's hand on it."""

import errno
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from reveried.server.listener import (
    BACKLOG,
    AlreadyRunning,
    CannotListen,
    listen,
)

needs_root = pytest.mark.skipif(os.getuid() != 0, reason="needs root to act as a second user")
STRANGER = 65534


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "run" / "reverie.sock")


def _connect(path: str) -> int:
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(path)


def _leave_stale(path: str, kind: int = socket.SOCK_STREAM) -> None:
    os.makedirs(os.path.dirname(path), mode=0o700)
    with socket.socket(socket.AF_UNIX, kind) as dead:
        dead.bind(path)


def test_the_directory_and_the_socket_are_private(path: str) -> None:
    before = os.umask(0)
    try:
        listener = listen(path, {})
    finally:
        os.umask(before)
    assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    listener.close()


def test_the_socket_is_ready_for_an_event_loop(path: str) -> None:
    listener = listen(path, {})
    assert not listener.activated
    assert listener.path == path
    assert not listener.socket.getblocking()
    assert not listener.socket.get_inheritable()
    assert _connect(path) == 0
    listener.close()


def test_hundreds_may_wait_at_the_door(path: str) -> None:
    listener = listen(path, {})
    waiting = [socket.socket(socket.AF_UNIX) for _ in range(400)]
    for client in waiting:
        client.setblocking(False)
    assert {client.connect_ex(path) for client in waiting} == {0}
    assert BACKLOG == 1024
    for client in waiting:
        client.close()
    listener.close()


def test_closing_takes_the_path_away_and_may_be_repeated(path: str) -> None:
    listener = listen(path, {})
    listener.close()
    listener.close()
    assert not os.path.exists(path)


def test_closing_leaves_a_successors_socket_alone(path: str) -> None:
    first = listen(path, {})
    os.unlink(path)
    second = listen(path, {})
    first.close()
    assert _connect(path) == 0
    second.close()


@pytest.mark.parametrize("removed", ["file", "directory"])
def test_closing_after_somebody_cleaned_up_is_no_error(path: str, removed: str) -> None:
    listener = listen(path, {})
    os.unlink(path)
    if removed == "directory":
        os.rmdir(os.path.dirname(path))
    listener.close()
    assert not os.path.exists(path)
    assert os.path.exists(os.path.dirname(path)) == (removed == "file")


def test_a_stale_socket_is_replaced(path: str) -> None:
    _leave_stale(path)
    assert _connect(path) == errno.ECONNREFUSED
    listener = listen(path, {})
    assert _connect(path) == 0
    listener.close()


def test_a_second_daemon_is_told_of_the_first(path: str) -> None:
    first = listen(path, {})
    with pytest.raises(AlreadyRunning, match="already answers on") as refusal:
        listen(path, {})
    assert refusal.value.exit_code == 75
    assert _connect(path) == 0
    first.close()


def test_a_daemon_too_busy_to_accept_still_counts_as_running(path: str) -> None:
    _leave_stale(path)
    os.unlink(path)
    with socket.socket(socket.AF_UNIX) as busy, socket.socket(socket.AF_UNIX) as waiting:
        busy.bind(path)
        busy.listen(0)
        waiting.connect(path)
        with pytest.raises(AlreadyRunning):
            listen(path, {})


@pytest.mark.parametrize("kind", ["file", "directory", "symlink", "fifo"])
def test_what_is_not_a_socket_is_never_removed(path: str, kind: str) -> None:
    os.makedirs(os.path.dirname(path), mode=0o700)
    make: dict[str, Callable[[], object]] = {
        "file": lambda: Path(path).write_text("precious"),
        "directory": lambda: os.mkdir(path),
        "symlink": lambda: os.symlink("/nowhere", path),
        "fifo": lambda: os.mkfifo(path),
    }
    make[kind]()
    before = os.lstat(path)
    with pytest.raises(CannotListen, match="not a socket") as refusal:
        listen(path, {})
    assert refusal.value.exit_code == 64
    assert os.lstat(path) == before


def test_a_live_socket_of_another_kind_is_never_removed(path: str) -> None:
    _leave_stale(path)
    os.unlink(path)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        other.bind(path)
        with pytest.raises(CannotListen, match="another kind"):
            listen(path, {})
        assert os.path.exists(path)


@pytest.mark.parametrize("mode", [0o701, 0o710, 0o755, 0o770, 0o1777])
def test_a_directory_open_to_others_is_refused(path: str, mode: int) -> None:
    os.mkdir(os.path.dirname(path))
    os.chmod(os.path.dirname(path), mode)
    with pytest.raises(CannotListen, match=f"{mode:04o}") as refusal:
        listen(path, {})
    assert refusal.value.exit_code == 77
    assert refusal.value.code == "cannot_listen"
    assert "REVERIE_SOCKET" in str(refusal.value.hint)
    assert os.listdir(os.path.dirname(path)) == []


def test_a_symlinked_directory_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir(mode=0o700)
    (tmp_path / "link").symlink_to("real")
    with pytest.raises(CannotListen, match="symbolic link") as refusal:
        listen(str(tmp_path / "link" / "reverie.sock"), {})
    assert refusal.value.exit_code == 77


@needs_root
def test_a_directory_of_somebody_else_is_refused(path: str) -> None:
    os.mkdir(os.path.dirname(path), 0o700)
    os.chown(os.path.dirname(path), STRANGER, STRANGER)
    with pytest.raises(CannotListen, match=f"belongs to uid {STRANGER}") as refusal:
        listen(path, {})
    assert refusal.value.exit_code == 77


@needs_root
def test_a_socket_of_somebody_else_is_never_removed(path: str) -> None:
    _leave_stale(path)
    os.chown(path, STRANGER, STRANGER)
    with pytest.raises(CannotListen, match=f"belongs to uid {STRANGER}"):
        listen(path, {})
    assert os.path.exists(path)


@pytest.mark.skipif(os.getuid() == 0, reason="root may write anywhere")
def test_a_place_we_may_not_write_is_a_matter_of_permission(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(CannotListen, match="Permission denied") as refusal:
        listen(str(tmp_path / "run" / "reverie.sock"), {})
    assert refusal.value.exit_code == 77


def test_a_path_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotListen, match="cannot listen on") as refusal:
        listen(str(tmp_path / "file" / "reverie.sock"), {})
    assert refusal.value.exit_code == 64


@pytest.mark.parametrize("letter", ["a", "ü"])
def test_a_path_too_long_names_its_length_and_the_way_out(tmp_path: Path, letter: str) -> None:
    long = str(tmp_path / (letter * 110) / "reverie.sock")
    with pytest.raises(CannotListen, match=f"{len(os.fsencode(long))} bytes") as refusal:
        listen(long, {})
    assert refusal.value.exit_code == 64
    assert "REVERIE_SOCKET" in str(refusal.value.hint)
    assert os.listdir(tmp_path) == []


def test_the_longest_path_still_works(tmp_path: Path) -> None:
    directory = tmp_path / "d"
    longest = str(directory / ("a" * (107 - len(str(directory)) - 1)))
    assert len(longest) == 107
    listener = listen(longest, {})
    assert _connect(longest) == 0
    listener.close()


@pytest.mark.parametrize("path", ["", "a\0b"])
def test_a_path_that_is_none_is_refused(path: str) -> None:
    with pytest.raises(CannotListen) as refusal:
        listen(path, {})
    assert refusal.value.exit_code == 64


STARTER = """
import os, sys
from reveried.server.listener import AlreadyRunning, listen
print("waiting", flush=True)
os.read(int(sys.argv[2]), 1)
try:
    listener = listen(sys.argv[1], {})
except AlreadyRunning as error:
    sys.exit(error.exit_code)
print("serving", flush=True)
sys.stdin.readline()
listener.close()
"""


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


@pytest.mark.parametrize("round_", range(3))
def test_of_twenty_daemons_started_at_once_exactly_one_serves(path: str, round_: int) -> None:
    _leave_stale(path)
    gate, opener = os.pipe()
    command = [sys.executable, "-c", STARTER, path, str(gate)]
    pipe = subprocess.PIPE
    starters = [subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, pass_fds=[gate]) for _ in range(20)]
    assert {_line(starter) for starter in starters} == {"waiting\n"}
    os.close(opener)
    os.close(gate)
    assert sorted(_line(starter) for starter in starters) == [""] * 19 + ["serving\n"]
    assert _connect(path) == 0
    for starter in starters:
        starter.communicate()
    assert sorted(starter.returncode for starter in starters) == [0] + [75] * 19
    assert not os.path.exists(path)
