"""Where things stand, told again and again: each narrative is a link of its namespace's chain and is never changed."""

import asyncio
from collections.abc import Callable

import msgspec

from reverie.protocol import requests as ask
from reverie.protocol.results import NarrativePage, NarrativeView
from reveried.app.commands import Caller, Command, Outcomes, Step, View
from reveried.app.readers import Readers
from reveried.app.remember import fingerprint
from reveried.app.views import checked_limit, fitting
from reveried.app.writer import Writer
from reveried.config.schema import Config
from reveried.domain import decide, drafts
from reveried.domain.decide import Decision
from reveried.domain.drafting import Redactor
from reveried.domain.events import NarrativeWritten
from reveried.domain.understanding.cleaning import clean
from reveried.domain.understanding.trust import instruction_in
from reveried.domain.understanding.words import read
from reveried.errors import InvalidField
from reveried.state.narratives import NarrativeRow, chain

MAX_MEMORIES = 1_000


class Narratives:
    def __init__(self, writer: Writer, readers: Readers, config: Callable[[], Config]) -> None:
        self._writer = writer
        self._readers = readers
        self._config = config

    def add(self, request: ask.NarrativeAdd, caller: Caller) -> "asyncio.Future[Outcomes]":
        mark = fingerprint(msgspec.structs.replace(request, id=0, key=None))
        told = self._checked(request, mark)

        def decision(view: View) -> Decision:
            for id_ in told.memories:
                decide.required(view.get(id_), id_, caller.namespace)
            previous = view.latest_narrative(caller.namespace)
            return Decision(
                outcome="written", events=(msgspec.structs.replace(told, previous=previous),), notes=told.notes
            )

        step = Step(decide=decision, key=request.key, fingerprint=mark)
        return self._writer.submit(Command(namespace=caller.namespace, actor=caller.actor, steps=(step,)))

    def _checked(self, request: ask.NarrativeAdd, mark: str) -> NarrativeWritten:
        config = self._config()
        text = clean(drafts.checked_content(request.summary, config.content, field="summary"))
        if len(request.memories) > MAX_MEMORIES:
            raise InvalidField(f"{len(request.memories)} memories; the limit is {MAX_MEMORIES}", field="memories")
        safe = Redactor(config.understanding)
        summary = safe.text(text) or text
        topic = safe.text(drafts.checked_length("topic", request.topic.strip(), drafts.MAX_NAME)) or ""
        sign = instruction_in(read(f"{topic}\n{summary}"))
        return NarrativeWritten(
            summary=summary,
            topic=topic,
            memories=tuple(dict.fromkeys(request.memories)),
            trust="low" if sign else "normal",
            notes=(*safe.notes, *((f"low_trust:{sign}",) if sign else ())),
            request=mark,
        )

    async def walk(self, request: ask.Narratives, caller: Caller) -> NarrativePage:
        """The newest first; of an erased one the place is shown, so that the chain can be followed past it."""
        limit = checked_limit(request.limit)
        # Whoever takes up where things stood is rarely the one who wrote it down.
        await self._readers.complete()
        rows = await chain(self._readers.live, caller.namespace, request.before, request.topic, limit)
        views = fitting([_view(row) for row in rows])
        more = len(rows) == limit or len(views) < len(rows)
        return NarrativePage(narratives=views, next=views[-1].id if views and more else None)


def _view(row: NarrativeRow) -> NarrativeView:
    return NarrativeView(
        id=row.id,
        at=row.at,
        summary=row.summary,
        topic=row.topic,
        memories=list(row.memories),
        previous=row.previous,
        trust=row.trust,
        erased=row.erased,
    )
