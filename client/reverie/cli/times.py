"""Moments as people write them, to microseconds and back. A time without a zone is local time."""

import re
import time
from argparse import ArgumentTypeError
from datetime import UTC, datetime, timedelta

_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 7 * 86_400}
_AGES = ((365 * 86_400, "y"), (30 * 86_400, "mo"), (86_400, "d"), (3_600, "h"), (60, "m"))
_ADVICE = "use 7d, 12h, 30m, a date such as 2026-01-31, or ISO 8601"


def now_us() -> int:
    return time.time_ns() // 1_000


def ago(text: str) -> int:
    return _relative(text, -1) or _absolute(text)


def ahead(text: str) -> int:
    return _relative(text, +1) or _absolute(text)


def end_of(text: str) -> int:
    """Like `ago`, but a bare date means up to its last moment."""
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
        return _absolute(text, days=1) - 1
    return ago(text)


def _relative(text: str, sign: int) -> int | None:
    found = re.fullmatch(r"(\d{1,6})([smhdw])", text)
    return now_us() + sign * int(found[1]) * _UNITS[found[2]] * 1_000_000 if found else None


def _absolute(text: str, days: int = 0) -> int:
    try:
        moment = datetime.fromisoformat(text) + timedelta(days=days)
        return round(moment.timestamp() * 1_000_000)
    except (ValueError, OverflowError) as error:
        raise ArgumentTypeError(f"{text!r} is not a time: {_ADVICE}") from error


def iso(us: int) -> str:
    """UTC, exact to the microsecond; a moment no calendar holds stays a number."""
    try:
        moment = datetime.fromtimestamp(us // 1_000_000, UTC).replace(microsecond=us % 1_000_000)
    except (ValueError, OverflowError, OSError):
        return str(us)
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def local(us: int) -> str:
    return _written(us, "%Y-%m-%d %H:%M")


def day_of(us: int) -> str:
    return _written(us, "%Y-%m-%d")


def time_of(us: int) -> str:
    return _written(us, "%H:%M:%S")


def _written(us: int, form: str) -> str:
    try:
        return datetime.fromtimestamp(us / 1_000_000).strftime(form)
    except (ValueError, OverflowError, OSError):
        return str(us)


def age(us: int, now: int) -> str:
    passed = (now - us) // 1_000_000
    if passed < 0:
        return local(us)
    for size, unit in _AGES:
        if passed >= size:
            return f"{passed // size}{unit} ago"
    return "just now"
