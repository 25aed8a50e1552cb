import io

from reverie.cli.bar import Bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_the_bar_fills_and_goes_away() -> None:
    out = Terminal()
    bar = Bar(out=out)
    bar.draw(0, 0, "book.md")
    bar.draw(6, 24, "book\x1b[2J.md")
    bar.clear()
    drawn = out.getvalue().split("\r\x1b[K")
    assert drawn[1].startswith("[........................]  ...")
    assert drawn[2] == "[######..................]  25% book\\x1b[2J.md"
    assert drawn[3] == ""


def test_in_a_pipe_there_is_no_bar() -> None:
    out = io.StringIO()
    bar = Bar(out=out)
    bar.draw(1, 2, "book.md")
    bar.clear()
    assert out.getvalue() == ""
