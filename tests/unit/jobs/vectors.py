"""Vectors that a test chooses: each text has a direction, so that every cosine is known."""

from collections.abc import Sequence

import numpy as np

from reveried.domain.recalling.embedded import ITSELF, texts_of
from reveried.embed.errors import EmbedderUnavailable
from reveried.ports import EmbedderCondition
from reveried.state.vectors import Embedded
from unit.jobs.living import Life


class Chosen:
    """Stands for a model whose vectors are there already."""

    id, dimension, scripts = "chosen", 16, "all"
    condition = EmbedderCondition(state="ready", reason="", runtime="test", model="chosen", restarts=0)

    def warm(self) -> None:
        return

    async def embed(self, texts: Sequence[str], deadline: float, *, urgent: bool = False) -> list[bytes]:
        raise EmbedderUnavailable("only what a test chose")

    async def close(self) -> None:
        return


def towards(cosine: float, plane: int = 0) -> bytes:
    """A vector with this cosine to `towards(1)` of the same plane, and 0 to those of others."""
    vector = np.zeros(Chosen.dimension, np.float32)
    vector[2 * plane : 2 * plane + 2] = cosine, np.sqrt(1 - cosine * cosine)
    return vector.tobytes()


async def embedded(living: Life, vectors: dict[int, bytes]) -> None:
    memories = await living.memories()
    rows = [
        Embedded(id_, memories[id_].namespace, ITSELF, texts_of(memories[id_], None)[0].hash, vector)
        for id_, vector in vectors.items()
    ]
    living.vectors.write("chosen", living.log.head, list(vectors), rows)
