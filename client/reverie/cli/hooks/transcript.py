"""The end of a conversation, read off its transcript: who asked what, and what the last word on it was.

The harnesses write JSON lines of different shapes, and promise them to nobody: what is not understood is passed over.
"""

import os
from collections.abc import Iterable
from typing import Any, Final

import msgspec

TAIL: Final = 512 * 1024
_WORDS: Final = ("text", "input_text", "output_text")
_NOT_SAID: Final = ("isMeta", "isSidechain", "isCompactSummary")


class Exchange(msgspec.Struct, frozen=True):
    prompt: str
    reply: str = ""


def read(path: str) -> list[Exchange]:
    """The exchanges in the last part of the file, oldest first; none when there is no such file."""
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - TAIL))
            data = file.read(TAIL)
    except OSError:
        return []
    whole = data if size <= TAIL else data.partition(b"\n")[2]
    return exchanges(_decoded(whole.splitlines()))


def _decoded(lines: Iterable[bytes]) -> Iterable[dict[str, Any]]:
    for line in lines:
        try:
            record = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
        if isinstance(record, dict):
            yield record


def exchanges(records: Iterable[dict[str, Any]]) -> list[Exchange]:
    """Each prompt with the last thing that was answered to it."""
    found: list[Exchange] = []
    for record in records:
        role, words = _said(record)
        if role == "user" and words and not _is_machinery(words):
            found.append(Exchange(words))
        elif role == "assistant" and words and found:
            found[-1] = Exchange(found[-1].prompt, words)
    return found


def _said(record: dict[str, Any]) -> tuple[str | None, str]:
    if any(record.get(name) for name in _NOT_SAID):
        return None, ""
    for message in (record.get("message"), record.get("payload"), record):
        if isinstance(message, dict) and "content" in message:
            role = message.get("role") or record.get("role") or record.get("type")
            return role if isinstance(role, str) else None, _words(message["content"])
    return None, ""


def _words(content: Any) -> str:
    if isinstance(content, str):
        return content.strip()
    if not isinstance(content, list):
        return ""
    parts = [part for part in content if isinstance(part, dict) and part.get("type") in _WORDS]
    return "\n".join(part["text"] for part in parts if isinstance(part.get("text"), str)).strip()


def _is_machinery(words: str) -> bool:
    """What a harness writes in the user's name: commands, reminders, notices of interruption."""
    return words.startswith(("<", "[Request interrupted", "Caveat:"))
