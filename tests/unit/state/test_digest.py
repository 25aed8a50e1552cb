"""Equal digests mean equal tables: whatever is changed in them changes the digest."""

import pytest

from reveried.state.catalog import ARCHIVED, LIVE
from unit.domain.histories import TEXTS, Act
from unit.state.workspace import workspace


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("live", "UPDATE memories SET score = score + 1 WHERE id = 2"),
        ("live", "UPDATE memories SET metadata = '{\"a\":1}' WHERE id = 2"),
        ("live", "DELETE FROM memories WHERE id = 2"),
        ("live", "DELETE FROM tags WHERE memory_id = 2"),
        ("live", "DELETE FROM history WHERE seq = 1"),
        ("live", "INSERT INTO fulltext(rowid, content) VALUES (2, 'phantom')"),
        ("live", "INSERT INTO fulltext_pairs(rowid, pairs) VALUES (2, 'phantom')"),
        ("archive", "UPDATE memories SET seq = 9"),
        ("archive", "DELETE FROM tags"),
    ],
)
def test_any_change_of_a_table_changes_the_digest(file: str, change: str) -> None:
    with workspace() as space:
        space.live_through([Act("store"), Act("store", text=TEXTS[2]), Act("archive", 0)])
        before = space.digest()
        (space.store._live if file == "live" else space.store._archive).execute(change)
        assert space.digest() != before


def test_every_table_of_a_projection_is_part_of_the_digest() -> None:
    queries = " ".join(query for one in (*LIVE, *ARCHIVED) for query in one.digest_queries)
    for table in ("memories", "tags", "history", "fulltext_terms", "fulltext_pair_terms"):
        assert f"FROM {table}" in queries or f"FROM temp.{table}" in queries
