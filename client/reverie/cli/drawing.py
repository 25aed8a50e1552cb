"""A curve of forgetting as text and as SVG, drawn from the same points."""

from reverie.cli.times import local
from reverie.protocol.results import CurveReport

DAY = 86_400_000_000
ROWS = 16
MARGIN = 9
_COLORS = {"stale": "#d08700", "archived": "#c2410c", "deleted": "#b91c1c"}


def drawn(report: CurveReport, width: int) -> list[str]:
    """The curve with its thresholds and marks, in lines of text."""
    columns = max(min(width, 100) - MARGIN - 1, 20)
    grid = [[" "] * columns for _ in range(ROWS + 1)]
    for left in report.thresholds.values():
        grid[_row(left)] = ["┄"] * columns
    for column in range(columns):
        _, left = report.points[round(column / (columns - 1) * (len(report.points) - 1))]
        grid[_row(left)][column] = "●"
    names = {_row(left): name for name, left in report.thresholds.items()}
    lines = [f"{_label(row, names):>{MARGIN}}│{''.join(cells).rstrip()}" for row, cells in enumerate(grid)]
    lines.append(f"{'':>{MARGIN}}└{_axis(report, columns)}")
    return [_title(report), *lines, _scale(report, columns), *_legend(report)]


def _row(left: float) -> int:
    return min(max(round((1 - left) * ROWS), 0), ROWS)


def _label(row: int, names: dict[int, str]) -> str:
    if row in names:
        return f"{names[row][:MARGIN]} "
    return f"{1 - row / ROWS:.2f} " if row % 4 == 0 else ""


def _axis(report: CurveReport, columns: int) -> str:
    axis = ["─"] * columns
    for what, day in _days(report):
        axis[min(round(day / _span(report) * (columns - 1)), columns - 1)] = "┼" if what == "now" else "▲"
    return "".join(axis)


def _days(report: CurveReport) -> list[tuple[str, float]]:
    """The marks that fall on the picture, in days after its beginning."""
    days = [(mark.what, (mark.at - report.start_at) / DAY) for mark in report.marks]
    return [(what, day) for what, day in days if 0 <= day <= _span(report)]


def _span(report: CurveReport) -> float:
    return report.points[-1][0] or 1.0


def _title(report: CurveReport) -> str:
    what = report.kind if report.memory is None else f"[id:{report.memory}] {report.kind}"
    if report.pinned:
        return f"{what}: pinned, it does not fade"
    return f"{what}: after {report.stability_days:.1f} days untouched 37 % is left"


def _scale(report: CurveReport, columns: int) -> str:
    last = f"{_span(report):.0f} days"
    return f"{'':>{MARGIN}} 0{last:>{columns - 1}}"


def _legend(report: CurveReport) -> list[str]:
    signs = {"now": "┼"}
    return [f"{'':>{MARGIN}} {signs.get(mark.what, '▲')} {mark.what} {local(mark.at)}" for mark in report.marks]


def svg(report: CurveReport, width: int = 800, height: int = 400) -> str:
    left, top, inner, tall = 70, 40, width - 100, height - 90

    def x(day: float) -> float:
        return round(left + day / _span(report) * inner, 1)

    def y(share: float) -> float:
        return round(top + (1 - share) * tall, 1)

    parts = [_text(left, 24, _title(report), 15), _text(left, height - 12, f"0 to {_span(report):.0f} days", 12)]
    for name, share in report.thresholds.items():
        parts.append(_line(left, y(share), left + inner, y(share), _COLORS.get(name, "#555555"), dashed=True))
        parts.append(_text(4, y(share) + 4, name, 12))
    for what, day in _days(report):
        parts.append(_line(x(day), top, x(day), top + tall, "#94a3b8", dashed=what == "now"))
        parts.append(_text(x(day) + 3, top + tall + 16, what, 11))
    path = " ".join(f"{x(day)},{y(share)}" for day, share in report.points)
    parts.append(f'<polyline points="{path}" fill="none" stroke="#2563eb" stroke-width="2"/>')
    parts.append(_line(left, top + tall, left + inner, top + tall, "#111111"))
    parts.append(_line(left, top, left, top + tall, "#111111"))
    box = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    body = "\n".join(parts)
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box} font-family="sans-serif">\n{body}\n</svg>\n'


def _line(x1: float, y1: float, x2: float, y2: float, color: str, *, dashed: bool = False) -> str:
    dash = ' stroke-dasharray="4 4"' if dashed else ""
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{color}"{dash}/>'


def _text(x: float, y: float, text: str, size: int) -> str:
    safe = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f'<text x="{x}" y="{y}" font-size="{size}">{safe}</text>'
