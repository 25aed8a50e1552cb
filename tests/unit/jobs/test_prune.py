"""Making room: the run archives whom the dry run named, the file shrinks below its limit, and nothing is lost."""

import random
from pathlib import Path

import pytest

from reveried.config.schema import Config
from reveried.domain.events import MemoryPinned, MemoryRecalled, MemoryReinforced, MemoryRestored, MemoryTagged
from reveried.domain.forgetting.pruning import PrunePolicy
from reveried.domain.memory import LIVE_STATES
from reveried.log import database
from reveried.state.forgetting import size_of
from reveried.state.vectors import Embedded
from unit.domain.histories import stored
from unit.jobs.living import Life, Turned, life

LIMIT = 600_000
POLICY = PrunePolicy(max_size="600KB")
CONFIG = Config(prune=POLICY)
WORDS = ("harbour", "ledger", "meadow", "copper", "lantern", "orchard", "signal", "velvet", "winter", "thistle")


def text(dice: random.Random, number: int) -> str:
    length = dice.choice((4, 15, 15, 60, 400))
    return f"{number} " + " ".join(dice.choice(WORDS) + str(dice.randrange(300)) for _ in range(length))


async def lived_in(living: Life, dice: random.Random, number: int) -> None:
    """Short and long memories, some with much beside their words, affirmed and read without any pattern."""
    for start in range(0, number, 100):
        drafts = [
            stored(
                text(dice, start + n),
                created_at=living.clock.now(),
                metadata={"note": "x" * dice.choice((0, 0, 0, 500))},
                tags_manual=dice.choice(((), (), ("kept", "by hand"))),
            )
            for n in range(100)
        ]
        await living.tell(*drafts)
        living.clock.pass_days(dice.random())
    for id_ in dice.sample(sorted(await living.memories()), number // 2):
        await living.tell(MemoryReinforced(amount=dice.choice((3, 3, -1))), subject=id_)
    for id_ in dice.sample(sorted(await living.memories()), number // 20):
        await living.tell(MemoryPinned(), subject=id_)
    for _ in range(number):
        ids = tuple(dice.sample(sorted(await living.memories()), 5)) if dice.random() < 0.01 else ()
        await living.tell(MemoryRecalled(query="anything", ids=ids, profile="adaptive"))


@pytest.mark.parametrize("seed", range(4))
async def test_any_store_fits_after_one_run_which_archives_whom_the_dry_run_named(tmp_path: Path, seed: int) -> None:
    dice = random.Random(seed)
    async with life(tmp_path, Turned(), CONFIG) as living:
        await lived_in(living, dice, dice.choice((400, 700, 1_000)))
        await living.run("maintain")
        before, size = await living.memories(), database.size(living.directory.live)
        assert size > LIMIT
        named = {change.id for change in (await living.run("prune", dry_run=True)).changes}
        done = await living.run("prune")
        after = await living.memories()
        assert {id_ for id_ in after if after[id_].state == "archived"} == named
        assert done.changed["archived"] == len(named)
        assert set(before) == set(after)
        assert not any(before[id_].pinned for id_ in named)
        assert 0.6 * LIMIT < (await size_of(living.readers.live)).used <= LIMIT
        assert database.size(living.directory.live) <= LIMIT
        assert done.notes[1:] == []
        assert (await living.run("prune")).changed == {}
        assert await living.equals_its_replay()


async def test_half_empty_pages_alone_archive_nobody_a_second_time(tmp_path: Path) -> None:
    """Every second row leaves by hand: the file keeps its pages until they are packed anew."""
    async with life(tmp_path, Turned(), CONFIG) as living:
        ids = [await living.remember(f"{number} {'some words ' * 60}") for number in range(500)]
        await living.run("prune")
        once = await living.memories()
        assert {memory.state for memory in once.values()} == {"active", "archived"}
        for id_ in ids[::2]:
            if once[id_].state == "active":
                await living.tell(MemoryTagged(tags=("odd",)), subject=id_)
        await living.run("prune")
        twice = await living.memories()
        assert {id_: memory.state for id_, memory in once.items()} == {id_: m.state for id_, m in twice.items()}


async def test_a_store_of_pinned_memories_is_left_as_it_is_and_the_run_says_so(tmp_path: Path) -> None:
    async with life(tmp_path, Turned(), CONFIG) as living:
        for number in range(400):
            await living.remember(f"{number} {'some words ' * 100}", pinned=True)
        done = await living.run("prune")
        assert "archived" not in done.changed
        assert "the next run goes on" in done.notes[-1]
        assert {memory.state for memory in (await living.memories()).values()} <= set(LIVE_STATES)


async def test_what_comes_back_from_pruning_is_as_it_was(tmp_path: Path) -> None:
    async with life(tmp_path, Turned(), CONFIG) as living:
        for number in range(500):
            await living.remember(
                f"{number} {'some words ' * 60}", tags_auto=("auto",), metadata={"n": number}, session_id="s"
            )
        before = await living.memories()
        await living.run("prune")
        archived = [id_ for id_, memory in (await living.memories()).items() if memory.state == "archived"]
        for id_ in archived:
            await living.tell(MemoryRestored(), subject=id_)
        after = await living.memories()
        for name in ("content", "title", "tags_auto", "tags_manual", "metadata", "session_id", "created_at", "score"):
            assert [getattr(after[id_], name) for id_ in archived] == [getattr(before[id_], name) for id_ in archived]
        assert {after[id_].state for id_ in archived} == {"active"}
        assert await living.equals_its_replay()


async def test_pruning_leaves_vectors_where_they_are(tmp_path: Path) -> None:
    """Meaning is looked up by id and filtered by file: whoever comes back needs no new vector."""
    async with life(tmp_path, Turned(), CONFIG) as living:
        ids = [await living.remember(f"{number} {'some words ' * 60}") for number in range(400)]
        rows = [Embedded(id_, "default", 0, str(id_).encode(), bytes(16)) for id_ in ids]
        living.vectors.write("model", living.log.head, ids, rows)
        before = list(living.vectors.load("model", "default"))
        assert (await living.run("prune")).changed["archived"] > 0
        assert list(living.vectors.load("model", "default")) == before
