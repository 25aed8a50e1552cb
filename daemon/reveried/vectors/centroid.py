"""The middle of what a namespace holds, and how near a text is to it."""

from collections.abc import Sequence

import numpy as np

from reveried.vectors.matrix import Floats


class Centroid:
    def __init__(self, mean: Floats) -> None:
        length = float(np.linalg.norm(mean))
        self._direction = mean / length if length else mean

    def cosines(self, vectors: Sequence[bytes]) -> list[float]:
        return [float(np.frombuffer(vector, np.float32) @ self._direction) for vector in vectors]
