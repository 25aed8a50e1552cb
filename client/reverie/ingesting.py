"""Taking in a text of any length, as the calls it takes: parts that fit a frame, the last one, and waiting for the end.

No I/O: each client makes the calls and sends back what they led to.
"""

import os
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

from reverie import calls
from reverie.errors import ReverieError, WrongState
from reverie.protocol import requests as ask
from reverie.protocol.results import Ingested
from reverie.protocol.session import Call

# Characters of at most four bytes each, and room for everything else that is said of a text.
PART = 200_000
TRIES = 3

Progress = Callable[[Ingested], None]
Conversation = Generator[Call[Any], Any, Ingested]


# fmt: off
def ingest(
    text: str, *, title: str | None = None, source: str = "agent", source_ref: str | None = None,
    speaker: str | None = None, session_id: str | None = None, task_id: str | None = None, tags: Sequence[str] = (),
    created_at: calls.Time | None = None, metadata: Mapping[str, Any] | None = None,
    chunking: ask.Chunking | None = None, wait: ask.Ingestion = "chunked", progress: Progress | None = None,
    key: str | None = None,
) -> Conversation:
    """Take in a text of any length: on disk as a whole, then cut into memories. Doing it again changes nothing."""
    about: dict[str, Any] = {
        "title": title, "source": source, "source_ref": source_ref, "speaker": speaker, "session_id": session_id,
        "task_id": task_id, "tags": tags, "created_at": created_at, "metadata": metadata, "chunking": chunking,
        "key": key,
    }
    # fmt: on
    result = yield from _sent(text, about)
    handled = -1
    while wait == "chunked" and not result.done and not _has_stopped(result):
        if progress is not None:
            progress(result)
        handled = max(handled, result.handled)
        now = yield calls.ingested(result.id, after=handled)
        result = _still(now, result)
    if progress is not None:
        progress(result)
    return result


def _sent(text: str, about: dict[str, Any]) -> Conversation:
    """A daemon that was restarted has forgotten the parts: they are sent again, and the document is there once."""
    for tries in range(1, TRIES + 1):
        try:
            return (yield from _sent_once(text, about))
        except WrongState as error:
            if error.field not in ("upload", "part") or tries == TRIES:
                raise
    raise AssertionError("the last try returns or raises")


def _sent_once(text: str, about: dict[str, Any]) -> Conversation:
    cuts = range(0, max(1, len(text)), PART)
    *parts, last = (text[at : at + PART] for at in cuts)
    upload = os.urandom(12).hex() if parts else None
    for number, part in enumerate(parts):
        yield calls.ingest_part(upload or "", number, part)
    # Whoever waits sees the progress from the beginning; the end is asked for afterwards.
    result: Ingested = yield calls.ingest(last, upload=upload, parts=len(parts), wait="durable", **about)
    return result


def _has_stopped(result: Ingested) -> bool:
    return any(note.startswith("stopped:") for note in result.notes)


def _still(now: Ingested, first: Ingested) -> Ingested:
    """What came of the command stays; only how far it is moves on."""
    now.outcome, now.seq, now.repeated = first.outcome, first.seq, first.repeated
    now.notes = list(dict.fromkeys((*first.notes, *now.notes)))
    return now


def answered(conversation: Conversation, answer: Any) -> Call[Any] | Ingested:
    """The next call to make, or the end. An error that a call led to is the conversation's to judge."""
    try:
        if isinstance(answer, ReverieError):
            return conversation.throw(answer)
        return conversation.send(answer)
    except StopIteration as end:
        found: Ingested = end.value
        return found
