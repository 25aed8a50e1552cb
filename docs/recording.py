"""Records docs/terminal.svg: real commands in a real terminal, against a real daemon in a directory of its own.

Nothing is drawn by hand: what the picture shows is what the programs wrote, colours and all. `make recording`.
"""

import fcntl
import os
import pty
import re
import select
import shlex
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.sax.saxutils import escape

from reverie import Client, DaemonUnavailable

BIN = Path(sys.executable).parent
COLUMNS, ROWS = 92, 40
COMMANDS = (
    "reverie store 'Ada prefers oolong tea in the afternoon' --kind preference",
    "reverie store 'We chose SQLite because one file is easy to back up' --kind decision",
    "reverie recall 'what does Ada like to drink?'",
    "reverie store 'Ada now prefers coffee in the afternoon, not oolong tea' --kind preference",
    "reverie log --limit 6",
    "reverie verify",
)
LETTER, LINE, EDGE, BAR = 8.4, 20, 18, 34
TYPING, READING = 0.03, 0.7
COLORS = {"1": "bold", "2": "dim", "31": "red", "32": "green", "33": "yellow"}
STYLE = """
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#d8dee9;white-space:pre}
.dim{fill:#7b8794}.bold{font-weight:700;fill:#fff}.red{fill:#ff7b72}.green{fill:#7ee787}.yellow{fill:#e3b341}
.prompt{fill:#7ee787}.line{animation:appear .01s backwards}
@keyframes appear{from{opacity:0}}
@media (prefers-reduced-motion:reduce){.line{animation:none}}
"""
_SGR = re.compile(r"\x1b\[([0-9;]*)m")

Piece = tuple[str, str]


@contextmanager
def daemon(home: Path) -> Iterator[dict[str, str]]:
    """A daemon of our own whose model is awake: a recording shows how it is, not how it starts."""
    environ = {
        **os.environ, "REVERIE_DATA": str(home / "data"), "REVERIE_SOCKET": str(home / "run" / "s"),
        "REVERIE_CONFIG": str(home / "config.yaml"), "TERM": "xterm-256color", "PATH": f"{BIN}:{os.environ['PATH']}",
        "COLUMNS": str(COLUMNS),
    }  # fmt: skip
    environ.pop("NO_COLOR", None)
    process = subprocess.Popen([BIN / "reveried"], env=environ, stderr=subprocess.DEVNULL)
    try:
        _wait_for_model(environ["REVERIE_SOCKET"])
        yield environ
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def _wait_for_model(socket: str) -> None:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            with Client(socket, namespace="warming") as client:
                client.recall("a first question wakes the model")
                if client.status().embedder["state"] in ("ready", "none"):
                    return
        except DaemonUnavailable:
            pass
        time.sleep(0.2)
    raise SystemExit("the daemon's model did not start")


def typed(command: str, environ: dict[str, str]) -> str:
    """What the command writes to a terminal of this size."""
    ours, theirs = pty.openpty()
    os.set_blocking(ours, False)
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    process = subprocess.Popen(shlex.split(command), env=environ, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    said = b""
    while True:
        select.select([ours], [], [], 0.1)
        try:
            said += os.read(ours, 65_536)
        except BlockingIOError:
            continue
        except OSError:  # the last one to write has gone
            break
    os.close(ours)
    if process.wait() != 0:
        raise SystemExit(f"{command} ended with {process.returncode}: {said.decode()}")
    return said.decode()


def pieces(line: str) -> Iterator[Piece]:
    """The text between escape sequences, with the class of what is in force there."""
    style, at = "", 0
    for found in _SGR.finditer(line):
        if found.start() > at:
            yield style, line[at : found.start()]
        style, at = COLORS.get(found[1], ""), found.end()
    if at < len(line):
        yield style, line[at:]


def recorded(environ: dict[str, str]) -> Iterator[tuple[float, list[Piece]]]:
    """Every line of the transcript and the moment it appears at."""
    moment = 0.5
    for command in COMMANDS:
        yield moment, [("prompt", "$ "), ("bold", command)]
        moment += TYPING * len(command)
        for line in typed(command, environ).replace("\r\n", "\n").rstrip("\n").split("\n"):
            yield moment, [*pieces(line)]
        moment += READING


def svg(lines: list[tuple[float, list[Piece]]]) -> str:
    width, height = round(2 * EDGE + COLUMNS * LETTER), BAR + 2 * EDGE + LINE * len(lines)
    dots = "".join(
        f'<circle cx="{EDGE + 18 * place}" cy="18" r="6" fill="{color}"/>'
        for place, color in enumerate(("#ff5f57", "#febc2e", "#28c840"))
    )
    rows = "\n".join(_row(number, moment, line) for number, (moment, line) in enumerate(lines))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        f' role="img" aria-label="A terminal: memories are stored, recalled, contradicted and proved">\n'
        f"<style>{STYLE}</style>\n"
        f'<rect width="100%" height="100%" rx="10" fill="#161b22"/>{dots}\n{rows}\n</svg>\n'
    )


def _row(number: int, moment: float, line: list[Piece]) -> str:
    spans = "".join(
        f'<tspan class="{style}">{escape(text)}</tspan>' if style else f"<tspan>{escape(text)}</tspan>"
        for style, text in line
    )
    top = BAR + EDGE + LINE * number + 4
    return (
        f'<text class="line" style="animation-delay:{moment:.2f}s" x="{EDGE}" y="{top}" xml:space="preserve">'
        f"{spans}</text>"
    )


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="rev") as home, daemon(Path(home)) as environ:
        picture = svg([*recorded(environ)])
    Path(sys.argv[1]).write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
