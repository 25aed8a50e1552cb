"""A daemon that is not there is started: by systemd where it is installed, else as a process of its own."""

import os
import socket
import subprocess
import tempfile
import time
from typing import Final

from reverie import paths
from reverie.cli.service_systemd import ServiceFailed, find_program, listens, ran, systemctl
from reverie.cli.service_units import SOCKET, target_dir
from reverie.errors import DaemonUnavailable

PATIENCE: Final = 20.0
LOG: Final = "reveried.log"


def wake(path: str) -> None:
    """Return when a daemon answers on `path`; raise with the reason when none can be brought up."""
    if not listens(path) and not _by_systemd(path):
        _by_hand(path)


def _by_systemd(path: str) -> bool:
    installed = os.path.exists(os.path.join(target_dir(), SOCKET))
    return installed and path == paths.default_socket_path() and ran(systemctl("start", SOCKET)) and listens(path)


def _by_hand(path: str) -> None:
    with tempfile.TemporaryDirectory(prefix="reverie-") as private:
        notify = os.path.join(private, "notify")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ready:
            ready.bind(notify)
            ready.settimeout(0.1)
            daemon, log = _spawned(path, notify)
            if not _is_ready(path, ready, daemon):
                raise DaemonUnavailable(
                    f"the daemon was started but does not answer on {path}",
                    hint=f"{log} says why; `reveried` runs it in the foreground",
                    retryable=True,
                )


def _spawned(path: str, notify: str) -> tuple[subprocess.Popen[bytes], str]:
    directory = os.path.dirname(os.path.abspath(path))
    log = os.path.join(directory, LOG)
    try:
        os.makedirs(directory, mode=0o700, exist_ok=True)
        journal = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        try:
            return _process(path, notify, journal), log
        finally:
            os.close(journal)
    except (OSError, ServiceFailed) as error:
        raise DaemonUnavailable(
            f"no daemon answers on {path}, and none could be started: {error}",
            hint="run `reveried` by hand and see what it says, or start it with `reverie service start`",
            retryable=True,
        ) from error


def _process(path: str, notify: str, journal: int) -> subprocess.Popen[bytes]:
    # In a session of its own and away from our pipes: it outlives the bridge, and no agent must wait for it.
    return subprocess.Popen(
        [find_program()],
        env=os.environ | {"NOTIFY_SOCKET": notify, "REVERIE_SOCKET": path},
        stdin=subprocess.DEVNULL,
        stdout=journal,
        stderr=journal,
        start_new_session=True,
    )


def _is_ready(path: str, ready: socket.socket, daemon: subprocess.Popen[bytes]) -> bool:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            if b"READY=1" in ready.recv(4096):
                return True
        except TimeoutError:
            # Another bridge may have been faster: ours ends at the lock, and theirs is the one to wait for.
            if daemon.poll() is not None and listens(path):
                return True
            if daemon.poll() not in (None, *_ANOTHER_HAS_IT):
                return False
    return False


# The exit code of a daemon that finds the data in use by another.
_ANOTHER_HAS_IT: Final = (75,)
