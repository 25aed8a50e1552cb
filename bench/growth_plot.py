"""Curves over several powers of ten, as SVG: where a cost grows as a power of the size, its line is straight."""

from collections.abc import Sequence
from math import ceil, floor, log10
from typing import NamedTuple

from bench.plot import COLOURS, HEIGHT, LEFT, TOP, WIDTH, text

RIGHT, BOTTOM = WIDTH - 190, HEIGHT - 48


class Curve(NamedTuple):
    name: str
    points: Sequence[tuple[float, float]]


class _Scale(NamedTuple):
    """From a number to its place, between two powers of ten."""

    low: int
    high: int
    start: float
    end: float

    def at(self, value: float) -> float:
        return self.start + (log10(value) - self.low) / (self.high - self.low) * (self.end - self.start)

    @property
    def powers(self) -> range:
        return range(self.low, self.high + 1)


def drawn(title: str, below: str, beside: str, curves: Sequence[Curve]) -> str:
    across = _scale([x for curve in curves for x, _ in curve.points], LEFT, RIGHT)
    up = _scale([y for curve in curves for _, y in curve.points], BOTTOM, TOP)
    parts = [text(LEFT, 24, title, size=15), text((LEFT + RIGHT) / 2, HEIGHT - 8, below, anchor="middle")]
    parts.append(text(LEFT - 8, TOP - 8, beside, anchor="end"))
    for power in across.powers:
        x = across.at(10.0**power)
        parts.append(f'<path d="M{x:.1f} {TOP}V{BOTTOM}" stroke="#ddd"/>')
        parts.append(text(x, HEIGHT - 28, f"{10**power:,}", anchor="middle"))
    for power in up.powers:
        y = up.at(10.0**power)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{RIGHT}" stroke="#ddd"/>')
        parts.append(text(LEFT - 8, y + 4, f"{10.0**power:g}", anchor="end"))
    for number, curve in enumerate(curves):
        parts += _curve(curve, across, up, COLOURS[number % len(COLOURS)])
    frame = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">'
    return "\n".join([frame, '<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>", ""])


def _scale(values: Sequence[float], start: float, end: float) -> _Scale:
    low, high = floor(log10(min(values))), ceil(log10(max(values)))
    return _Scale(low, max(high, low + 1), start, end)


def _curve(curve: Curve, across: _Scale, up: _Scale, colour: str) -> list[str]:
    places = [(across.at(x), up.at(y)) for x, y in curve.points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    dots = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
    x, y = places[-1]
    line = f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
    return [line, *dots, text(x + 8, y + 4, curve.name, colour=colour)]
