"""What is set below what is safe is said."""

import pytest

from reveried.domain.consolidating.policy import SAFE_SIMILARITY, ConsolidationPolicy


@pytest.mark.parametrize(
    ("compress", "similarity", "risky"),
    [(True, 0.88, False), (True, SAFE_SIMILARITY, False), (True, 0.79, True), (False, 0.79, False)],
)
def test_a_similarity_below_what_is_safe_is_risky_where_it_is_used(
    compress: bool, similarity: float, risky: bool
) -> None:
    policy = ConsolidationPolicy(compress=compress, similarity=similarity)
    assert bool(policy.warning) is risky
    assert not risky or "consolidation.similarity is 0.79" in policy.warning
