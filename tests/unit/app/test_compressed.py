"""What another memory stands for stays out of a recall until it is asked for, and each of the two ways by itself."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from reveried.domain.consolidating.policy import ConsolidationPolicy
from reveried.domain.events import MemorySuperseded
from unit.app.asker import Asker, asker, configured

ONE_KEPT = replace(configured(), consolidation=ConsolidationPolicy(sessions_kept=1, sessions_at_once=1))
QUERY = "lighthouse keeper"


async def lived(asks: Asker) -> dict[str, int]:
    """An old session that an account tells by now; of what was said in it one was superseded before."""
    told = {"kind": "activity", "session_id": "old", "tags": ["sea"]}
    found = {
        "original": await asks.store("Walked to the lighthouse and met its keeper.", **told),
        "superseded": await asks.store("The lighthouse keeper is called Ben.", tags=["sea"]),
        "newer": await asks.store("Since May somebody else looks after the lamp.", tags=["sea"]),
    }
    await asks.life.tell(MemorySuperseded(by=found["newer"], reason="newer"), subject=found["superseded"])
    asks.life.clock.pass_days(1)
    await asks.store("Sailed home.", kind="activity", session_id="new")
    assert (await asks.life.run("consolidate")).changed == {"sessions": 1, "told": 1}
    found["account"] = (await asks.life.memories())[found["original"]].compressed_into or 0
    await asks.embed(*found.values())
    return found


@pytest.mark.parametrize("narrowed", [{}, {"tags": ["sea"]}, {"since": 1}], ids=["everywhere", "by-tag", "by-time"])
async def test_originals_come_back_only_when_asked_and_what_was_superseded_only_with_all_that_was_replaced(
    tmp_path: Path, narrowed: dict[str, Any]
) -> None:
    async with asker(tmp_path, ONE_KEPT) as asks:
        found = await lived(asks)
        original, superseded = found["original"], found["superseded"]

        async def of_both(**how: bool) -> set[int]:
            ids = set(await asks.ids(QUERY, floor=0.0, limit=20, **narrowed, **how))
            assert narrowed.get("tags") or found["account"] in ids, "an account is found like any other memory"
            return ids & {original, superseded}

        assert await of_both() == set()
        assert await of_both(include_compressed=True) == {original}
        assert await of_both(include_replaced=True) == {original, superseded}
        assert await of_both(include_replaced=True, include_compressed=True) == {original, superseded}
        assert await of_both() == set(), "an answer kept for one of them is not given to another"


async def test_a_memory_that_is_compressed_and_superseded_counts_as_superseded(tmp_path: Path) -> None:
    async with asker(tmp_path, ONE_KEPT) as asks:
        found = await lived(asks)
        await asks.life.tell(MemorySuperseded(by=found["newer"], reason="newer"), subject=found["original"])
        asks.caller.written = asks.life.log.head
        for narrowed in ({}, {"tags": ["sea"]}):
            assert found["original"] not in await asks.ids(QUERY, include_compressed=True, floor=0.0, **narrowed)
            assert found["original"] in await asks.ids(QUERY, include_replaced=True, floor=0.0, **narrowed)
