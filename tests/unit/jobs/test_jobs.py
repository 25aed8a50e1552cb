"""What jobs do to a living store: exactly what they said they would, and never more than they may."""

import asyncio
from pathlib import Path

import pytest
from msgspec.structs import replace

from reveried.config.schema import Config
from reveried.domain.consolidating.policy import ConsolidationPolicy
from reveried.domain.events import (
    ConflictDetected,
    ConflictResolved,
    MemoryDeleted,
    MemoryErased,
    MemoryPinned,
    MemoryRecalled,
    MemoryTransitioned,
)
from reveried.domain.forgetting.lifecycle import LifecyclePolicy
from reveried.domain.forgetting.pruning import PrunePolicy
from reveried.domain.forgetting.units import last_affirmed_at, last_used_at
from reveried.jobs import applying
from reveried.log import database
from reveried.state.forgetting import pages, size_of
from unit.jobs.living import BEGAN, DAY, Life, Turned, life
from unit.state.test_documents import document

KINDS = ("fact", "event", "plan", "context", "ephemeral", "activity")
# Tags are looked over a few at a time, and have tests of their own.
UNTAGGED = Config(consolidation=ConsolidationPolicy(tags_after=36_500.0))
FULL = Config(forgetting=LifecyclePolicy(mode="full"))


def ids(changes: list) -> set[int]:
    return {change.id for change in changes}


async def fill(living: Life, number: int, words: str = "words") -> list[int]:
    return [await living.remember(f"{words} {i}", kind=KINDS[i % len(KINDS)]) for i in range(number)]


async def heartbeat(living: Life, days: int) -> None:
    """A daemon that is on: time passes, and the log with it."""
    for _ in range(days):
        living.clock.pass_days(1)
        await living.tell(MemoryRecalled(query="anything", ids=(), profile="hebbian"))


@pytest.mark.parametrize("job", ["decay", "sleep"])
async def test_a_run_changes_exactly_what_its_dry_run_named(tmp_path: Path, job: str) -> None:
    async with life(tmp_path, Turned(), UNTAGGED) as living:
        await fill(living, 60)
        await heartbeat(living, 60)
        named = await living.run(job, dry_run=True)
        before = await living.memories()
        await living.run(job)
        after = await living.memories()
        assert ids(named.changes) == {id_ for id_ in before if before[id_].seq != after[id_].seq} != set()
        for change in named.changes:
            assert getattr(after[change.id], change.what) == change.after
        assert (await living.run(job, dry_run=True)).changes == []
        assert await living.equals_its_replay()


async def test_the_columns_read_are_what_the_records_say(tmp_path: Path) -> None:
    async with life(tmp_path, Turned()) as living:
        for id_ in await fill(living, 12):
            living.clock.pass_days(0.5)
            await living.tell(MemoryRecalled(query="q", ids=(id_,), profile="hebbian"))
        records = await living.memories()
        (page,) = [page async for page in pages(living.readers.live)]
        for row, id_ in enumerate(page.columns.id.tolist()):
            assert page.columns.used_at[row] == last_used_at(records[id_])
            assert page.columns.affirmed_at[row] == last_affirmed_at(records[id_])


@pytest.mark.parametrize("job", ["decay", "sleep"])
async def test_a_document_does_not_fade_but_its_chunks_do(tmp_path: Path, job: str) -> None:
    async with life(tmp_path, Turned(), FULL) as living:
        parent = await living.tell(document(created_at=living.clock.now()))
        chunk = await living.remember("a chunk", kind="ephemeral", parent_id=parent, chunk_index=0)
        await heartbeat(living, 60)
        await living.run(job)
        found = await living.memories()
        assert found[parent].state == "active"
        assert (found[chunk].state, found[chunk].tier) != ("active", "hot")
        assert await living.equals_its_replay()


async def test_what_was_pinned_after_the_plan_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with life(tmp_path, Turned()) as living:
        first, second = await living.remember("one", kind="ephemeral"), await living.remember("two", kind="ephemeral")
        living.clock.pass_days(5)
        running = asyncio.ensure_future(living.run("decay"))
        await living.tell(MemoryPinned(), subject=first)
        await running
        after = await living.memories()
        assert (after[first].state, after[second].state) == ("active", "stale")


async def test_a_minute_of_the_schedule_is_never_run_twice(tmp_path: Path) -> None:
    async with life(tmp_path, Turned()) as living:
        assert await living.runner.run("decay", reason="schedule", scheduled=BEGAN) is not None
        assert await living.runner.run("decay", reason="schedule", scheduled=BEGAN) is None
    async with life(tmp_path, Turned()) as living:
        assert await living.runner.run("decay", reason="missed", scheduled=BEGAN) is None
        assert len(await living.runs()) == 1


