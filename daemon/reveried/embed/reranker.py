"""The cross-encoder, in a worker process of its own. Absent, cold or late, it costs an answer its wait and no more."""

import asyncio
from collections.abc import Sequence
from importlib.util import find_spec

import msgspec

from reveried.embed.errors import EmbedderUnavailable, ModelRefused
from reveried.embed.manifest import manifest_of
from reveried.embed.process import WorkerEmbedder
from reveried.embed.resolve import Model, named, places


class Reranker:
    def __init__(self) -> None:
        self._wanted = ""
        self._choosing: asyncio.Task[WorkerEmbedder] | None = None
        self._problem = ""

    def problem(self, name: str) -> str:
        """Why the last one who wanted this model had to do without it."""
        return self._problem if name and name == self._wanted else ""

    async def scores(self, name: str, query: str, texts: Sequence[str], wait: float, idle: float) -> list[float]:
        """How well each text answers the query, between 0 and 1, or `EmbedderUnavailable` within the wait."""
        try:
            scores = await self._scores(name, query, texts, wait, idle)
        except EmbedderUnavailable as unavailable:
            self._problem = unavailable.message
            raise
        self._problem = ""
        return scores

    async def _scores(self, name: str, query: str, texts: Sequence[str], wait: float, idle: float) -> list[float]:
        try:
            async with asyncio.timeout(wait):
                worker = await self._worker(name, idle)
                answers = await worker.embed([query, *texts], wait, urgent=True)
        except TimeoutError:
            raise EmbedderUnavailable(f"the cross-encoder {name} is starting or busy") from None
        except (ModelRefused, OSError) as refused:
            raise EmbedderUnavailable(f"there is no cross-encoder: {refused}") from refused
        return [float(memoryview(answer).cast("f")[0]) for answer in answers]

    def reconsider(self) -> None:
        """The configuration was read again: a model that was refused may have been mended."""
        if self._is_refused():
            self._wanted = ""

    async def close(self) -> None:
        choosing, self._choosing, self._wanted = self._choosing, None, ""
        await _closed(choosing)

    async def _worker(self, name: str, idle: float) -> WorkerEmbedder:
        choosing = self._choosing
        if choosing is None or name != self._wanted or (choosing.done() and choosing.exception() is not None):
            # In place before anything is awaited: whoever asks at the same time gets this one too.
            old, self._wanted = choosing, name
            choosing = self._choosing = asyncio.create_task(asyncio.to_thread(_chosen, name, idle))
            await _closed(old)
        return await asyncio.shield(choosing)

    def _is_refused(self) -> bool:
        choosing = self._choosing
        if choosing is None or not choosing.done() or choosing.exception() is not None:
            return False
        return choosing.result().condition.state == "failed"


async def _closed(choosing: "asyncio.Task[WorkerEmbedder] | None") -> None:
    if choosing is not None:
        (worker,) = await asyncio.gather(choosing, return_exceptions=True)
        if isinstance(worker, WorkerEmbedder):
            await worker.close()


def _chosen(name: str, idle: float) -> WorkerEmbedder:
    if find_spec("sentence_transformers") is None:
        raise ModelRefused("sentence-transformers is not installed (`pip install 'reverie[semantic]'`)")
    found = places(name)
    if not found:
        raise ModelRefused(f"no model {name!r} on this machine (`reverie model pull {name}`)")
    manifest = msgspec.structs.replace(manifest_of(found[0], named(name, found[0])), dimension=1)
    return WorkerEmbedder(Model(manifest, "cross-encoder", str(found[0])), idle)
