"""Long texts come in, and are cut into memories, now and then only in part before a kill."""

from typing import Any

from modelled.documents import BETWEEN, Document
from modelled.things import DAY
from reverie.protocol import requests as ask
from reveried.reactors import chunking
from simulating.commands import TAGS, TEXTS
from simulating.narratives import Narratives
from simulating.stage import NAMESPACES

# Or a text would have to be long to be half cut.
chunking.BATCH = 2
PARTS = (*TEXTS, *(f"The {who} sold {number}." for who in ("keeper", "harbour") for number in (7, 12)))


class Documents(Narratives):
    async def _ingest_text(self) -> None:
        luck, now = self._luck, self._clock.now()
        parts = luck.sample(PARTS, luck.randrange(1, 6))
        if self._model.documents and luck.random() < 0.2:
            parts = luck.choice(list(self._model.documents.values())).parts
        tags = luck.choice(([], [luck.choice(TAGS)]))
        text = Document(0, luck.choice(NAMESPACES), parts, "agent", tags, now - luck.randrange(3) * DAY)
        request = ask.Ingest(id=0, text=BETWEEN.join(parts), tags=tags, created_at=text.born, wait="stored")
        caller = self._caller(text.namespace)

        async def write(key: str) -> Any:
            request.key = key
            return (await self._ingest.ingest(request, caller),)

        told, text.id = await self._written(write)
        expected = self._model.take_in(text, now)
        assert (told, text.id) == expected, f"ingest: {told} {text.id}, not {expected}"

    async def _cut(self) -> None:
        unfinished = [(id_, text.namespace) for id_, text in self._model.documents.items() if not text.done]
        fault = self._luck.choice((None, None, "before", "after"))
        self._arm(fault, self._luck.randrange(4))
        whole = True
        for id_, namespace in unfinished:
            if whole:  # or the daemon is gone by now
                await self._chunking._finish(id_, namespace)
                whole = fault is None or "_transaction" in vars(self._life.log)
        self._disarm()
        if not whole:
            await self._reopened(lambda path: None)
        for id_, _ in unfinished:
            await self._cut_up_to(id_, whole=whole)

    async def _cut_up_to(self, id_: int, *, whole: bool) -> None:
        place = (self._model.documents[id_].namespace, f"document:{id_}/*")
        rows = await self._life.readers.log.fetch(
            "SELECT key, seq FROM events WHERE namespace = ? AND key GLOB ?", place
        )
        known = {key.partition("/")[2]: seq for key, seq in rows}
        ended = known.pop("end", None) is not None
        assert ended or not whole
        if known or ended:
            self._model.cut(id_, [known[str(number)] for number in range(len(known))], self._clock.now(), ended=ended)