async def test_the_deleted_are_erased_after_their_days(tmp_path: Path) -> None:
    async with life(tmp_path, Turned()) as living:
        kept, gone = await living.remember("stays here"), await living.remember("vanishing words")
        await living.tell(MemoryDeleted(), subject=gone)
        await heartbeat(living, 89)
        assert (await living.run("purge", dry_run=True)).changes == []
        await heartbeat(living, 2)
        await living.run("snapshot")
        assert (await living.run("purge")).changed == {"purged": 1}
        assert set(await living.memories()) == {kept}
        assert len(await living.events(MemoryErased)) == 1
        files = [path for path in living.directory.path.rglob("*") if path.is_file() and ".db" in path.name]
        assert len([path for path in files if path.parent == living.directory.backups]) == 1
        assert [path.name for path in files if b"vanishing words" in path.read_bytes()] == []
        assert await living.equals_its_replay()


async def test_a_leap_of_the_clock_deletes_nothing_for_a_day(tmp_path: Path) -> None:
    async with life(tmp_path, Turned(), FULL) as living:
        await fill(living, 12)
        gone = await living.remember("deleted by hand")
        await living.tell(MemoryDeleted(), subject=gone)
        await heartbeat(living, 3)
        living.clock.pass_days(3650)
        assert (await living.run("purge")).changed == {}
        assert "deleted" not in (await living.run("decay")).changed
        assert "clock" in living.runner.warnings()[0]
        assert (await living.memories())[gone].state == "deleted"
        await heartbeat(living, 2)
        assert (await living.run("purge")).changed == {"purged": 1}
        assert living.runner.warnings() == []


async def test_what_expires_ends_its_conflicts_as_what_is_deleted_does(tmp_path: Path) -> None:
    async with life(tmp_path, Turned()) as living:
        ids = [await living.remember(f"note {number}", expires_at=BEGAN + DAY) for number in range(2)]
        stays = await living.remember("stays here")
        for known in (stays, ids[0]):
            told = ConflictDetected(against=known, rule="negation", confidence=0.6, mode="ask", outcome="flagged")
            await living.tell(told, subject=ids[1])
        await heartbeat(living, 2)
        await living.run("decay")
        assert {memory.conflicts for memory in (await living.memories()).values()} == {()}
        ended = [event.conflict for event in await living.events(ConflictResolved)]
        assert len(ended) == len(set(ended)) == 2
        assert await living.equals_its_replay()


@pytest.mark.parametrize(
    ("mode", "states"),
    [
        ("archive", {"fades": "archived", "expires": "deleted", "pinned": "active"}),
        ("full", {"fades": "deleted", "expires": "deleted", "pinned": "active"}),
        ("never", {"fades": "active", "expires": "deleted", "pinned": "active"}),
    ],
)
async def test_fading_goes_as_far_as_its_mode_says_and_an_expiry_deletes_in_every_mode(
    tmp_path: Path, mode: str, states: dict[str, str]
) -> None:
    config = Config(forgetting=LifecyclePolicy(mode=mode))  # type: ignore[arg-type]
    async with life(tmp_path, Turned(), config) as living:
        ids = {
            "fades": await living.remember("fades", kind="ephemeral"),
            "expires": await living.remember("expires", kind="identity", expires_at=BEGAN + DAY),
            "pinned": await living.remember("pinned", kind="ephemeral", pinned=True, expires_at=BEGAN + DAY),
        }
        await heartbeat(living, 1)
        await living.run("decay")
        assert (await living.memories())[ids["expires"]].state == "deleted"
        for _ in range(20):
            await heartbeat(living, 1)
            await living.run("decay")
        after = await living.memories()
        assert {name: after[id_].state for name, id_ in ids.items()} == states
        reasons = {id_: event.reason for event in await living.events(MemoryTransitioned) for id_ in event.ids}
        assert reasons[ids["expires"]] == "expired"


async def test_a_clock_set_back_a_day_changes_nothing_and_runs_no_minute_again(tmp_path: Path) -> None:
    async with life(tmp_path, Turned()) as living:
        await fill(living, 30)
        await heartbeat(living, 60)
        minute = living.clock.now() // 60_000_000 * 60_000_000
        assert await living.runner.run("decay", reason="schedule", scheduled=minute) is not None
        before = await living.memories()
        living.clock.pass_days(-1)
        for job in ("decay", "sleep", "purge"):
            assert (await living.run(job, dry_run=True)).changes == [] or job == "sleep"
        assert (await living.run("decay")).changed == {}
        assert await living.memories() == before
        living.clock.pass_days(1)
        assert await living.runner.run("decay", reason="missed", scheduled=minute) is None
        assert await living.equals_its_replay()


async def test_a_leap_of_ten_years_is_named_and_archives_what_can_come_back(tmp_path: Path) -> None:
    async with life(tmp_path, Turned(), FULL) as living:
        expiring = await living.remember("expires soon", expires_at=BEGAN + 5 * DAY)
        ids = await fill(living, 12)
        await heartbeat(living, 2)
        living.clock.pass_days(3650)
        done = await living.run("decay")
        assert "3650 days" in done.notes[0]
        assert "clock may be wrong" in done.notes[0]
        states = {id_: memory.state for id_, memory in (await living.memories()).items()}
        assert "deleted" not in states.values()
        assert states[expiring] == "active"
        assert set(states) == {expiring, *ids}


