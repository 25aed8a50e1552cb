"""Whom the listener lets in, and which sockets it takes from the service manager."""

import errno
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from reveried.server.listener import Listener, listen, peer_allowed, peer_uid

needs_root = pytest.mark.skipif(os.getuid() != 0, reason="needs root to act as a second user")
STRANGER = 65534


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "run" / "reverie.sock")


def _connect(path: str) -> int:
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(path)


def _accepted(listener: Listener) -> socket.socket:
    listener.socket.setblocking(True)
    connection, _ = listener.socket.accept()
    return connection


def test_our_own_clients_are_let_in(path: str) -> None:
    listener = listen(path, {})
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(path)
        with _accepted(listener) as connection:
            assert peer_uid(connection) == os.getuid()
            assert peer_allowed(connection)
    listener.close()


CALL_AS_STRANGER = """
import os, socket, sys
os.setgroups([])
os.setgid(int(sys.argv[1]))
os.setuid(int(sys.argv[1]))
with socket.socket(socket.AF_UNIX) as client:
    print(client.connect_ex(sys.argv[2]))
"""


def _call_as_stranger(path: str) -> str:
    command = [sys.executable, "-c", CALL_AS_STRANGER, str(STRANGER), path]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def path_in_public() -> Iterator[str]:
    """Every directory above ours may be entered by anybody, so that ours alone has to keep them out."""
    with tempfile.TemporaryDirectory(dir="/tmp") as public:
        os.chmod(public, 0o755)
        yield os.path.join(public, "run", "reverie.sock")


@needs_root
def test_a_stranger_cannot_even_reach_the_socket(path_in_public: str) -> None:
    listener = listen(path_in_public, {})
    try:
        assert _call_as_stranger(path_in_public) == str(errno.EACCES)
        os.chmod(os.path.dirname(path_in_public), 0o755)
        assert _call_as_stranger(path_in_public) == str(errno.EACCES)
    finally:
        listener.close()


@needs_root
def test_a_stranger_who_got_through_an_opened_door_is_not_allowed(path_in_public: str) -> None:
    listener = listen(path_in_public, {})
    try:
        os.chmod(os.path.dirname(path_in_public), 0o755)
        os.chmod(path_in_public, 0o777)
        assert _call_as_stranger(path_in_public) == "0"
        with _accepted(listener) as connection:
            assert peer_uid(connection) == STRANGER
            assert not peer_allowed(connection)
    finally:
        listener.close()


EXEC_WITH_SOCKETS = """
import os, sys
fds = [int(fd) for fd in sys.argv[1].split(",")]
for target, fd in enumerate(fds, start=3):
    os.dup2(fd, target)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(fds)))
os.execv(sys.executable, [sys.executable, "-c", sys.argv[2]])
"""

ADOPT = """
import os
from reveried.server.listener import CannotListen, listen
try:
    listener = listen("/never/used.sock", os.environ)
except CannotListen as error:
    print(error.exit_code, error)
else:
    print(listener.activated, listener.path, listener.socket.getblocking(), os.get_inheritable(3))
    listener.close()
"""


def _activate(*sockets: socket.socket) -> str:
    # High numbers first, so that copying onto 3 and 4 never overwrites one not yet copied.
    fds = [os.dup2(sock.fileno(), 60 + number) for number, sock in enumerate(sockets)]
    command = [sys.executable, "-c", EXEC_WITH_SOCKETS, ",".join(map(str, fds)), ADOPT]
    try:
        done = subprocess.run(command, pass_fds=fds, capture_output=True, text=True)
    finally:
        for fd in fds:
            os.close(fd)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_socket_from_the_service_manager_is_used_and_its_path_left_in_place(tmp_path: Path) -> None:
    path = str(tmp_path / "given")
    with socket.socket(socket.AF_UNIX) as given:
        given.bind(path)
        given.listen()
        assert _activate(given) == f"True {path} False False"
        assert _connect(path) == 0


def test_two_sockets_from_the_service_manager_are_one_too_many(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one, socket.socket(socket.AF_UNIX) as two:
        for name, sock in (("one", one), ("two", two)):
            sock.bind(str(tmp_path / name))
            sock.listen()
        assert _activate(one, two).startswith("64 the socket unit passed 2 sockets")


def test_a_wrong_socket_from_the_service_manager_is_refused(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as datagrams:
        datagrams.bind(str(tmp_path / "d"))
        assert _activate(datagrams).startswith("64 descriptor 3 from LISTEN_FDS is not a stream socket")
