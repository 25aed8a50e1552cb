"""What the service manager and the daemon tell each other: state one way, sockets and a watchdog the other.

The environment is an argument everywhere, so nothing here speaks unless the composition root lets it.
"""

import logging
import os
import socket
import time
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Final

from reveried.errors import ReverieError

FIRST_ACTIVATED_FD: Final = 3
_MICROSECONDS: Final = 1_000_000

_log = logging.getLogger(__name__)


class BadActivation(ReverieError):
    """The service manager handed over something that is not a listening Unix stream socket."""

    code = "cannot_listen"


class Notifier:
    """Speaks sd_notify(3). Every message returns whether it was sent; without NOTIFY_SOCKET none is."""

    def __init__(self, environ: Mapping[str, str], pid: int | None = None) -> None:
        self._address = _notify_address(environ.get("NOTIFY_SOCKET", ""))
        self.watchdog_interval = _watchdog_interval(environ, os.getpid() if pid is None else pid)

    def ready(self, status: str) -> bool:
        return self._send("READY=1", f"STATUS={_one_line(status)}")

    def reloading(self) -> bool:
        return self._send("RELOADING=1", f"MONOTONIC_USEC={time.monotonic_ns() // 1000}")

    def stopping(self) -> bool:
        return self._send("STOPPING=1")

    def status(self, text: str) -> bool:
        return self._send(f"STATUS={_one_line(text)}")

    def watchdog(self) -> bool:
        return self._send("WATCHDOG=1")

    def extend_timeout(self, seconds: float) -> bool:
        return self._send(f"EXTEND_TIMEOUT_USEC={int(seconds * _MICROSECONDS)}")

    def _send(self, *lines: str) -> bool:
        if self._address is None:
            return False
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
            # A full queue at the manager must never hold up the event loop.
            channel.setblocking(False)
            try:
                channel.sendto("\n".join(lines).encode(), self._address)
            except OSError as error:
                _log.warning("the service manager was not told %s: %s", lines[0], error)
                return False
        return True


def activated_sockets(environ: Mapping[str, str], pid: int, first_fd: int = FIRST_ACTIVATED_FD) -> list[socket.socket]:
    """The sockets the service manager opened for process `pid`; none when it opened them for another."""
    count = _number(environ.get("LISTEN_FDS"))
    if _number(environ.get("LISTEN_PID")) != pid or not count:
        return []
    with ExitStack() as closing_on_error:
        fds = range(first_fd, first_fd + count)
        sockets = [closing_on_error.enter_context(_adopt(fd)) for fd in fds]
        closing_on_error.pop_all()
    return sockets


def _adopt(fd: int) -> socket.socket:
    try:
        # They arrive inheritable; a worker process must not keep the door open after we are gone.
        os.set_inheritable(fd, False)
        adopted = socket.socket(fileno=fd)
    except OSError as error:
        raise BadActivation(f"descriptor {fd} from LISTEN_FDS is not a socket: {error.strerror}") from error
    wrong = _not_a_listener(adopted)
    if wrong is not None:
        adopted.close()
        raise BadActivation(
            f"descriptor {fd} from LISTEN_FDS is {wrong}",
            hint="the socket unit needs one ListenStream= with a path, and Accept=no",
        )
    return adopted


def _not_a_listener(adopted: socket.socket) -> str | None:
    if adopted.family != socket.AF_UNIX:
        return "not a Unix socket"
    if adopted.type != socket.SOCK_STREAM:
        return "not a stream socket"
    if not adopted.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
        return "not listening"
    if not isinstance(adopted.getsockname(), str) or not adopted.getsockname():
        return "not bound to a path, so no file mode guards it"
    return None


def _notify_address(given: str) -> str | None:
    if given.startswith("@"):
        return "\0" + given[1:]
    if given.startswith("/"):
        return given
    if given:
        _log.warning("NOTIFY_SOCKET is neither a path nor an abstract name: %r", given)
    return None


def _watchdog_interval(environ: Mapping[str, str], pid: int) -> float | None:
    """Seconds between signs of life: half of what is allowed, so one late sign is not a death."""
    allowed = _number(environ.get("WATCHDOG_USEC"))
    meant_for = environ.get("WATCHDOG_PID")
    if not allowed or (meant_for and _number(meant_for) != pid):
        return None
    return allowed / _MICROSECONDS / 2


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdecimal() else None


def _one_line(text: str) -> str:
    # Each line is an assignment of its own: a stray newline could announce MAINPID= or STOPPING=.
    return " ".join(text.encode("utf-8", "replace").decode().split())
