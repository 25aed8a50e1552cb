"""Taking in a text of any length: durable first, as one document. Its chunks follow by themselves."""

import asyncio
from collections.abc import Callable

import msgspec

from reverie.protocol import requests as ask
from reverie.protocol.results import Ingested, PartReceived
from reveried.app.chunks import Chunks
from reveried.app.commands import Caller, Command, Outcome, Step, View
from reveried.app.readers import Readers
from reveried.app.remember import fingerprint
from reveried.app.uploads import Uploads
from reveried.app.writer import Writer
from reveried.config.schema import Config
from reveried.domain import decide, documents
from reveried.errors import InvalidField
from reveried.ports import Clock
from reveried.state.documents import DocumentRow, arrived_document, document

# Shorter than any client's patience; one that wants to see the end asks again.
LONGEST_WAIT = 10.0


class Ingest:
    def __init__(
        self, writer: Writer, readers: Readers, chunks: Chunks, clock: Clock, config: Callable[[], Config]
    ) -> None:
        self._writer = writer
        self._readers = readers
        self._chunks = chunks
        self._clock = clock
        self._config = config
        self._uploads = Uploads()

    def part(self, request: ask.IngestPart, caller: Caller) -> PartReceived:
        most = self._config().ingest.max_length
        parts, length = self._uploads.add(caller.namespace, request.upload, request.part, request.text, most)
        return PartReceived(parts=parts, length=length)

    async def ingest(self, request: ask.Ingest, caller: Caller) -> Ingested:
        text = self._text(request, caller.namespace)
        step = await asyncio.to_thread(self._step, request, text, caller.namespace)
        (outcome,) = await self._writer.submit(Command(namespace=caller.namespace, actor=caller.actor, steps=(step,)))
        caller.written = max(caller.written, outcome.seq)
        if request.upload is not None:
            self._uploads.forget(caller.namespace, request.upload)
        self._chunks.arrived(outcome.id)
        if request.wait == "chunked":
            await self._chunks.beyond(outcome.id, None, LONGEST_WAIT)
        return await self._report(outcome, caller)

    async def ingested(self, request: ask.Ingested, caller: Caller) -> Ingested:
        await self._readers.up_to_date(caller)
        row = await self._row(request.document, caller.namespace)
        if not row.done:
            # It may wait behind others, or have stopped: asking for it brings it up again.
            self._chunks.arrived(row.id)
            await self._chunks.beyond(row.id, request.after, LONGEST_WAIT)
        return await self._report(Outcome(id=row.id, outcome="received", seq=row.id), caller)

    def _text(self, request: ask.Ingest, namespace: str) -> str:
        if request.upload is None:
            return request.text
        return self._uploads.whole(namespace, request.upload, request.parts) + request.text

    def _step(self, request: ask.Ingest, text: str, namespace: str) -> Step:
        config = self._config()
        said = msgspec.structs.replace(request, id=0, key=None, text="", upload=None, parts=0, wait="chunked")
        mark = fingerprint((said, documents.text_hash(text)))
        events = documents.received(
            request, text, config.content, config.understanding, config.ingest, self._clock.now(), mark
        )

        def decision(view: View) -> decide.Decision:
            return decide.receive_text(events, view.by_hash(namespace, events[0].text_hash))

        return Step(decide=decision, key=request.key, fingerprint=mark)

    async def _row(self, id_: int, namespace: str) -> DocumentRow:
        row = await document(self._readers.live, id_) or await arrived_document(self._readers.live, id_)
        if row is None or row.namespace != namespace:
            raise InvalidField(
                f"there is no document [id:{id_}] in namespace {namespace!r}",
                field="document",
                hint="`reverie list --kind document` shows what there is",
            )
        return row

    async def _report(self, outcome: Outcome, caller: Caller) -> Ingested:
        await self._readers.up_to_date(caller)
        row = await self._row(outcome.id, caller.namespace)
        now = self._chunks.of(row.id)
        return Ingested(
            id=row.id,
            outcome=outcome.outcome,
            seq=outcome.seq,
            repeated=outcome.repeated,
            done=row.done,
            handled=row.chunks if row.done else now.handled,
            chunks=row.chunks if row.done else now.total,
            stored=row.stored,
            duplicates=row.duplicates,
            discarded=row.discarded,
            notes=[*outcome.notes, *row.notes, *([f"stopped:{now.problem}"] if now.problem else [])],
        )
