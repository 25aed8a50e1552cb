"""What contradicts what, and how somebody decides it."""

import asyncio
from collections.abc import Callable

import msgspec

from reverie.protocol import requests as ask
from reverie.protocol.results import ConflictPage, ConflictView
from reveried.app.commands import Caller, Command, Outcomes, Step, View
from reveried.app.readers import Readers
from reveried.app.remember import fingerprint
from reveried.app.views import checked_limit, fitting
from reveried.app.writer import Writer
from reveried.config.schema import Config
from reveried.domain import decide
from reveried.domain.decide import Decision
from reveried.domain.events import MemoryRestored
from reveried.domain.memory import Memory
from reveried.domain.reconciling.decisions import resolution
from reveried.errors import NotFound
from reveried.state.conflicts import ConflictRow, conflict_by_number, conflict_page
from reveried.state.reads import by_ids


class Conflicts:
    def __init__(self, writer: Writer, readers: Readers, config: Callable[[], Config]) -> None:
        self._writer = writer
        self._readers = readers
        self._config = config

    async def list(self, request: ask.Conflicts, caller: Caller) -> ConflictPage:
        limit = checked_limit(request.limit)
        await self._readers.up_to_date(caller)
        rows = await conflict_page(self._readers.live, caller.namespace, request.before, limit, every=request.every)
        words = await self._contents({id_ for row in rows for id_ in (row.new, row.known)})
        views = fitting([_view(row, words) for row in rows])
        more = len(rows) == limit or len(views) < len(rows)
        return ConflictPage(conflicts=views, next=views[-1].id if views and more else None)

    async def resolve(self, request: ask.Resolve, caller: Caller) -> Outcomes:
        await self._readers.up_to_date(caller)
        row = await conflict_by_number(self._readers.live, caller.namespace, request.conflict)
        if row is None:
            raise NotFound(
                f"there is no conflict {request.conflict} in namespace {caller.namespace!r}",
                field="conflict",
                hint="`reverie conflicts` shows what is open; one goes when a memory of it is erased",
            )
        mark = fingerprint(msgspec.structs.replace(request, id=0, key=None))
        policy = self._config().reconciling

        def decision(view: View) -> Decision:
            new, known = (decide.required(view.get(id_), id_, caller.namespace) for id_ in (row.new, row.known))
            decided = resolution(row.id, new, known, request.mode, mark, policy)
            _free_words(decided, {new.id: new, known.id: known}, view)
            return decided

        step = Step(decide=decision, key=request.key, fingerprint=mark)
        return await self._writer.submit(Command(namespace=caller.namespace, actor=caller.actor, steps=(step,)))

    async def _contents(self, ids: set[int]) -> dict[int, str]:
        found = await asyncio.gather(
            *(by_ids(pool, sorted(ids)) for pool in (self._readers.live, self._readers.archive))
        )
        return {memory.id: memory.content for memories in found for memory in memories}


def _free_words(decided: Decision, pair: dict[int, Memory], view: View) -> None:
    """Who comes back must not find its words with a third memory."""
    for id_, event in decided.others:
        if isinstance(event, MemoryRestored):
            memory = pair[id_]
            decide.restore(memory, view.by_hash(memory.namespace, memory.content_hash), "")


def _view(row: ConflictRow, words: dict[int, str]) -> ConflictView:
    return ConflictView(
        id=row.id,
        new=row.new,
        known=row.known,
        new_content=words.get(row.new, ""),
        known_content=words.get(row.known, ""),
        rule=row.rule,
        confidence=row.confidence,
        similarity=row.similarity,
        mode=row.mode,
        outcome=row.outcome,
        open=bool(row.open),
        detected_at=row.detected_at,
        resolved_at=row.resolved_at,
        resolution=row.resolution,
        winner=row.winner,
    )
