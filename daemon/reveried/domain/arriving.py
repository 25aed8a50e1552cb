"""From a memory that lived elsewhere to the events that take it in: its words as any other's, its life as it was."""

import re

from msgspec.structs import replace

from reverie.protocol.requests import Arrival, Life
from reveried.domain import drafting, drafts
from reveried.domain.events import MemoryImported, MemoryStored
from reveried.domain.memory import DOCUMENT_HASH, STATES
from reveried.domain.policies import ContentLimits
from reveried.domain.understanding.understand import UnderstandingPolicy
from reveried.errors import InvalidField

TIERS = ("hot", "warm", "archive")
_TIMES = (
    "last_accessed_at", "updated_at", "reinforced_at", "stored_at", "stale_since", "archived_at", "deleted_at",
)  # fmt: skip
# The time at which a state began, without which it could never end.
_SINCE = {"stale": "stale_since", "archived": "archived_at", "deleted": "deleted_at"}


def arrived(
    arrival: Arrival, limits: ContentLimits, policy: UnderstandingPolicy, now: int, request: str
) -> tuple[MemoryStored, MemoryImported | None]:
    stored = drafting.stored(arrival.memory, limits, policy, now, request)
    if arrival.life is None:
        return stored, None
    life = _checked(arrival.life, now, request)
    if arrival.life.whole:
        stored = _as_it_was(stored, arrival, limits)
    if arrival.life.document is not None:
        stored = replace(stored, content_hash=_document_hash(arrival.life.document), kind="document")
    # Distrust may come along or be found here; neither clears the other away.
    trust = "low" if "low" in (stored.trust, arrival.life.trust) else "normal"
    return replace(stored, trust=trust), life


def _as_it_was(stored: MemoryStored, arrival: Arrival, limits: ContentLimits) -> MemoryStored:
    summary = None if arrival.memory.summary is None else stored.summary
    tags = drafts.checked_tags(arrival.life.tags_auto if arrival.life else (), limits)
    return replace(stored, summary=summary, tags_auto=tags)


def _checked(life: Life, now: int, request: str) -> MemoryImported:
    _one_of("state", life.state, STATES)
    tier = life.tier or ("archive" if life.state == "archived" else "hot")
    _one_of("tier", tier, TIERS)
    if life.access_count < 0:
        raise InvalidField("access_count is negative", field="access_count")
    times = {name: getattr(life, name) for name in _TIMES}
    for name, time in times.items():
        if time is not None and time > now:
            raise InvalidField(f"{name} lies in the future", field=name)
    if (since := _SINCE.get(life.state)) and times[since] is None:
        times[since] = now
    return MemoryImported(
        state=life.state,
        tier=tier,
        score=life.score,
        access_count=life.access_count,
        superseded_by=life.superseded_by,
        compressed_into=life.compressed_into,
        request=request,
        **times,
    )


def _document_hash(claimed: str) -> str:
    """Found again by it, should the text itself be handed in here."""
    if re.fullmatch(f"{DOCUMENT_HASH}[0-9a-f]{{64}}", claimed) is None:
        raise InvalidField(
            f"document {claimed[:80]!r} is no hash of a text", field="document", hint=f"{DOCUMENT_HASH} and 64 digits"
        )
    return claimed


def _one_of(field: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise InvalidField(f"{field} {value[:64]!r} is not known", field=field, hint=", ".join(known))
