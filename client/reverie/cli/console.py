"""Where output goes: JSON lines for scripts, coloured text for people, and never a raw control character."""

import os
import sys
from typing import Any, TextIO

_DIM, _BOLD, _RED, _YELLOW, _GREEN = "2", "1", "31", "33", "32"
_PLAIN_WIDTH = 100

# Stored text can come from anywhere; an escape sequence in it must not move the reader's cursor, nor a
# direction override disguise what it says.
_HIDDEN = [*range(0x20), *range(0x7F, 0xA0), 0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)]
_VISIBLE = {code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" for code in _HIDDEN}
_VISIBLE_LINES = {code: shown for code, shown in _VISIBLE.items() if code not in (0x09, 0x0A)}


def visible(text: str) -> str:
    """The text on one line, with every control character spelt out."""
    return text.translate(_VISIBLE)


def visible_lines(text: str) -> str:
    """Likewise, but its line breaks and tabs stay."""
    return text.replace("\r\n", "\n").translate(_VISIBLE_LINES)


class Console:
    def __init__(self, *, as_json: bool = False, no_color: bool = False) -> None:
        self.as_json = as_json
        self._out: TextIO = sys.stdout
        self._err: TextIO = sys.stderr
        plain = no_color or bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
        self._colors_out = not plain and self._out.isatty()
        self._colors_err = not plain and self._err.isatty()

    @property
    def colors(self) -> bool:
        return self._colors_out

    @property
    def width(self) -> int | None:
        """Columns to wrap at; None in a pipe, where lines stay whole."""
        if not self._out.isatty():
            return None
        try:
            columns = os.get_terminal_size(self._out.fileno()).columns
        except (OSError, ValueError):
            return _PLAIN_WIDTH
        return min(columns, _PLAIN_WIDTH) if columns > 0 else _PLAIN_WIDTH

    def emit(self, result: Any) -> None:
        import msgspec

        from reverie.cli.as_json import with_iso_times

        self.line(msgspec.json.encode(with_iso_times(msgspec.to_builtins(result))).decode())

    def line(self, text: str = "") -> None:
        self._out.write(text + "\n")

    def prompt(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()

    def flush(self) -> None:
        self._out.flush()

    def note(self, text: str) -> None:
        """Said beside the result, so that a pipe does not carry it."""
        self._out.flush()
        self._err.write(self._painted(text, _DIM, self._colors_err) + "\n")

    def fail(self, code: str, message: str, *, field: str | None = None, hint: str | None = None) -> None:
        self._out.flush()
        if self.as_json:
            import msgspec

            error = {"code": code, "message": message, "field": field, "hint": hint}
            self._err.write(msgspec.json.encode({"error": error}).decode() + "\n")
            return
        self._err.write(f"{self._painted('reverie:', _RED, self._colors_err)} {visible(message)}\n")
        if hint:
            self._err.write(self._painted(f"  {visible(hint)}", _DIM, self._colors_err) + "\n")

    def dim(self, text: str) -> str:
        return self._painted(text, _DIM, self._colors_out)

    def bold(self, text: str) -> str:
        return self._painted(text, _BOLD, self._colors_out)

    def good(self, text: str) -> str:
        return self._painted(text, _GREEN, self._colors_out)

    def warning(self, text: str) -> str:
        return self._painted(text, _YELLOW, self._colors_out)

    def bad(self, text: str) -> str:
        return self._painted(text, _RED, self._colors_out)

    def _painted(self, text: str, code: str, colors: bool) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if colors and text else text
