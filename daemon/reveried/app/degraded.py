"""Every way in which less is offered than usual, under a name of its own: what `status` tells, nobody has to guess.

What is told here is also told by the answer that it makes poorer; `tests/prove/test_no_silence.py` holds a proof of
both for each name, and is missing one when there is a new name.
"""

from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from reveried.app.semantics import Semantics
from reveried.app.settings import Settings
from reveried.app.upkeep import Upkeep
from reveried.app.writer import Writer
from reveried.log import database
from reveried.log.backups import Backups

# A doubt concerns what is read, and is told with every answer while it lasts.
DOUBTS = ("healing", "unproved", "stalled")


class Condition(Struct, frozen=True, kw_only=True):
    """Whoever may offer less than usual."""

    writer: Writer
    upkeep: Upkeep
    backups: Backups
    settings: Settings
    semantics: Semantics
    postponed: Callable[[], Sequence[str]]
    stumbled: Mapping[str, str]
    summaries: Callable[[], Sequence[str]]
    reranking: Callable[[], str]


def _no_meaning(now: Condition) -> str:
    reason = now.semantics.embedder.condition.reason
    return f"semantic recall: {reason}" if reason else ""


def _filling(now: Condition) -> str:
    return f"semantic recall: {now.semantics.filling}" if now.semantics.filling else ""


def _new_without_vectors(now: Condition) -> str:
    return f"new memories have no vectors yet: {now.semantics.backlog.problem}" if now.semantics.backlog.problem else ""


def _left_out(now: Condition) -> str:
    left_out = sorted(now.semantics.backlog.left_out)
    ids = ", ".join(map(str, left_out[:10]))
    told = f"{len(left_out)} memories are found by words alone, since they end the model's process: {ids}"
    return told if left_out else ""


def _no_second_opinion(now: Condition) -> str:
    return f"answers are not ranked again: {reason}" if (reason := now.reranking()) else ""


def _healing(now: Condition) -> str:
    return "the state was damaged and is being made anew from the log" if now.upkeep.healing else ""


def _unproved(now: Condition) -> str:
    told = "the state is not proved yet: the daemon did not end in peace, and compares it with the log"
    return told if now.upkeep.unproved else ""


def _read_only(now: Condition) -> str:
    return f"read-only: {now.writer.read_only}" if now.writer.read_only else ""


def _stalled(now: Condition) -> str:
    return f"the state trails the log: {now.writer.stalled}" if now.writer.stalled else ""


def _no_room(now: Condition) -> str:
    free = database.free_space(now.writer.log.path.parent)
    told = f"nothing can be stored: only {free // 1_000_000} MB are free on the disk"
    return told if free < now.settings.current.storage.min_free_bytes else ""


def _full(now: Condition) -> str:
    return f"nothing can be stored: {now.writer.full}" if now.writer.full else ""


def _unfinished_erasure(now: Condition) -> str:
    told = "an erasure has not reached every backup; the next one, or the next start, goes on"
    return told if now.backups.unfinished else ""


def _configuration(now: Condition) -> str:
    problem = now.settings.problem
    return f"the configuration file was not accepted: {problem}" if problem else ""


def _stumbled(now: Condition) -> str:
    return "; ".join(f"{work} stopped, and is begun again: {why}" for work, why in now.stumbled.items())


def _postponed(now: Condition) -> str:
    return "; ".join(now.postponed())


def _summaries(now: Condition) -> str:
    return "; ".join(now.summaries())


def _risky(now: Condition) -> str:
    return now.settings.current.consolidation.warning or ""


WAYS: dict[str, Callable[[Condition], str]] = {
    "no meaning": _no_meaning,
    "filling": _filling,
    "new without vectors": _new_without_vectors,
    "left out": _left_out,
    "no second opinion": _no_second_opinion,
    "healing": _healing,
    "unproved": _unproved,
    "read-only": _read_only,
    "stalled": _stalled,
    "no room": _no_room,
    "full": _full,
    "unfinished erasure": _unfinished_erasure,
    "configuration": _configuration,
    "stumbled": _stumbled,
    "postponed": _postponed,
    "summaries": _summaries,
    "risky settings": _risky,
}

_DOUBTING = [WAYS[name] for name in DOUBTS]


def degraded(now: Condition) -> list[str]:
    return [told for way in WAYS.values() if (told := way(now))]


def doubt(now: Condition) -> str | None:
    """What speaks against taking an answer for the last word."""
    return "; ".join(filter(None, [way(now) for way in _DOUBTING])) or None
