"""Several namespaces searched at once are ordered as if they were one."""

import numpy as np
import pytest

from reveried.vectors.similarities import Joined
from unit.vectors.points import EXACT, World, clustered, point


def test_namespaces_searched_together_give_what_one_would_give() -> None:
    vectors, query = clustered(500), clustered(1, seed=4)[0]
    whole, parts = World(**EXACT), [World(**EXACT) for _ in range(3)]
    for id_, vector in enumerate(vectors, 1):
        whole.put([point(id_, vector)])
        parts[id_ % 7 % 3].put([point(id_, vector)])
    joined = Joined([part.space.similarities(query.tobytes()) for part in parts])
    one = whole.space.similarities(query.tobytes())
    assert len(joined) == 500
    assert joined.nearest(40) == one.nearest(40)
    assert joined.nearest(400) == one.nearest(400)
    assert joined.among(range(1, 90), 5) == one.among(range(1, 90), 5)
    assert joined.of([3, 4, 900]) == one.of([3, 4, 900])
    assert (joined.usual.mean, joined.usual.deviation) == pytest.approx((one.usual.mean, one.usual.deviation), abs=1e-5)
    assert joined.usual.deviation == pytest.approx(float(np.std(vectors @ query)), abs=1e-5)
