"""Everything asked of the user's systemd, and whether the daemon behind it answers."""

import os
import shutil
import socket
import subprocess
import sys
import time
from typing import Final

# Has an effect only where user namespaces are allowed: 217 where they are not.
SANDBOX_PROBE: Final = [
    *("systemd-run", "--user", "--wait", "--quiet"),
    *("-p", "PrivateUsers=yes", "-p", "ProtectSystem=strict", "-p", "CapabilityBoundingSet="),
    "/bin/true",
]


class ServiceFailed(Exception):
    """Something outside refused; the message is for the person who typed the command."""


def systemctl(*words: str) -> list[str]:
    return ["systemctl", "--user", *words]


def ran(command: list[str]) -> bool:
    return shutil.which(command[0]) is not None and _run(command).returncode == 0


def must_run(command: list[str]) -> str:
    done = _run(command)
    if done.returncode != 0:
        said = done.stderr.strip() or f"exit {done.returncode}"
        raise ServiceFailed(f"`{' '.join(command)}` failed: {said}")
    return done.stdout


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise ServiceFailed(f"{command[0]} is not installed") from error


def require_user_manager() -> None:
    if shutil.which("systemctl") is None:
        reason = "there is no systemctl on this machine"
    elif not ran(systemctl("show-environment")):
        reason = "no systemd user manager answers in this session"
    else:
        return
    raise ServiceFailed(f"{reason}.\nRun `reveried` in the foreground instead; Ctrl-C stops it.")


def find_program() -> str:
    """The reveried of this very installation if there is one, so that both are of one version."""
    beside = [os.path.dirname(os.path.abspath(sys.argv[0])), os.path.dirname(sys.executable)]
    candidates = [os.path.join(directory, "reveried") for directory in beside]
    candidates.append(os.path.abspath(shutil.which("reveried") or "reveried"))
    for candidate in candidates:
        if os.access(candidate, os.X_OK):
            return _startable(candidate)
    raise ServiceFailed("reveried was found neither beside this program nor on PATH")


def _startable(program: str) -> str:
    if not program.isprintable() or set(program) & set("\"'\\"):
        raise ServiceFailed(f"systemd starts no program with quotes or backslashes in its path: {program!r}")
    return program


def listens(path: str) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(1)
        try:
            return probe.connect_ex(path) == 0
        except OSError:  # a path too long to be a socket's
            return False


def answers(path: str, seconds: float) -> bool:
    """Whether the daemon itself replies in time: systemd accepts connections even when it cannot start."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        try:
            if _says_hello(path, left):
                return True
        except (FileNotFoundError, ConnectionError, BlockingIOError):
            pass  # not up yet
        except TimeoutError:
            break
        time.sleep(min(0.05, left))
    return False


def _says_hello(path: str, seconds: float) -> bool:
    from reverie.protocol.framing import frame
    from reverie.protocol.limits import PROTOCOL
    from reverie.protocol.requests import Hello
    from reverie.protocol.wire import encode_request

    hello = Hello(id=1, protocol=PROTOCOL, client="reverie service")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(seconds)
        connection.connect(path)
        connection.sendall(frame(encode_request(hello)))
        return connection.recv(1) != b""
