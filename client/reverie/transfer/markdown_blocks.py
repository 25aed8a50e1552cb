"""Markdown in discrete pieces: list items, paragraphs, tables and code, each with the headings above it.

Nothing is interpreted that could change the words. Comments beside a piece are its annotations.
"""

import re
import textwrap
from collections.abc import Iterator

from msgspec import Struct

MAX_TITLE = 120
_BELOW_ALL = 7
_HEADING = re.compile(r" {0,3}(#{1,6})\s+(.*)")
_ITEM = re.compile(r" ?(?:[-*+]|\d{1,9}[.)])\s+(?=\S)")
_BOLD = re.compile(r"\*\*([^*]+)\*\*:?\s*$")
_FENCE = re.compile(r"\s*(```+|~~~+)")
_RULE = re.compile(r" {0,3}([-*_=])[ \t]*(?:\1[ \t]*){2,}$")
# Always succeeds once a comment has opened, closed or not: no text is read twice in search of an end that is not there.
_COMMENT = re.compile(r"<!--(.*?)(-->|\Z)", re.DOTALL)
_FRONT = re.compile(r"\A---[ \t]*\n(.*?\n)?(?:---|\.\.\.)[ \t]*\n", re.DOTALL)


class Block(Struct, kw_only=True):
    line: int
    text: str
    headings: tuple[str, ...] = ()
    notes: dict[str, str] = {}
    is_item: bool = False

    @property
    def title(self) -> str | None:
        """Where it stands, which a single item often does not say itself."""
        return " › ".join(self.headings)[:MAX_TITLE] or None


def front_matter(text: str) -> tuple[str, int]:
    """The YAML above a note, and how many lines it takes."""
    found = _FRONT.match(text)
    return ((found[1] or ""), found[0].count("\n")) if found else ("", 0)


def blocks(text: str) -> Iterator[Block]:
    _, above = front_matter(text)
    splitter = _Splitter()
    for number, line in enumerate(text.split("\n")[above:], above + 1):
        yield from splitter.feed(number, line)
    yield from splitter.end()


class _Splitter:
    def __init__(self) -> None:
        self._headings: list[tuple[int, str]] = []
        self._lines: list[str] = []
        self._start = 0
        self._fence = ""
        self._is_item = False
        self._blank = False
        self._lead = ""
        self._notes: dict[str, str] = {}
        self._comment: list[str] = []

    def feed(self, number: int, line: str) -> Iterator[Block]:
        if self._fence:
            self._lines.append(line)
            if line.strip().startswith(self._fence) and not line.strip().strip(self._fence[0]):
                self._fence = ""
            return
        if self._comment or (line.lstrip().startswith("<!--") and not self._lines):
            self._comment_line(line)
            return
        if not line.strip():
            self._blank = bool(self._lines)
            return
        yield from self._line(number, line)
        self._blank = False

    def _line(self, number: int, line: str) -> Iterator[Block]:
        heading, fence = _HEADING.match(line), _FENCE.match(line)
        bold = _BOLD.match(line) if self._blank or not self._lines else None
        if heading:
            yield from self.end()
            self._enter(len(heading[1]), heading[2].rstrip().rstrip("#").rstrip())
        elif bold:
            # A line of its own in bold letters is what some write for a heading, below all others.
            yield from self.end()
            self._enter(_BELOW_ALL, bold[1].rstrip(":"))
        elif _RULE.match(line):
            yield from self._ruled(line)
        elif _ITEM.match(line):
            yield from self._close(lead=True)
            self._begin(number, _ITEM.sub("", line, count=1), is_item=True)
        elif self._goes_on(line, fence is not None):
            self._lines += [""] * self._blank + [line]
        else:
            yield from self._close(lead=False)
            self._begin(number, line, is_item=False)
        self._fence = fence[1] if fence else self._fence

    def _goes_on(self, line: str, is_fence: bool) -> bool:
        """An item takes what is indented below it, a text what follows at once, and `…:` the code that it announces."""
        if not self._lines:
            return False
        announces = is_fence and self._lines[-1].rstrip().endswith(":")
        return not self._blank or announces or (self._is_item and line.startswith(("  ", "\t")))

    def _ruled(self, line: str) -> Iterator[Block]:
        """Below one line of text a row of = or - makes it a heading; anywhere else it only separates."""
        if len(self._lines) == 1 and not (self._blank or self._is_item) and line.strip()[0] in "=-":
            words, self._lines = self._lines[0].strip(), []
            self._enter(1 if line.strip()[0] == "=" else 2, words)
        else:
            yield from self.end()

    def _enter(self, level: int, words: str) -> None:
        self._headings = [(above, name) for above, name in self._headings if above < level]
        self._headings.append((level, words.strip("*_ ")))
        self._lead = ""

    def _begin(self, number: int, line: str, *, is_item: bool) -> None:
        self._start, self._lines, self._is_item = number, [line], is_item
        if not is_item:
            self._lead = ""

    def _close(self, *, lead: bool) -> Iterator[Block]:
        """A text that ends in a colon is not a memory of its own: it says what the items below it are."""
        if lead and self._lines and not self._is_item and self._lines[-1].rstrip().endswith(":"):
            self._lead, self._lines = " ".join(self._lines).strip().rstrip(":"), []
            return
        if self._lines:
            yield from self._made()
        self._lines = []

    def _made(self) -> Iterator[Block]:
        first, rest = self._lines[0], textwrap.dedent("\n".join(self._lines[1:]))
        text = f"{first}\n{rest}" if rest else first
        notes = {**self._notes, **annotations(text)}
        self._notes = {}
        text = _COMMENT.sub(lambda comment: "" if comment[2] else comment[0], text).strip()
        headings = tuple(name for _, name in self._headings) + ((self._lead,) if self._lead else ())
        if text:
            yield Block(line=self._start, text=text, headings=headings, notes=notes, is_item=self._is_item)

    def _comment_line(self, line: str) -> None:
        self._comment.append(line)
        if "-->" in line:
            self._notes |= annotations("\n".join(self._comment))
            self._comment = []

    def end(self) -> Iterator[Block]:
        yield from self._close(lead=False)
        self._blank, self._fence, self._lead = False, "", ""


def annotations(text: str) -> dict[str, str]:
    """`<!-- observed: 2026-07-27 | status: active -->` as names and values."""
    found: dict[str, str] = {}
    for comment, closed in _COMMENT.findall(text):
        for part in comment.split("|") if closed else ():
            name, colon, value = part.partition(":")
            if colon and name.strip().isidentifier():
                found[name.strip().lower()] = value.strip()
    return found
