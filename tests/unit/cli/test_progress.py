import io

import pytest

from reverie.cli.progress import CELLS, Line


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def drawn(out: io.StringIO, monkeypatch: pytest.MonkeyPatch, *, quiet: bool = False) -> str:
    monkeypatch.setattr("sys.stderr", out)
    line = Line(quiet=quiet)
    line.draw("book.md", 0, 0)
    line.draw("book.md", 6, 24)
    line.clear()
    return out.getvalue()


def test_on_a_terminal_the_line_fills_and_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    full = "█" * (CELLS // 4) + "░" * (CELLS - CELLS // 4)
    lines = drawn(Terminal(), monkeypatch).split("\r\x1b[K")
    assert lines == ["", "book.md …", f"book.md {full} 6 of 24", ""]


def test_in_a_pipe_there_is_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    assert drawn(io.StringIO(), monkeypatch) == ""


def test_who_wants_json_gets_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    assert drawn(Terminal(), monkeypatch, quiet=True) == ""
