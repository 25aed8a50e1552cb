"""The vectors of memories, made of their words as they are now, in small batches.

What was embedded before is found by the hash of its text. A text that ends the model's process is left out, and named.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from reveried.app.readers import Readers
from reveried.app.semantics import Semantics
from reveried.domain.memory import Memory
from reveried.domain.recalling.embedded import IN_CONTEXT, EmbeddedText, texts_of
from reveried.embed.errors import TextsRefused
from reveried.state.gist_reads import neighbours
from reveried.state.reads import by_ids
from reveried.state.vectors import Embedded

TEXTS_A_BATCH = 8
BATCH_DEADLINE = 60.0
_log = logging.getLogger(__name__)

# What is done after a batch that took so many seconds, before the next one begins.
Between = Callable[[float], Awaitable[None]]


async def _at_once(_: float) -> None:
    return


class Making:
    def __init__(self, semantics: Semantics, readers: Readers) -> None:
        self._semantics = semantics
        self._readers = readers

    async def vectors_of(self, model: str, ids: Sequence[int], between: Between = _at_once) -> list[Embedded]:
        """The vectors of these memories, and of their successors, which are embedded together with them."""
        wanted = await self._texts(ids)
        hashes = {text.hash: text.text for _, _, texts in wanted for text in texts}
        vectors = await asyncio.to_thread(self._semantics.store.known, model, hashes)
        vectors |= self._semantics.made.take(hash_ for hash_ in hashes if hash_ not in vectors)
        # Texts of like length share a batch: the model reads every text of one as if it were its longest.
        missing = sorted((hash_ for hash_ in hashes if hash_ not in vectors), key=lambda hash_: len(hashes[hash_]))
        clock = asyncio.get_running_loop().time
        for start in range(0, len(missing), TEXTS_A_BATCH):
            began = clock()
            vectors |= await self._made({hash_: hashes[hash_] for hash_ in missing[start : start + TEXTS_A_BATCH]})
            await between(clock() - began)
        whole = [one for one in wanted if all(text.hash in vectors for text in one[2])]
        self._leave_out({memory.id for memory, _, _ in wanted} - {memory.id for memory, _, _ in whole})
        return [
            Embedded(memory.id, memory.namespace, text.role, text.hash, vectors[text.hash], _beside(text, before))
            for memory, before, texts in whole
            for text in texts
        ]

    async def _made(self, texts: dict[bytes, str]) -> dict[bytes, bytes]:
        """The vectors of a batch, or of those of its texts that can be embedded at all."""
        try:
            made = await self._semantics.embedder.embed(list(texts.values()), BATCH_DEADLINE)
            return dict(zip(texts, made, strict=True))
        except TextsRefused:
            if len(texts) == 1:
                return {}
        found: dict[bytes, bytes] = {}
        for hash_, text in texts.items():
            found |= await self._made({hash_: text})
        return found

    def _leave_out(self, memories: set[int]) -> None:
        self._semantics.backlog.left_out |= memories
        if memories:
            _log.error("left without vectors, since their words end the model's process: %s", sorted(memories))

    async def _texts(self, ids: Sequence[int]) -> list[tuple[Memory, int | None, list[EmbeddedText]]]:
        """Each memory with its predecessor's number, where it has one, and its texts."""
        around = await self._readers.live.run(lambda db: neighbours(db, ids))
        after = {following[0] for _, following in around.values() if following}
        around |= await self._readers.live.run(lambda db: neighbours(db, sorted(after)))
        before = {id_: earlier[0] for id_, (earlier, _) in around.items() if earlier}
        known = {memory.id: memory for memory in await self._records({*ids, *after, *before.values()})}
        return [
            (known[id_], before.get(id_), texts_of(known[id_], known.get(before.get(id_, 0))))
            for id_ in sorted({*ids, *after})
            if id_ in known
        ]

    async def _records(self, ids: set[int]) -> list[Memory]:
        live = await by_ids(self._readers.live, sorted(ids))
        return live + await by_ids(self._readers.archive, sorted(ids - {memory.id for memory in live}))


def _beside(text: EmbeddedText, before: int | None) -> int | None:
    return before if text.role == IN_CONTEXT else None
