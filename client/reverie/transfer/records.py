"""What a reader finds in a foreign file: memories to be, or the place and the reason why something is none."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from msgspec import Struct

from reverie.protocol.limits import MAX_DEPTH
from reverie.protocol.requests import Draft, Life, LinkArrival

MIGRATION = "migration"
MAX_CONTENT = 100_000
MAX_NAME = 256
MAX_TAG = 64
DEEPEST = 2 * MAX_DEPTH
_SURROGATE = re.compile("[\ud800-\udfff]")


class Found(Struct, kw_only=True):
    """A memory in a file. `ref` is its number there, `links` name fields whose value is such a number."""

    place: str
    key: str
    draft: Draft
    life: Life | None = None
    namespace: str | None = None
    ref: int | None = None
    links: dict[str, int] = {}


class FoundLink(Struct, kw_only=True):
    """A link between two memories of the same file, by their numbers there."""

    place: str
    link: LinkArrival
    namespace: str | None = None


class Skipped(Struct, kw_only=True):
    """Something that does not become a memory; `bad` when it should have."""

    place: str
    reason: str
    bad: bool = True


Item = Found | FoundLink | Skipped


class Unreadable(Exception):
    """The rest of a file cannot be read."""


def key_of(format_: str, *parts: object) -> str:
    """The same record gives the same key in every run, wherever it stands and whatever was read before it."""
    digest = sha256("\0".join(str(part) for part in parts).encode("utf-8", "surrogatepass"))
    return f"import:{format_}:{digest.hexdigest()[:40]}"


def moment(value: object) -> int | None:
    """Microseconds of a number of seconds or an ISO text; a text without a zone is UTC, as programs write it."""
    if isinstance(value, bool) or value in (None, ""):
        return None
    try:
        if isinstance(value, int | float):
            return round(value * 1_000_000)
        time = datetime.fromisoformat(str(value).strip())
        return round((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp() * 1_000_000)
    except (ValueError, OverflowError):
        return None


def sound(value: Any, depth: int = 0) -> Any:
    """The same without half surrogate pairs, which JSON can hold and UTF-8 cannot, and without what is nested so deep
    that no message carries it: a record that needs it is then refused for its depth."""
    if isinstance(value, str):
        return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, list):
        return [sound(inner, depth + 1) for inner in value] if depth < DEEPEST else []
    if isinstance(value, dict):
        return {sound(name): sound(inner, depth + 1) for name, inner in value.items()} if depth < DEEPEST else {}
    return value


def table(value: Any) -> dict[str, Any]:
    """A JSON object where there is one; an empty one where there is anything else."""
    return value if isinstance(value, dict) else {}


def name(value: object) -> str | None:
    """A short text such as a speaker or a session; None when there is nothing to say."""
    text = " ".join(str(value).split()) if value not in (None, "") else ""
    return text[:MAX_NAME] or None


def tags(values: object) -> list[str]:
    """Tags as the daemon takes them, from a list or a text with commas."""
    parts = values.split(",") if isinstance(values, str) else values if isinstance(values, list) else []
    found = (" ".join(str(part).strip().lstrip("#").lower().split())[:MAX_TAG] for part in parts)
    return list(dict.fromkeys(tag for tag in found if tag))


def pieces(text: str, limit: int = MAX_CONTENT) -> Iterator[str]:
    """A text too long for one memory, cut between paragraphs, lines or words."""
    text = text.strip()
    while len(text) > limit:
        at = next((found for cut in ("\n\n", "\n", " ") if (found := text.rfind(cut, limit // 2, limit)) > 0), limit)
        yield text[:at].strip()
        text = text[at:].strip()
    if text:
        yield text


class Lines:
    """Which line each place of a text is in. The places come in order, so nothing is counted twice."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1

    def of(self, at: int) -> int:
        self._line += self._text.count("\n", self._at, at)
        self._at = at
        return self._line


def said(values: Mapping[str, Any]) -> dict[str, Any]:
    """Without what is empty."""
    return {field: value for field, value in values.items() if value not in (None, "", [], {})}
