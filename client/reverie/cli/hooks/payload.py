"""What a harness says on standard input, whichever it is. Anything may be missing or of another type."""

import os
from typing import Any, BinaryIO, Final

import msgspec

MOST: Final = 4 * 1024 * 1024


class Payload(msgspec.Struct, frozen=True):
    session: str | None = None
    transcript: str | None = None
    project: str | None = None
    source: str | None = None
    prompt: str | None = None
    reply: str | None = None


def read(stream: BinaryIO) -> Payload:
    try:
        given = msgspec.json.decode(stream.read(MOST))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Payload()
    return of(given) if isinstance(given, dict) else Payload()


def of(given: dict[str, Any]) -> Payload:
    return Payload(
        session=_text(given, "session_id", "conversation_id"),
        transcript=_text(given, "transcript_path"),
        project=_project(given),
        source=_text(given, "source"),
        prompt=_text(given, "prompt"),
        reply=_text(given, "last_assistant_message"),
    )


def _text(given: dict[str, Any], *names: str) -> str | None:
    return next((given[name] for name in names if isinstance(given.get(name), str) and given[name].strip()), None)


def _project(given: dict[str, Any]) -> str | None:
    roots = given.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots and isinstance(roots[0], str) else None
    directory = _text(given, "cwd") or first
    return (os.path.basename(os.path.normpath(directory)) or None) if directory else None
