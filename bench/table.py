"""A result is a ratio first; the absolute numbers stand behind it."""

from typing import NamedTuple


class Result(NamedTuple):
    what: str
    ratio: float
    aim: float
    at_most: bool
    detail: str

    @property
    def met(self) -> bool:
        return self.ratio <= self.aim if self.at_most else self.ratio >= self.aim


def render(results: list[Result]) -> str:
    lines = ["| what | measured | aim | | detail |", "|---|---|---|---|---|"]
    for result in results:
        sign = "≤" if result.at_most else "≥"
        verdict = "met" if result.met else "**missed**"
        lines.append(f"| {result.what} | {result.ratio:.2f} | {sign} {result.aim:g} | {verdict} | {result.detail} |")
    return "\n".join(lines)
