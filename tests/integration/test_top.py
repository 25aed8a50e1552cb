"""`top` in a real terminal: drawn in place, and the terminal is given back as it was."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator

import pytest

from running import RunningDaemon

COMMAND = [sys.executable, "-m", "reverie.cli", "top", "--every", "0.2"]
ENTERED, LEFT = "\x1b[?1049h", "\x1b[?25h\x1b[?1049l"


class Terminal:
    def __init__(self, daemon: RunningDaemon) -> None:
        self.ours, theirs = pty.openpty()
        self.resize(30, 100)
        self.before = termios.tcgetattr(theirs)
        environ = {**daemon.environ, "TERM": "xterm"}
        self.process = subprocess.Popen(COMMAND, env=environ, stdin=theirs, stdout=theirs, stderr=theirs)
        self.theirs = theirs
        self.seen = ""

    def resize(self, rows: int, columns: int) -> None:
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read_until(self, wanted: str) -> str:
        end = time.monotonic() + 30
        while wanted not in self.seen:
            assert time.monotonic() < end, f"{wanted!r} did not come: {self.seen[-500:]!r}"
            if select.select([self.ours], [], [], 0.2)[0]:
                self.seen += os.read(self.ours, 65_536).decode(errors="replace")
        before, self.seen = self.seen.split(wanted, 1)
        return before

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.theirs)
        os.close(self.ours)


@pytest.fixture
def terminal(daemon: RunningDaemon) -> Iterator[Terminal]:
    running = Terminal(daemon)
    yield running
    running.close()


@pytest.mark.parametrize(("end", "code"), [("q", 0), ("\x03", 130), (signal.SIGTERM, 143)])
def test_however_it_ends_the_terminal_is_as_it_was(
    end: str | signal.Signals, code: int, terminal: Terminal, daemon: RunningDaemon
) -> None:
    terminal.read_until(ENTERED)
    with daemon.client() as client:
        client.store("Ada prefers tea")
        terminal.read_until("python stored [id:1]")
        if isinstance(end, signal.Signals):
            terminal.process.send_signal(end)
        elif end == "\x03":
            terminal.process.send_signal(signal.SIGINT)
        else:
            os.write(terminal.ours, end.encode())
    terminal.read_until(LEFT)
    assert terminal.process.wait(10) == code
    assert termios.tcgetattr(terminal.theirs) == terminal.before


def test_a_smaller_window_is_drawn_anew_and_a_restarted_daemon_found_again(
    terminal: Terminal, daemon: RunningDaemon
) -> None:
    terminal.read_until("q ends it")
    terminal.resize(12, 40)
    terminal.process.send_signal(signal.SIGWINCH)
    terminal.read_until("…")
    daemon.stop()
    terminal.read_until("looking again")
    daemon.start()
    terminal.read_until(f"pid {daemon.pid}")
