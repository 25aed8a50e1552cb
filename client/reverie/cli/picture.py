"""A curve of forgetting as a picture: shapes with places and colours, and those shapes as SVG."""

from collections.abc import Iterator
from typing import NamedTuple

from reverie.cli.drawing import days_of_marks, span, title
from reverie.protocol.results import CurveReport

WIDTH, HEIGHT = 800, 400
LEFT, TOP, INNER, TALL = 80, 40, 690, 310
INK, FAINT, BLUE = "#111111", "#94a3b8", "#2563eb"
COLORS = {"stale": "#d08700", "archived": "#c2410c", "deleted": "#b91c1c"}
Place = tuple[float, float]


class Line(NamedTuple):
    places: tuple[Place, ...]
    color: str
    width: int = 1
    dashed: bool = False


class Text(NamedTuple):
    """Its left end at `place`, standing on that height."""

    place: Place
    words: str
    size: int = 12


def picture(report: CurveReport) -> list[Line | Text]:
    return [*_frame(report), *_thresholds(report), *_marks(report), _curve(report)]


def _x(report: CurveReport, day: float) -> float:
    return round(LEFT + day / span(report) * INNER, 1)


def _y(share: float) -> float:
    return round(TOP + (1 - share) * TALL, 1)


def _frame(report: CurveReport) -> Iterator[Line | Text]:
    yield Text((LEFT, 24), title(report), 15)
    yield Text((LEFT, HEIGHT - 8), f"0 to {span(report):.0f} days")
    yield Line(((LEFT, TOP), (LEFT, TOP + TALL), (LEFT + INNER, TOP + TALL)), INK)


def _thresholds(report: CurveReport) -> Iterator[Line | Text]:
    for name, share in report.thresholds.items():
        yield Line(((LEFT, _y(share)), (LEFT + INNER, _y(share))), COLORS.get(name, INK), dashed=True)
        yield Text((8, _y(share) + 4), name)


def _marks(report: CurveReport) -> Iterator[Line | Text]:
    """A line for each; the words only where there is room after the last ones."""
    free = 0.0
    for what, day in sorted(days_of_marks(report), key=lambda mark: mark[1]):
        at = _x(report, day)
        yield Line(((at, TOP), (at, TOP + TALL)), FAINT, dashed=what == "now")
        if at >= free:
            yield Text((at + 3, TOP + TALL + 16), what, 11)
            free = at + 8 * len(what)


def _curve(report: CurveReport) -> Line:
    return Line(tuple((_x(report, day), _y(left)) for day, left in report.points), BLUE, width=2)


def svg(report: CurveReport) -> bytes:
    body = "\n".join(_line(shape) if isinstance(shape, Line) else _text(shape) for shape in picture(report))
    box = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box} font-family="sans-serif">\n{body}\n</svg>\n'.encode()


def _line(line: Line) -> str:
    places = " ".join(f"{x},{y}" for x, y in line.places)
    dash = ' stroke-dasharray="4 4"' if line.dashed else ""
    return f'<polyline points="{places}" fill="none" stroke="{line.color}" stroke-width="{line.width}"{dash}/>'


def _text(text: Text) -> str:
    safe = text.words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f'<text x="{text.place[0]}" y="{text.place[1]}" font-size="{text.size}">{safe}</text>'
