"""Looking without asking: one memory by its id, the newest, the timeline."""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from reverie.protocol.requests import Get, List, Namespaces, Number, Timeline
from reverie.protocol.results import MemoryView, NamespacesReport, Page
from reveried.app.accesses import Accesses
from reveried.app.commands import Caller
from reveried.app.edges import edge_rule
from reveried.app.foresight import foreseen
from reveried.app.readers import Readers
from reveried.app.views import checked_limit, fitting, memory_view
from reveried.config.schema import Config
from reveried.domain import decide, drafts
from reveried.domain.memory import LIVE_STATES, STATES, Memory
from reveried.errors import InvalidField
from reveried.log.pool import Pool
from reveried.ports import Clock
from reveried.state.link_reads import ALONE, degrees_of
from reveried.state.reads import Filter, by_id, count_by_namespace, in_order, newest, oldest


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
        now, config = self._clock.now(), self._config()
        links = await degrees_of(self._readers.live, [memory.id], edge_rule(now, config))
        return foreseen(memory, now, config, links.get(memory.id, ALONE).edges)

    async def list(self, request: List, caller: Caller) -> Page:
        """Newest first, or after an id oldest first. Listing is not access: it changes nothing."""
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
        if request.after is None:
            found = await _gathered(self._readers, states, lambda pool: newest(pool, filter_, request.before, limit))
            found = found[::-1][:limit]
        else:
            # Who reads from the beginning wants all there is, whoever wrote it: an export must not miss the last store.
            await self._readers.complete()
            after = request.after
            found = (await _gathered(self._readers, states, lambda pool: oldest(pool, filter_, after, limit)))[:limit]
        views = fitting([memory_view(memory) for memory in found])
        more = len(found) == limit or len(views) < len(found)
        return Page(memories=views, next=str(views[-1].id) if views and more else None)

    async def namespaces(self, request: Namespaces, caller: Caller) -> NamespacesReport:
        await self._readers.complete()
        counts: Counter[str] = Counter()
        for pool in (self._readers.live, self._readers.archive):
            counts.update(await count_by_namespace(pool))
        return NamespacesReport(namespaces=dict(sorted(counts.items())))

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


async def _gathered(
    readers: Readers, states: tuple[str, ...], read: Callable[[Pool], Awaitable[Sequence[Memory]]]
) -> Sequence[Memory]:
    """From both files, in the order of their ids.

    The archive is read on both sides of the live file: a memory that moves meanwhile is always in one of the two.
    """
    pools = [readers.live] if set(states) - {"archived"} else []
    if "archived" in states:
        pools = [readers.archive, *pools, *([readers.archive] if pools else [])]
    found: dict[int, Memory] = {}
    for pool in pools:
        found |= {memory.id: memory for memory in await read(pool) if _is_later(memory, found.get(memory.id))}
    return [found[id_] for id_ in sorted(found)]


def _is_later(memory: Memory, other: Memory | None) -> bool:
    return other is None or memory.seq > other.seq


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
