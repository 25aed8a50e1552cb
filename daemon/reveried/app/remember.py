"""Storing and rewording: a draft becomes a checked, understood event before it reaches the writer."""

import asyncio
from collections.abc import Callable
from hashlib import sha256

import msgspec

from reverie.protocol.limits import MAX_BATCH
from reverie.protocol.requests import Draft, Store, StoreMany, Update
from reveried.app.commands import Caller, Command, Outcomes, Step, View
from reveried.app.writer import Writer
from reveried.config.schema import Config
from reveried.domain import decide, drafts
from reveried.domain.events import MemoryStored, MemoryUpdated
from reveried.domain.understanding.text import content_hash
from reveried.domain.understanding.understand import understand
from reveried.errors import InvalidField
from reveried.ports import Clock

# Understanding a text costs tens of microseconds; from this many on they are read beside the event loop.
READ_ASIDE = 16


def fingerprint(body: object) -> str:
    """Tells a retry from another request under the same key."""
    return sha256(msgspec.msgpack.encode(body)).hexdigest()[:32]


class Remember:
    def __init__(self, writer: Writer, clock: Clock, config: Callable[[], Config]) -> None:
        self._writer = writer
        self._clock = clock
        self._config = config

    def store(self, request: Store, caller: Caller) -> "asyncio.Future[Outcomes]":
        step = self._step(request.memory, caller.namespace, request.key)
        return self._writer.submit(Command(namespace=caller.namespace, actor=caller.actor, steps=(step,)))

    async def store_many(self, request: StoreMany, caller: Caller) -> Outcomes:
        """All of them or none: one bad draft refuses the batch, and names its place."""
        if not 1 <= len(request.memories) <= MAX_BATCH:
            raise InvalidField(f"{len(request.memories)} memories; a batch holds 1 to {MAX_BATCH}", field="memories")
        if len(request.memories) < READ_ASIDE:
            steps = self._steps(request, caller.namespace)
        else:
            steps = await asyncio.to_thread(self._steps, request, caller.namespace)
        return await self._writer.submit(Command(namespace=caller.namespace, actor=caller.actor, steps=steps))

    def _steps(self, request: StoreMany, namespace: str) -> tuple[Step, ...]:
        steps = []
        for index, draft in enumerate(request.memories):
            key = f"{request.key}/{index}" if request.key else None
            try:
                steps.append(self._step(draft, namespace, key))
            except InvalidField as error:
                error.field = f"memories[{index}].{error.field}"
                raise
        return tuple(steps)

    def _step(self, draft: Draft, namespace: str, key: str | None) -> Step:
        print_ = fingerprint(draft)
        stored = self._stored(draft, print_)

        def decision(view: View) -> decide.Decision:
            twin = view.by_hash(namespace, stored.content_hash) if draft.dedup else None
            return decide.store(stored, twin)

        return Step(decide=decision, key=key, fingerprint=print_)

    def _stored(self, draft: Draft, request: str) -> MemoryStored:
        limits = self._config().content
        now = self._clock.now()
        content = drafts.checked_content(draft.content, limits)
        drafts.checked_times(now, draft.created_at, draft.valid_from, draft.valid_to)
        source = drafts.checked_name("source", draft.source) or "agent"
        source_ref = drafts.checked_name("source_ref", draft.source_ref)
        understood = understand(
            content,
            kind=drafts.checked_kind(draft.kind),
            importance=drafts.checked_importance(draft.importance, draft.level),
            title=draft.title and drafts.checked_length("title", draft.title.strip(), drafts.MAX_TITLE),
            summary=draft.summary and drafts.checked_length("summary", draft.summary, drafts.MAX_SUMMARY),
            source=source,
            source_ref=source_ref,
            policy=self._config().understanding,
        )
        confidence = drafts.checked_unit("confidence", draft.confidence)
        return MemoryStored(
            content=understood.content,
            title=understood.title,
            summary=understood.summary,
            content_hash=content_hash(understood.content),
            kind=understood.kind,
            importance=understood.importance,
            confidence=drafts.default_confidence(source) if confidence is None else confidence,
            priority=drafts.checked_unit("priority", draft.priority),
            pinned=draft.pinned,
            source=source,
            source_ref=source_ref,
            speaker=drafts.checked_name("speaker", draft.speaker),
            session_id=drafts.checked_name("session_id", draft.session_id),
            narrative_id=draft.narrative_id,
            task_id=drafts.checked_name("task_id", draft.task_id),
            parent_id=draft.parent_id,
            chunk_index=draft.chunk_index,
            tags_auto=understood.tags_auto,
            tags_manual=drafts.checked_tags(draft.tags, limits),
            entities=drafts.checked_entities(draft.entities),
            trust=understood.trust,
            created_at=now if draft.created_at is None else draft.created_at,
            valid_from=draft.valid_from,
            valid_to=draft.valid_to,
            expires_at=draft.expires_at,
            metadata=drafts.checked_metadata(draft.metadata, limits),
            notes=understood.notes,
            request=request,
        )

    def update(self, request: Update, caller: Caller) -> "asyncio.Future[Outcomes]":
        body = msgspec.structs.replace(request, id=0, key=None)
        change = self._updated(request, fingerprint(body))

        def decision(view: View) -> decide.Decision:
            memory = decide.required(view.get(request.memory), request.memory, caller.namespace)
            twin = view.by_hash(caller.namespace, change.content_hash) if change.content_hash else None
            return decide.update(memory, change, twin)

        step = Step(decide=decision, key=request.key, fingerprint=change.request)
        return self._writer.submit(Command(namespace=caller.namespace, actor=caller.actor, steps=(step,)))

    def _updated(self, request: Update, print_: str) -> MemoryUpdated:
        limits = self._config().content
        if all(value is None for value in _changes_of(request)):
            raise InvalidField("nothing to change", field="content", hint="give content, title, tags or metadata")
        title = request.title and drafts.checked_length("title", request.title.strip(), drafts.MAX_TITLE)
        change = MemoryUpdated(
            title=title,
            tags_manual=None if request.tags is None else drafts.checked_tags(request.tags, limits),
            importance=drafts.checked_importance(request.importance, request.level),
            metadata=None if request.metadata is None else drafts.checked_metadata(request.metadata, limits),
            request=print_,
        )
        return change if request.content is None else self._reworded(change, request.content)

    def _reworded(self, change: MemoryUpdated, words: str) -> MemoryUpdated:
        content = drafts.checked_content(words, self._config().content)
        read = understand(content, title=change.title, policy=self._config().understanding)
        return msgspec.structs.replace(
            change,
            content=read.content,
            content_hash=content_hash(read.content),
            title=read.title,
            trust=read.trust,
            tags_auto=read.tags_auto,
            notes=read.notes,
        )


def _changes_of(request: Update) -> tuple[object, ...]:
    return request.content, request.title, request.tags, request.importance, request.level, request.metadata
