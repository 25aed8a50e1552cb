"""Links that leave as a copy, and those that come from elsewhere with the life they have had."""

from collections.abc import Sequence
from functools import partial

import msgspec

from reverie.protocol import requests as ask
from reverie.protocol.limits import MAX_BATCH
from reverie.protocol.results import LinkPage, LinksImported, StoredLink
from reveried.app.commands import Caller, Command, Step, View
from reveried.app.readers import Readers
from reveried.app.views import checked_limit, fitting
from reveried.app.writer import Writer
from reveried.domain.decide import UNCHANGED, Decision
from reveried.domain.events import Link, MemoryLinked
from reveried.domain.linking.kinds import Ends, checked_share, ends_of, known_kind
from reveried.errors import InvalidField
from reveried.ports import Clock
from reveried.state.link_reads import link_page, links_of
from reveried.state.links import LinkRow

HOWS = ("asked", "proposed", "verified", "recalled", "superseded", "refused")
_BEFORE_ALL = (-(1 << 62), 0, "")


class LinkCopies:
    def __init__(self, writer: Writer, readers: Readers, clock: Clock) -> None:
        self._writer = writer
        self._readers = readers
        self._clock = clock

    async def links(self, request: ask.Links, caller: Caller) -> LinkPage:
        limit, after = checked_limit(request.limit), _position(request.after)
        await self._readers.complete()
        rows = await link_page(self._readers.live, caller.namespace, after, limit)
        views = fitting([_stored(row) for row in rows])
        more = len(rows) == limit or len(views) < len(rows)
        last = views[-1] if views and more else None
        return LinkPage(links=views, next=None if last is None else f"{last.a}:{last.b}:{last.kind}")

    async def import_links(self, request: ask.ImportLinks, caller: Caller) -> LinksImported:
        """One event for each memory and how its links came to be. What is here already, and as firm, stays as it is."""
        if not 1 <= len(request.links) <= MAX_BATCH:
            raise InvalidField(f"{len(request.links)} links; a batch holds 1 to {MAX_BATCH}", field="links")
        await self._readers.up_to_date(caller)
        rows = await links_of(self._readers.live, [one.a for one in request.links], refused=True)
        # What another namespace holds is as good as absent.
        here = {row.ends: row for row in rows if row.namespace == caller.namespace}
        report = LinksImported(linked=0, unchanged=0, rejected=0)
        groups: dict[tuple[int, str], list[Link]] = {}
        for one in request.links:
            try:
                ends, link = _arrived(one, self._clock.now())
            except InvalidField as error:
                report.rejected += 1
                report.notes.append(error.message)
                continue
            if ends in here and _says_as_much(here[ends], one):
                report.unchanged += 1
            else:
                groups.setdefault((ends.a, one.how), []).append(link)
        await self._import(groups, caller, report)
        return report

    async def _import(self, groups: dict[tuple[int, str], list[Link]], caller: Caller, report: LinksImported) -> None:
        if not groups:
            return
        steps = tuple(
            Step(decide=partial(_imported, memory, how, tuple(links), caller.namespace, report))
            for (memory, how), links in groups.items()
        )
        outcomes = await self._writer.submit(Command(namespace=caller.namespace, actor=caller.actor, steps=steps))
        caller.written = max(caller.written, *(outcome.seq for outcome in outcomes))


def _imported(
    memory: int, how: str, links: Sequence[Link], namespace: str, report: LinksImported, view: View
) -> Decision:
    def here(id_: int) -> bool:
        known = view.get(id_)
        return known is not None and known.namespace == namespace

    kept = tuple(link for link in links if here(memory) and here(link.to) and link.to != memory)
    report.linked += len(kept)
    report.rejected += len(links) - len(kept)
    if not kept:
        return Decision(outcome=UNCHANGED, subject=memory)
    return Decision(outcome="linked", subject=memory, events=(MemoryLinked(links=kept, how=how),))


def _arrived(one: ask.LinkArrival, now: int) -> tuple[Ends, Link]:
    known_kind(one.kind)
    if one.how not in HOWS:
        raise InvalidField(f"how {one.how[:64]!r} is not known", field="how", hint=", ".join(HOWS))
    if min(one.tags, one.entities, one.together, one.affirmed) < 0:
        raise InvalidField("a count is negative", field="together")
    cosine = one.cosine if one.cosine is None or -1.0 <= one.cosine <= 1.0 else None
    ends = ends_of(one.a, one.b, one.kind)
    return ends, Link(
        to=ends.b,
        kind=ends.kind,
        weight=checked_share("weight", one.weight),
        confidence=checked_share("confidence", one.confidence),
        tags=one.tags,
        entities=one.entities,
        cosine=cosine,
        created_at=_past(one.created_at, now),
        verified_at=_past(one.verified_at, now),
        together=one.together,
        affirmed=one.affirmed,
    )


def _past(moment: int | None, now: int) -> int | None:
    return None if moment is None else min(moment, now)


def _says_as_much(row: LinkRow, one: ask.LinkArrival) -> bool:
    began = one.created_at in (None, row.created_at)
    return began and row.how == one.how and row.together >= one.together and row.affirmed >= one.affirmed


def _stored(row: LinkRow) -> StoredLink:
    return StoredLink(**{name: getattr(row, name) for name in StoredLink.__struct_fields__})


def _position(after: str | None) -> tuple[int, int, str]:
    if after is None:
        return _BEFORE_ALL
    try:
        a, b, kind = after.split(":")
        return msgspec.convert(int(a), ask.Number), msgspec.convert(int(b), ask.Number), kind
    except ValueError:  # msgspec.ValidationError is one
        raise InvalidField("after is not one of ours", field="after", hint="pass on the `next` of a page") from None
