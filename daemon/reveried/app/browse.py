"""Looking without asking: one memory by its id, the newest, the timeline."""

from collections.abc import Callable

import msgspec

from reverie.protocol.requests import Get, List, Number, Timeline
from reverie.protocol.results import MemoryView, Page
from reveried.app.accesses import Accesses
from reveried.app.commands import Caller
from reveried.app.foresight import foreseen
from reveried.app.readers import Readers
from reveried.app.views import checked_limit, fitting, memory_view
from reveried.config.schema import Config
from reveried.domain import decide, drafts
from reveried.domain.memory import LIVE_STATES, STATES
from reveried.errors import InvalidField
from reveried.ports import Clock
from reveried.state.reads import Filter, by_id, in_order, newest


class Browse:
    def __init__(self, readers: Readers, accesses: Accesses, clock: Clock, config: Callable[[], Config]) -> None:
        self._readers = readers
        self._accesses = accesses
        self._clock = clock
        self._config = config

    async def get(self, request: Get, caller: Caller) -> MemoryView:
        await self._readers.up_to_date(caller)
        found = await by_id(self._readers.live, request.memory) or await by_id(self._readers.archive, request.memory)
        memory = decide.required(found, request.memory, caller.namespace)
        self._accesses.read(caller.namespace, caller.actor, memory.id)
        return foreseen(memory, self._clock.now(), self._config())

    async def list(self, request: List, caller: Caller) -> Page:
        """Newest first. Listing is not access: it changes nothing."""
        limit = checked_limit(request.limit)
        states = _checked_states(request.states)
        await self._readers.up_to_date(caller)
        filter_ = Filter(
            namespace=caller.namespace,
            kinds=tuple(kind for name in request.kinds if (kind := drafts.checked_kind(name))),
            tags=tuple(tag.strip().lower() for tag in request.tags),
            states=states,
            documents=True,
        )
        found = []
        if set(states) - {"archived"}:
            found += await newest(self._readers.live, filter_, request.before, limit)
        if "archived" in states:
            found += await newest(self._readers.archive, filter_, request.before, limit)
        found = sorted(found, key=lambda memory: -memory.id)[:limit]
        views = fitting([memory_view(memory) for memory in found])
        more = len(found) == limit or len(views) < len(found)
        return Page(memories=views, next=str(views[-1].id) if views and more else None)

    async def timeline(self, request: Timeline, caller: Caller) -> Page:
        limit = checked_limit(request.limit)
        await self._readers.up_to_date(caller)
        filter_ = Filter(
            namespace=caller.namespace,
            states=LIVE_STATES,
            session_id=request.session_id,
            since=request.since,
            until=request.until,
            replaced=False,
            documents=True,
        )
        found = await in_order(self._readers.live, filter_, _position(request.cursor), limit)
        views = fitting([memory_view(memory) for memory in found])
        self._accesses.listed(caller.namespace, caller.actor, tuple(view.id for view in views))
        more = len(found) == limit or len(views) < len(found)
        return Page(memories=views, next=f"{views[-1].created_at}:{views[-1].id}" if views and more else None)


def _checked_states(states: list[str]) -> tuple[str, ...]:
    for state in states:
        if state not in STATES:
            raise InvalidField(f"state {state[:64]!r} is not known", field="states", hint=", ".join(STATES))
    return tuple(states) or LIVE_STATES


def _position(cursor: str | None) -> tuple[int, int]:
    if cursor is None:
        return -(1 << 62), 0
    try:
        created_at, id_ = (msgspec.convert(int(part), Number) for part in cursor.split(":"))
        return created_at, id_
    except ValueError:  # msgspec.ValidationError is one
        raise InvalidField("cursor is not one of ours", field="cursor", hint="pass on the `next` of a page") from None
