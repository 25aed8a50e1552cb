"""The embedder that a configuration asks for, or one that says why there is none."""

from collections.abc import Sequence

from reveried.embed.errors import EmbedderUnavailable
from reveried.embed.policy import EmbeddingPolicy
from reveried.embed.process import WorkerEmbedder
from reveried.embed.resolve import Missing, resolve
from reveried.ports import Embedder, EmbedderCondition


class NoEmbedder:
    """Stands where there is no model: everything is refused at once, with the reason."""

    id, dimension, scripts = "", 0, "all"

    def __init__(self, missing: Missing, state: str = "none") -> None:
        self.condition = EmbedderCondition(
            state=state, reason=missing.reason, runtime="none", model="", restarts=0, mend=missing.mend
        )

    def warm(self) -> None:
        return

    async def embed(self, texts: Sequence[str], deadline: float, *, urgent: bool = False) -> list[bytes]:
        raise EmbedderUnavailable(self.condition.reason)

    async def close(self) -> None:
        return


def embedder_for(policy: EmbeddingPolicy) -> Embedder:
    """What the configuration asks for, or the reason why it cannot be had. It may read large files."""
    found = resolve(policy)
    return NoEmbedder(found) if isinstance(found, Missing) else WorkerEmbedder(found, policy.idle)
