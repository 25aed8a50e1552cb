"""A text seen as spans that touch each other: fences, paragraphs, sections, sentences, words. Nothing falls between.

A span keeps the space behind it, so the sizes of neighbours add up to at least the size of both together.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from reveried.domain.understanding.cleaning import FENCE
from reveried.domain.understanding.text import sentence_spans

_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+\S", re.MULTILINE)
_LINE = re.compile(r"[^\n]*\n?")
_WORD = re.compile(r"\s*\S+\s*")

Size = Callable[[str], int]


class Span(NamedTuple):
    start: int
    end: int
    fence: bool = False
    heading: bool = False


def blocks(text: str) -> Iterator[Span]:
    """Code fences, and what stands between them."""
    end = 0
    for fence in FENCE.finditer(text):
        if fence.start() > end:
            yield Span(end, fence.start())
        yield Span(fence.start(), fence.end(), fence=True)
        end = fence.end()
    if end < len(text):
        yield Span(end, len(text))


def paragraphs(text: str, span: Span) -> Iterator[Span]:
    start = span.start
    for gap in _BLANK_LINES.finditer(text, span.start, span.end):
        yield Span(start, gap.end())
        start = gap.end()
    if start < span.end:
        yield Span(start, span.end)


def sections(text: str, span: Span) -> Iterator[Span]:
    """From one markdown heading to the next."""
    start, heading = span.start, False
    for found in _HEADING.finditer(text, span.start, span.end):
        if found.start() > start:
            yield Span(start, found.start(), heading=heading)
        start, heading = found.start(), True
    if start < span.end:
        yield Span(start, span.end, heading=heading)


def fitting(text: str, span: Span, most: int, size: Size) -> Iterator[Span]:
    """The span, or if it is too large its sentences (the lines of a fence), and words where even one of those is."""
    if size(text[span.start : span.end]) <= most:
        yield span
        return
    for part in _lines(text, span) if span.fence else sentences(text, span):
        if size(text[part.start : part.end]) <= most:
            yield part
        else:
            yield from grouped(text, _words(text, part, most), most, size)


def grouped(text: str, spans: Iterable[Span], most: int, size: Size) -> Iterator[Span]:
    """Neighbours joined as long as they fit."""
    group: Span | None = None
    held = 0
    for span in spans:
        weight = size(text[span.start : span.end])
        if group is not None and held + weight <= most:
            group, held = group._replace(end=span.end), held + weight
            continue
        if group is not None:
            yield group
        group, held = span, weight
    if group is not None:
        yield group


def sentences(text: str, span: Span) -> Iterator[Span]:
    heading = span.heading
    for start, end in sentence_spans(text, span.start, span.end):
        yield Span(start, end, heading=heading)
        heading = False


def _lines(text: str, span: Span) -> Iterator[Span]:
    for line in _LINE.finditer(text, span.start, span.end):
        if line.end() > line.start():
            yield Span(line.start(), line.end(), fence=True)


def _words(text: str, span: Span, most: int) -> Iterator[Span]:
    """No character counts for more than one, so a word of `most` characters always fits."""
    for word in _WORD.finditer(text, span.start, span.end):
        for start in range(word.start(), word.end(), most):
            first = span.heading and start == span.start
            yield Span(start, min(start + most, word.end()), fence=span.fence, heading=first)


def trimmed(text: str, span: Span) -> Span | None:
    """Without the space around it; None if nothing else is there."""
    words = text[span.start : span.end]
    start = span.start + len(words) - len(words.lstrip())
    end = span.start + len(words.rstrip())
    return span._replace(start=start, end=end) if start < end else None
