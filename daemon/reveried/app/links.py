"""What a caller says about links: two memories belong together, or they do not."""

import msgspec

from reverie.protocol import requests as ask
from reveried.app.commands import Caller, Command, Outcomes, Step, View
from reveried.app.readers import Readers
from reveried.app.remember import fingerprint
from reveried.app.writer import Writer
from reveried.domain import decide
from reveried.domain.decide import Decision
from reveried.domain.events import Link
from reveried.domain.linking import decisions
from reveried.domain.linking.kinds import checked_kind, checked_share, ends_of, known_kind
from reveried.state.link_reads import links_of
from reveried.state.links import LinkRow


class Links:
    def __init__(self, writer: Writer, readers: Readers) -> None:
        self._writer = writer
        self._readers = readers

    async def link(self, request: ask.Link, caller: Caller) -> Outcomes:
        wanted = Link(to=request.other, kind=checked_kind(request.kind), weight=checked_share("weight", request.weight))
        rows = await self._between(request.memory, request.other, caller)
        asked = [row.ends for row in rows if row.how == decisions.ASKED and row.weight == wanted.weight]
        mark = fingerprint(msgspec.structs.replace(request, id=0, key=None))

        def decision(view: View) -> Decision:
            pair = (request.memory, request.other)
            memory, other = (decide.required(view.get(id_), id_, caller.namespace) for id_ in pair)
            return decisions.link(memory, other, wanted, asked, mark)

        return await self._submit(Step(decide=decision, key=request.key, fingerprint=mark), caller)

    async def unlink(self, request: ask.Unlink, caller: Caller) -> Outcomes:
        rows = await self._between(request.memory, request.other, caller)
        known = [row.ends for row in rows]
        if request.kind is not None:
            known_kind(request.kind)
            known = [ends for ends in known if ends == ends_of(request.memory, request.other, request.kind)]
        mark = fingerprint(msgspec.structs.replace(request, id=0, key=None))

        def decision(view: View) -> Decision:
            memory = decide.required(view.get(request.memory), request.memory, caller.namespace)
            return decisions.unlink(memory, known, mark)

        return await self._submit(Step(decide=decision, key=request.key, fingerprint=mark), caller)

    async def _between(self, one: int, other: int, caller: Caller) -> list[LinkRow]:
        """What stands between the two as this caller sees it. A link that another makes meanwhile does no harm."""
        await self._readers.up_to_date(caller)
        rows = await links_of(self._readers.live, [one])
        return [row for row in rows if {row.a, row.b} == {one, other} and row.namespace == caller.namespace]

    async def _submit(self, step: Step, caller: Caller) -> Outcomes:
        return await self._writer.submit(Command(namespace=caller.namespace, actor=caller.actor, steps=(step,)))
