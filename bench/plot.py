"""Lines in a frame, as SVG: enough for a curve in the documentation."""

from collections.abc import Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

WIDTH, HEIGHT, LEFT, TOP = 640, 360, 56, 44
COLOURS = ("#2a6f97", "#c1666b", "#4a7c59", "#8d6a9f")


class Line(NamedTuple):
    name: str
    points: Sequence[tuple[float, float]]


def plot(title: str, below: str, lines: Sequence[Line], mark: float | None = None) -> str:
    """Values from 0 to 1 over any range; `mark` is drawn as a dashed line from top to bottom."""
    low = min(x for line in lines for x, _ in line.points)
    high = max(x for line in lines for x, _ in line.points)

    def place(x: float, y: float) -> tuple[float, float]:
        return LEFT + (x - low) / (high - low) * (WIDTH - LEFT - 20), HEIGHT - 48 - y * (HEIGHT - TOP - 48)

    parts = [text(LEFT, 24, title, size=15)]
    for step in range(6):
        y = place(low, step / 5)[1]
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - 20}" stroke="#ddd"/>')
        parts.append(text(LEFT - 8, y + 4, f"{step / 5:.1f}", anchor="end"))
        x = low + (high - low) * step / 5
        parts.append(text(place(x, 0)[0], HEIGHT - 28, f"{x:.2f}", anchor="middle"))
    parts.append(text((WIDTH + LEFT) / 2, HEIGHT - 8, below, anchor="middle"))
    if mark is not None:
        x = place(mark, 0)[0]
        parts.append(f'<path d="M{x:.1f} {TOP}V{HEIGHT - 48}" stroke="#555" stroke-dasharray="4 4"/>')
        parts.append(text(x + 5, TOP + 10, f"default {mark:g}"))
    for number, line in enumerate(lines):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in line.points))
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(text(LEFT + 12, TOP + 30 + 18 * number, line.name, colour=colour))
    frame = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">'
    return "\n".join([frame, '<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>", ""])


def text(x: float, y: float, words: str, *, size: int = 12, anchor: str = "start", colour: str = "#333") -> str:
    look = f'font-size="{size}" text-anchor="{anchor}" fill="{colour}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {look}>{escape(words)}</text>'
