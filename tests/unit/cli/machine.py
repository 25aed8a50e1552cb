"""A machine whose systemd is made of stand-ins that record what they were told."""

import argparse
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from reverie import paths
from reverie.cli import service

# Each stand-in records its words; it fails where the test left a file named after what it was asked.
STAND_IN = """#!/bin/sh
echo "$(basename "$0") $*" >> "$CALLS"
for word in "$@"; do
  [ -e "$REFUSE/$word" ] && { echo "refused $word" >&2; exit 1; }
done
case "$*" in *"show --property"*) cat "$SHOWN";; esac
exit 0
"""


class Machine:
    """A home, a runtime directory and a systemd that remembers what it was told."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.units = root / "home/.config/systemd/user"
        self.calls_file, self.refuse, self.shown = root / "calls", root / "refuse", root / "shown"
        for directory in ("home", "run/reverie", "bin", "refuse"):
            (root / directory).mkdir(parents=True)
        self.shown.write_text("ActiveState=active\nSubState=running\nMainPID=42\nNRestarts=0\nResult=success\n")
        for name in ("systemctl", "systemd-run", "loginctl", "journalctl"):
            self._stand_in(name)
        for name in ("REVERIE_SOCKET", "REVERIE_DATA", "REVERIE_CONFIG", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("HOME", str(root / "home"))
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(root / "run"))
        monkeypatch.setenv("PATH", f"{root / 'bin'}:/usr/bin:/bin")
        for name, path in (("CALLS", self.calls_file), ("REFUSE", self.refuse), ("SHOWN", self.shown)):
            monkeypatch.setenv(name, str(path))

    def _stand_in(self, name: str) -> None:
        path = self.root / "bin" / name
        path.write_text(STAND_IN)
        path.chmod(0o755)

    def refuses(self, word: str) -> None:
        (self.refuse / word).touch()

    @property
    def calls(self) -> list[str]:
        return self.calls_file.read_text().splitlines() if self.calls_file.exists() else []

    def tree(self) -> dict[str, bytes]:
        home = self.root / "home"
        return {str(p.relative_to(home)): p.read_bytes() for p in home.rglob("*") if p.is_file()}


@contextmanager
def answering_daemon() -> Iterator[None]:
    """Something that answers every caller with one byte, as any daemon's first reply begins."""
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(paths.default_socket_path())
        door.listen()
        answering = threading.Thread(target=_answer_all, args=(door,))
        answering.start()
        yield
        door.shutdown(socket.SHUT_RDWR)
        answering.join()
    os.unlink(paths.default_socket_path())


def _answer_all(door: socket.socket) -> None:
    while True:
        try:
            caller, _ = door.accept()
        except OSError:
            return
        with caller:
            if caller.recv(4096):
                caller.sendall(b"\0")


def reverie(*words: str, as_json: bool = False) -> int:
    parser = argparse.ArgumentParser()
    service.add_parser(parser.add_subparsers())
    args = parser.parse_args(["service", *words], argparse.Namespace(json=as_json))
    code: int = args.run(args)
    return code
