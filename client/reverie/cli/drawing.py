"""A curve of forgetting in lines of text."""

from bisect import bisect_left

from reverie.cli.times import local
from reverie.protocol.results import CurveReport

DAY = 86_400_000_000
ROWS = 16
MARGIN = 9
NOW, USED = "┼", "▲"


def drawn(report: CurveReport, width: int) -> list[str]:
    """The curve with its thresholds and marks."""
    columns = max(min(width, 100) - MARGIN - 1, 20)
    grid = [[" "] * columns for _ in range(ROWS + 1)]
    for left in report.thresholds.values():
        grid[_row(left)] = ["┄"] * columns
    for column in range(columns):
        grid[_row(left_after(report, column / (columns - 1) * span(report)))][column] = "●"
    names = {_row(left): name for name, left in report.thresholds.items()}
    lines = [f"{_label(row, names):>{MARGIN}}│{''.join(cells).rstrip()}" for row, cells in enumerate(grid)]
    lines.append(f"{'':>{MARGIN}}└{_axis(report, columns)}")
    return [title(report), *lines, _scale(report, columns), *_legend(report)]


def left_after(report: CurveReport, day: float) -> float:
    """By the first point that is not before that day; they are not evenly spread."""
    place = bisect_left(report.points, day, key=lambda point: point[0])
    return report.points[min(place, len(report.points) - 1)][1]


def _row(left: float) -> int:
    return min(max(round((1 - left) * ROWS), 0), ROWS)


def _label(row: int, names: dict[int, str]) -> str:
    if row in names:
        return f"{names[row][:MARGIN]} "
    return f"{1 - row / ROWS:.2f} " if row % 4 == 0 else ""


def _axis(report: CurveReport, columns: int) -> str:
    axis = ["─"] * columns
    for what, day in days_of_marks(report):
        place = min(round(day / span(report) * (columns - 1)), columns - 1)
        if axis[place] != NOW:
            axis[place] = NOW if what == "now" else USED
    return "".join(axis)


def days_of_marks(report: CurveReport) -> list[tuple[str, float]]:
    """The marks that fall on the picture, in days after its beginning."""
    days = [(mark.what, (mark.at - report.start_at) / DAY) for mark in report.marks]
    return [(what, day) for what, day in days if 0 <= day <= span(report)]


def span(report: CurveReport) -> float:
    return report.points[-1][0] or 1.0


def title(report: CurveReport) -> str:
    what = report.kind if report.memory is None else f"[id:{report.memory}] {report.kind}"
    if report.pinned:
        return f"{what}: pinned, it does not fade"
    return f"{what}: after {report.stability_days:.1f} days untouched 37 % is left"


def _scale(report: CurveReport, columns: int) -> str:
    last = f"{span(report):.0f} days"
    return f"{'':>{MARGIN}} 0{last:>{columns - 1}}"


def _legend(report: CurveReport) -> list[str]:
    """One line for each kind of mark, with its last moment."""
    last = {mark.what: mark.at for mark in report.marks}
    number = {what: sum(mark.what == what for mark in report.marks) for what in last}
    lines = []
    for what, at in last.items():
        sign = NOW if what == "now" else USED
        of_all = f" of {report.access_count:,}" if what == "accessed" and number[what] < report.access_count else ""
        often = f" {number[what]:,}{of_all} times, last" if number[what] > 1 or of_all else ""
        lines.append(f"{'':>{MARGIN}} {sign} {what}{often} {local(at)}")
    return lines
