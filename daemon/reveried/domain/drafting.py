"""From what a caller says to the event that records it: checked, cleaned of credentials, and understood."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from reverie.protocol.requests import Draft, Update
from reveried.domain import drafts
from reveried.domain.events import MemoryStored, MemoryUpdated
from reveried.domain.policies import ContentLimits
from reveried.domain.understanding.secrets import SHORTEST_SECRET, credential_in, redact, redact_json
from reveried.domain.understanding.text import content_hash
from reveried.domain.understanding.understand import UnderstandingPolicy, Understood, understand
from reveried.errors import InvalidField


class Redactor:
    """Every field a secret could hide in goes through here; what was found is told in the reply."""

    def __init__(self, policy: UnderstandingPolicy) -> None:
        self._on = policy.redact
        self.notes: list[str] = []

    def text(self, value: str | None) -> str | None:
        if value is None or not self._on or (len(value) < SHORTEST_SECRET and value.isalnum()):
            return value
        redaction = redact(value)
        self.notes += [f"redacted:{rule}" for rule in redaction.found]
        return redaction.text

    def name(self, field: str, value: str | None) -> str | None:
        """What is kept as it is, or else it would be the name of something else."""
        name = drafts.checked_name(field, value)
        if self._on and name is not None:
            refuse_credential(field, name)
        return name

    def texts(self, values: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(text for value in values if (text := self.text(value)))

    def tags(self, values: Sequence[str], limits: ContentLimits) -> tuple[str, ...]:
        """Looked at as they were written: small letters would hide a key from its rule."""
        return drafts.checked_tags(self.texts(tuple(values)), limits)

    def triple(self, relation: tuple[str, str, str]) -> tuple[str, str, str]:
        one, name, other = relation
        return self.text(one) or one, name, self.text(other) or other

    def json(self, value: dict[str, Any]) -> dict[str, Any]:
        if not value or not self._on:
            return value
        found: list[str] = []
        clean: dict[str, Any] = redact_json(value, found)
        self.notes += [f"redacted:{rule}" for rule in found]
        return clean

    def notes_with(self, understood: Understood) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*understood.notes, *self.notes)))


def refuse_credential(field: str, name: str) -> None:
    if rule := credential_in(name):
        hint = "a name is kept as it is, and cannot be redacted: choose another"
        raise InvalidField(f"{field} looks like a credential ({rule})", field=field, hint=hint)


def stored(draft: Draft, limits: ContentLimits, policy: UnderstandingPolicy, now: int, request: str) -> MemoryStored:
    drafts.checked_times(now, draft.created_at, draft.valid_from, draft.valid_to)
    safe = Redactor(policy)
    source = safe.text(drafts.checked_name("source", draft.source)) or "agent"
    source_ref = safe.text(drafts.checked_name("source_ref", draft.source_ref))
    confidence = drafts.checked_unit("confidence", draft.confidence)
    speaker = safe.text(drafts.checked_name("speaker", draft.speaker))
    tags = safe.tags(draft.tags, limits)
    entities = safe.texts(drafts.checked_entities(draft.entities))
    relations = tuple(safe.triple(one) for one in drafts.checked_relations(draft.relations))
    metadata = safe.json(drafts.checked_metadata(draft.metadata, limits))
    read = _understood(draft, limits, policy, source, source_ref)
    return MemoryStored(
        content=read.content,
        title=read.title,
        summary=read.summary,
        content_hash=content_hash(read.content),
        kind=read.kind,
        importance=read.importance,
        confidence=drafts.default_confidence(source) if confidence is None else confidence,
        priority=drafts.checked_unit("priority", draft.priority),
        pinned=draft.pinned,
        source=source,
        source_ref=source_ref,
        speaker=speaker,
        session_id=safe.name("session_id", draft.session_id),
        narrative_id=draft.narrative_id,
        task_id=safe.name("task_id", draft.task_id),
        parent_id=draft.parent_id,
        chunk_index=draft.chunk_index,
        tags_auto=read.tags_auto,
        tags_manual=tags,
        entities=entities,
        relations=relations,
        trust=read.trust,
        created_at=now if draft.created_at is None else draft.created_at,
        valid_from=draft.valid_from,
        valid_to=draft.valid_to,
        expires_at=draft.expires_at,
        metadata=metadata,
        notes=safe.notes_with(read),
        request=request,
        dedup=draft.dedup,
        on_conflict=draft.on_conflict,
    )


def _understood(
    draft: Draft, limits: ContentLimits, policy: UnderstandingPolicy, source: str, source_ref: str | None
) -> Understood:
    return understand(
        drafts.checked_content(draft.content, limits),
        kind=drafts.checked_kind(draft.kind),
        importance=drafts.checked_importance(draft.importance, draft.level),
        title=drafts.checked_title(draft.title),
        summary=drafts.checked_summary(draft.summary),
        source=source,
        source_ref=source_ref,
        chunk=draft.chunk_index is not None,
        policy=policy,
    )


def updated(update: Update, limits: ContentLimits, policy: UnderstandingPolicy, request: str) -> MemoryUpdated:
    """What is not given stays as it is."""
    given = (update.content, update.title, update.tags, update.importance, update.level, update.metadata)
    if all(value is None for value in given):
        raise InvalidField("nothing to change", field="content", hint="give content, title, tags or metadata")
    safe = Redactor(policy)
    change = MemoryUpdated(
        title=safe.text(drafts.checked_title(update.title)),
        tags_manual=None if update.tags is None else safe.tags(update.tags, limits),
        importance=drafts.checked_importance(update.importance, update.level),
        metadata=None if update.metadata is None else safe.json(drafts.checked_metadata(update.metadata, limits)),
        request=request,
    )
    if update.content is None:
        return replace(change, notes=tuple(safe.notes))
    read = understand(drafts.checked_content(update.content, limits), title=change.title, policy=policy)
    return replace(
        change,
        content=read.content,
        content_hash=content_hash(read.content),
        title=read.title,
        trust=read.trust,
        tags_auto=read.tags_auto,
        notes=safe.notes_with(read),
    )
