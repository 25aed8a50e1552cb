"""How things came to be: the events of one memory, and of everything."""

from collections.abc import AsyncIterator

import msgspec

from reverie.protocol.requests import Events, History, RawEvents
from reverie.protocol.results import EventPage, EventView, RawEvent, RawEventPage
from reveried.app.commands import Caller
from reveried.app.progress import Progress
from reveried.app.readers import Readers
from reveried.app.views import checked_limit, fitting
from reveried.domain.decide import required
from reveried.log.reads import Entry, by_numbers, page, page_within, raw_page
from reveried.state import history as versions

# Events and bytes that are read at once for a subscriber.
FOLLOW_PAGE, FOLLOW_BYTES = 200, 262_144


class Histories:
    def __init__(self, readers: Readers, progress: Progress) -> None:
        self._readers = readers
        self._progress = progress

    async def history(self, request: History, caller: Caller) -> EventPage:
        limit = checked_limit(request.limit)
        await self._readers.up_to_date(caller)
        rows = await self._readers.live.fetch(versions.PAGE, (request.memory, request.after, limit))
        entries = await by_numbers(self._readers.log, caller.namespace, [seq for (seq,) in rows]) if rows else []
        if not entries and not request.after:
            required(None, request.memory, caller.namespace)
        return _page(entries, limit)

    async def events(self, request: Events, caller: Caller) -> EventPage:
        limit = checked_limit(request.limit)
        return _page(await page(self._readers.log, caller.namespace, request.after, limit), limit)

    async def raw(self, request: RawEvents, caller: Caller) -> RawEventPage:
        """Every namespace's, for there is one chain."""
        limit = checked_limit(request.limit)
        found = await raw_page(self._readers.log, request.after, limit)
        views = fitting([RawEvent(**msgspec.structs.asdict(row)) for row in found])
        more = len(found) == limit or len(views) < len(found)
        return RawEventPage(events=views, next=views[-1].seq if views and more else None)

    async def follow(self, caller: Caller, after: int) -> AsyncIterator[EventView]:
        """Every event after that number, then each new one as it happens. Nothing is buffered: the log is read."""
        while True:
            head = self._progress.head
            entries = await page_within(self._readers.log, caller.namespace, after, FOLLOW_PAGE, FOLLOW_BYTES)
            for entry in entries:
                yield _view(entry)
                after = entry.seq
            if not entries or after >= head:
                # Up to this head there is nothing more for this namespace, however much others wrote.
                after = max(after, head)
                await self._progress.beyond(after)


def _view(entry: Entry) -> EventView:
    return EventView(
        seq=entry.seq,
        at=entry.at,
        type=entry.type,
        namespace=entry.namespace,
        subject=entry.subject,
        actor=entry.actor,
        payload=entry.payload,
    )


def _page(entries: list[Entry], limit: int) -> EventPage:
    views = fitting([_view(entry) for entry in entries])
    more = len(entries) == limit or len(views) < len(entries)
    return EventPage(events=views, next=views[-1].seq if views and more else None)