async def test_whoever_looks_on_sees_how_far_a_run_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(applying, "BATCH", 5)
    async with life(tmp_path, Turned()) as living:
        for number in range(40):
            await living.remember(f"words {number}", kind="ephemeral")
        living.clock.pass_days(5)
        running = asyncio.ensure_future(living.run("decay"))
        seen = set()
        while not running.done():
            await living.writer.run(lambda: None)
            seen.add((living.runner.advance.done, living.runner.advance.total))
        assert {total for done, total in seen if done} == {40}
        assert len({done for done, _ in seen}) > 2
        assert max(seen) == (40, 40)


async def test_pruning_brings_a_store_under_its_limit_and_loses_nothing(tmp_path: Path) -> None:
    limit = Config(prune=PrunePolicy(max_size="1500KB"))
    async with life(tmp_path, Turned(), limit) as living:
        await fill(living, 1500, "some words that fill the room of a page and more, " * 12)
        pinned = await living.remember("the oldest and least affirmed, yet pinned", pinned=True)
        before = await living.memories()
        assert (await size_of(living.readers.live)).used > 1_500_000
        await living.run("maintain")
        size = database.size(living.directory.live)
        named = await living.run("prune", dry_run=True)
        done = await living.run("prune")
        after = await living.memories()
        archived = {id_ for id_ in after if after[id_].state == "archived"}
        assert archived == ids(named.changes) != set()
        assert done.changed["archived"] == len(archived)
        assert set(before) == set(after)
        assert pinned not in archived
        assert database.size(living.directory.live) <= 1_500_000 < size
        assert (await living.run("prune")).changed == {}
        assert await living.equals_its_replay()


async def test_a_job_cut_off_in_the_middle_is_completed_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(applying, "BATCH", 3)
    clock = Turned()
    async with life(tmp_path, clock) as living:
        await fill(living, 60)
        clock.pass_days(150)
        planned = ids((await living.run("decay", dry_run=True)).changes)
        cut = asyncio.ensure_future(living.runner.run("decay", reason="schedule", scheduled=clock.now()))
        while not await living.events(MemoryTransitioned):
            continue  # each look is a turn of the writer, between two commands of the job
        cut.cancel()
        await asyncio.gather(cut, return_exceptions=True)
        assert await living.equals_its_replay()
        left = ids((await living.run("decay", dry_run=True)).changes)
        assert set() < left < planned
    async with life(tmp_path, clock) as living:
        assert await living.runner.run("decay", reason="missed", scheduled=clock.now()) is not None
        assert (await living.run("decay", dry_run=True)).changes == []
        assert await living.equals_its_replay()


async def test_snapshots_are_kept_to_their_number(tmp_path: Path) -> None:
    config = Config()
    config = replace(config, jobs=replace(config.jobs, keep_snapshots=2))
    async with life(tmp_path, Turned(), config) as living:
        for _ in range(4):
            await heartbeat(living, 1)
            await living.run("snapshot")
        assert len(list(living.directory.backups.glob("log-*.db"))) == 2


async def test_a_job_that_fails_is_written_down_and_ends_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with life(tmp_path, Turned()) as living:
        monkeypatch.setattr(living.readers.live, "path", None)
        living.settings.current = replace(Config(), jobs=replace(Config().jobs, keep_snapshots="many"))  # type: ignore[arg-type]
        ran = await living.runner.run("snapshot", reason="asked")
        assert ran is not None
        assert "TypeError" in ran.failed
        assert [run.failed for run in await living.runs()] == [ran.failed]


async def test_a_year_of_use_forgets_what_nobody_needs_and_nothing_else(tmp_path: Path) -> None:
    """2,000 memories: some pinned, some in weekly use, most never looked at again."""
    async with life(tmp_path, Turned(), FULL) as living:
        told = await fill(living, 2_000)
        pinned, used = told[:20], told[100:140]
        for id_ in pinned:
            await living.tell(MemoryPinned(), subject=id_)
        for day in range(1, 366):
            living.clock.pass_days(1)
            if day % 2 == 0:
                await living.tell(MemoryRecalled(query="daily", ids=tuple(used), profile="hebbian"))
            if day % 3 == 0:
                await living.run("decay")
            if day % 7 == 0:
                for job in ("sleep", "purge"):
                    await living.run(job)
        after = await living.memories()
        assert {after[id_].state for id_ in (*pinned, *used)} == {"active"}
        forgotten = set(told) - set(after)
        explained = {id_ for event in await living.events(MemoryTransitioned) for id_ in event.ids if event.reason}
        assert forgotten <= explained
        assert {id_ for id_, memory in after.items() if memory.state != "active"} <= explained
        assert forgotten
        assert {memory.state for memory in after.values()} >= {"active", "archived"}
        assert await living.equals_its_replay()
