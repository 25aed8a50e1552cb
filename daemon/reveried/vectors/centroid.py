"""The middle of what a namespace holds, and how near a text is to it."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class Centroid:
    """Only its direction counts, so a total serves as well as a mean."""

    def __init__(self, total: NDArray[np.float64]) -> None:
        length = float(np.linalg.norm(total))
        self._direction = np.asarray(total / length if length else total, np.float32)

    def cosines(self, vectors: Sequence[bytes]) -> list[float]:
        return [float(np.frombuffer(vector, np.float32) @ self._direction) for vector in vectors]
