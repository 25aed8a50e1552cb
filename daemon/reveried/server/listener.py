"""Gets the one listening socket, from systemd or by binding it, so that nobody else can ever reach it."""

import errno
import fcntl
import os
import socket
import stat
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from reveried.errors import ReverieError
from reveried.server.systemd import BadActivation, activated_sockets

# Linux refuses a connect at once when the queue is full, and a short queue fails hundreds of clients.
BACKLOG: Final = 1024
LONGEST_PATH: Final = 107

EXIT_PATH: Final = 64
EXIT_RUNNING: Final = 75
EXIT_PERMISSION: Final = 77


class CannotListen(ReverieError):
    code = "cannot_listen"

    def __init__(self, message: str, *, exit_code: int, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.exit_code = exit_code


class AlreadyRunning(CannotListen):
    def __init__(self, path: str) -> None:
        super().__init__(f"a daemon already answers on {path}", exit_code=EXIT_RUNNING)


@dataclass(frozen=True)
class Listener:
    socket: socket.socket
    path: str
    bound_inode: tuple[int, int] | None
    """Device and inode of the path we bound; None when systemd bound it and keeps it."""

    @property
    def activated(self) -> bool:
        return self.bound_inode is None

    def close(self) -> None:
        """Idempotent. The path goes only while it is still ours: a successor may have bound it anew."""
        # While the socket is open its inode cannot be given to another file, so equal means ours.
        if self.bound_inode is not None and self.socket.fileno() != -1:
            _unlink_if_same(self.path, self.bound_inode)
        self.socket.close()


def listen(path: str, environ: Mapping[str, str]) -> Listener:
    try:
        given = activated_sockets(environ, os.getpid())
    except BadActivation as error:
        raise CannotListen(error.message, exit_code=EXIT_PATH, hint=error.hint) from error
    if len(given) > 1:
        for spare in given:
            spare.close()
        raise CannotListen(f"the socket unit passed {len(given)} sockets, not one", exit_code=EXIT_PATH)
    if given:
        given[0].setblocking(False)
        given[0].listen(BACKLOG)
        return Listener(given[0], given[0].getsockname(), bound_inode=None)
    return _bind(path)


def peer_uid(sock: socket.socket) -> int:
    credentials = struct.Struct("3i")
    raw = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, credentials.size)
    _pid, uid, _gid = credentials.unpack(raw)
    return int(uid)


def peer_allowed(sock: socket.socket) -> bool:
    # Root is no exception: inside a user namespace it cannot be told from any other stranger.
    return peer_uid(sock) == os.getuid()


def _bind(path: str) -> Listener:
    path = _checked_path(path)
    directory = os.path.dirname(path)
    try:
        _make_private(directory)
        with _held(directory):
            _clear_the_way(path)
            return _bind_alone(path)
    except OSError as error:
        denied = error.errno in (errno.EACCES, errno.EPERM, errno.EROFS)
        exit_code = EXIT_PERMISSION if denied else EXIT_PATH
        raise CannotListen(f"cannot listen on {path}: {error.strerror}", exit_code=exit_code) from error


def _bind_alone(path: str) -> Listener:
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        # The path takes the mode the socket has at bind: 0600 from its first instant, umask untouched.
        os.fchmod(sock.fileno(), 0o600)
        sock.bind(path)
        sock.listen(BACKLOG)
        sock.setblocking(False)
        return Listener(sock, path, _inode(os.lstat(path)))
    except OSError:
        sock.close()
        raise


def _checked_path(path: str) -> str:
    if not path or "\0" in path:
        raise CannotListen("the socket path is empty or holds a zero byte", exit_code=EXIT_PATH)
    path = os.path.abspath(path)
    length = len(os.fsencode(path))
    if length > LONGEST_PATH:
        raise CannotListen(
            f"the socket path has {length} bytes, over the limit of {LONGEST_PATH}: {path}",
            exit_code=EXIT_PATH,
            hint="set REVERIE_SOCKET to a shorter path",
        )
    return path


def _make_private(directory: str) -> None:
    os.makedirs(directory, mode=0o700, exist_ok=True)
    found = os.lstat(directory)
    mode = stat.S_IMODE(found.st_mode)
    if stat.S_ISLNK(found.st_mode):
        raise _not_private(directory, "is a symbolic link")
    if found.st_uid != os.getuid():
        raise _not_private(directory, f"belongs to uid {found.st_uid}, not to {os.getuid()}")
    if mode & 0o077:
        raise _not_private(directory, f"is open to others (mode {mode:04o})")


@contextmanager
def _held(directory: str) -> Iterator[None]:
    """Held while the path changes hands: of many daemons starting at once, one binds."""
    fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


def _not_private(directory: str, reason: str) -> CannotListen:
    return CannotListen(
        f"the socket directory {directory} {reason}",
        exit_code=EXIT_PERMISSION,
        hint="use a directory of mode 0700 that you own, or point REVERIE_SOCKET into one",
    )


def _clear_the_way(path: str) -> None:
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise CannotListen(f"{path} exists and is not a socket", exit_code=EXIT_PATH)
    if found.st_uid != os.getuid():
        raise CannotListen(f"{path} belongs to uid {found.st_uid}", exit_code=EXIT_PERMISSION)
    _check_stale(path)
    os.unlink(path)


def _check_stale(path: str) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.setblocking(False)
        outcome = probe.connect_ex(path)
    # EAGAIN is a full queue: somebody is there, only busy.
    if outcome in (0, errno.EAGAIN):
        raise AlreadyRunning(path)
    if outcome != errno.ECONNREFUSED:
        raise CannotListen(f"{path} is a socket of another kind: {os.strerror(outcome)}", exit_code=EXIT_PATH)


def _unlink_if_same(path: str, bound: tuple[int, int]) -> None:
    try:
        with _held(os.path.dirname(path)):
            if _inode(os.lstat(path)) == bound:
                os.unlink(path)
    except FileNotFoundError:
        return  # somebody cleaned up before us


def _inode(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino
