"""Vectors that were made before their memory was stored: whoever embeds it then need not make them again."""

from collections import OrderedDict
from collections.abc import Iterable

# The chunks of a few commands; a vector takes a kilobyte and a half.
KEPT = 1_024


class Made:
    """By the hash of the text; of one model, so another model begins with none."""

    def __init__(self) -> None:
        self._vectors: OrderedDict[bytes, bytes] = OrderedDict()

    def keep(self, text: bytes, vector: bytes) -> None:
        self._vectors[text] = vector
        while len(self._vectors) > KEPT:
            self._vectors.popitem(last=False)

    def take(self, texts: Iterable[bytes]) -> dict[bytes, bytes]:
        """They are kept no longer: from here on they are in the file."""
        return {text: self._vectors.pop(text) for text in list(texts) if text in self._vectors}
