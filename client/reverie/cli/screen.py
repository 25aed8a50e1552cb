"""A terminal that is borrowed: drawn in place on its second screen, and given back as it was, however it ends."""

import os
import select
import signal
import sys
import termios
import tty
import unicodedata
from collections.abc import Iterable
from types import FrameType, TracebackType
from typing import Any, NoReturn, Self

_ENTER, _LEAVE = "\x1b[?1049h\x1b[?25l\x1b[2J", "\x1b[?25h\x1b[?1049l"
_HOME, _REST_OF_LINE, _REST_OF_SCREEN = "\x1b[H", "\x1b[K", "\x1b[J"

Piece = tuple[str, str]  # a style, and text without any escape sequence
Line = list[Piece]
_STYLES = {"dim": "2", "bold": "1", "bad": "31", "warning": "33", "good": "32"}


class Screen:
    """Ctrl-C, a closed window and `kill` all leave through `__exit__`."""

    def __init__(self, *, colors: bool) -> None:
        self._colors = colors
        self._before: list[Any] | None = None
        self._resized, self._on_resize = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    def __enter__(self) -> Self:
        if sys.stdin.isatty():
            self._before = termios.tcgetattr(sys.stdin)
            tty.setcbreak(sys.stdin)
        self._former = {number: signal.signal(number, _leave) for number in (signal.SIGTERM, signal.SIGHUP)}
        self._former[signal.SIGWINCH] = signal.signal(signal.SIGWINCH, lambda *_: None)
        self._wakeup = signal.set_wakeup_fd(self._on_resize, warn_on_full_buffer=False)
        sys.stdout.write(_ENTER)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sys.stdout.write(_LEAVE)
        sys.stdout.flush()
        if self._before is not None:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._before)
        signal.set_wakeup_fd(self._wakeup)
        for number, former in self._former.items():
            signal.signal(number, former)
        os.close(self._resized)
        os.close(self._on_resize)

    @property
    def size(self) -> tuple[int, int]:
        try:
            columns, rows = os.get_terminal_size(sys.stdout.fileno())
        except OSError:
            return 80, 24
        return columns or 80, rows or 24

    def draw(self, lines: Iterable[Line]) -> None:
        columns, rows = self.size
        shown = [painted(cut(line, columns), self._colors) for line in lines][:rows]
        sys.stdout.write(_HOME + f"{_REST_OF_LINE}\r\n".join(shown) + _REST_OF_LINE + _REST_OF_SCREEN)
        sys.stdout.flush()

    def key(self, seconds: float) -> str | None:
        """The key pressed within that time; empty when the window changed its size; None when nothing happened."""
        sources = [self._resized, *([sys.stdin] if self._before is not None else [])]
        ready, _, _ = select.select(sources, [], [], seconds)
        if self._resized in ready:
            os.read(self._resized, 4096)
        if sys.stdin in ready:
            return os.read(sys.stdin.fileno(), 64).decode(errors="replace")
        return "" if ready else None


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


def width(text: str) -> int:
    return sum(_columns(letter) for letter in text)


def _columns(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def cut(line: Line, columns: int) -> Line:
    """The line as far as it fits; what is left out is marked."""
    if sum(width(text) for _, text in line) <= columns:
        return line
    kept: Line = []
    room = columns - 1
    for style, text in line:
        fitting = ""
        for letter in text:
            if _columns(letter) > room:
                return [*kept, (style, fitting + "…")]
            fitting += letter
            room -= _columns(letter)
        kept.append((style, text))
    return kept


def painted(line: Line, colors: bool) -> str:
    return "".join(f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if colors and style else text for style, text in line)
