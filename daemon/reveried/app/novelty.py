"""How new the chunks of a document are to its namespace. Where that cannot be told, they count as new, and it says why.

They are held against what was known before the document came: its own chunks do not make it boring, and a run that
was interrupted judges like one that was not.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reveried.app.made import Made
from reveried.app.semantics import Semantics
from reveried.domain.recalling.embedded import pieces, text_hash
from reveried.domain.recalling.words import is_latin
from reveried.domain.understanding.worth import novelty_of
from reveried.embed.errors import EmbedderUnavailable
from reveried.ports import Embedder

if TYPE_CHECKING:
    from reveried.vectors.centroid import Centroid

BATCH = 8
DEADLINE = 60.0
NEW = 1.0


class Novelty:
    """`notes` collects how the chunks were judged."""

    def __init__(self, embedder: Embedder, centroid: "Centroid | None", made: Made) -> None:
        self._made = made
        self._embedder = embedder
        self._centroid = centroid
        self.notes: set[str] = set()

    @classmethod
    async def before(cls, semantics: Semantics, namespace: str, document: int) -> "Novelty":
        while True:
            version, embedder = semantics.version, semantics.embedder
            if embedder.condition.state == "looking":  # right after a start nobody knows yet which model there is
                await semantics.learned_since(version)
                continue
            centroid = await semantics.centroid(namespace, document) if embedder.id else None
            if embedder is semantics.embedder:  # what one model made says nothing to another
                return cls(embedder, centroid, semantics.made)

    async def of(self, texts: Sequence[str]) -> list[float]:
        if self._centroid is None:
            self.notes.add("novelty:nothing_to_compare" if self._embedder.id else "novelty:no_embedder")
            return [NEW] * len(texts)
        found = []
        for start in range(0, len(texts), BATCH):
            found += await self._of_batch(texts[start : start + BATCH], self._centroid)
        return found

    async def _of_batch(self, texts: Sequence[str], centroid: "Centroid") -> list[float]:
        readable = [self._embedder.scripts == "all" or is_latin(text) for text in texts]
        firsts = [pieces(text)[0] for text, reads in zip(texts, readable, strict=True) if reads]
        try:
            vectors = await self._embedder.embed(firsts, DEADLINE) if firsts else []
        except EmbedderUnavailable:
            self.notes.add("novelty:embedder_unavailable")
            return [NEW] * len(texts)
        for text, vector in zip(firsts, vectors, strict=True):
            self._made.keep(text_hash(text), vector)
        if firsts:
            self.notes.add("novelty:measured")
        if not all(readable):
            self.notes.add("novelty:unknown_script")
        cosines = iter(centroid.cosines(vectors))
        return [novelty_of(next(cosines)) if reads else NEW for reads in readable]
