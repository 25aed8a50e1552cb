"""Sleep links what nobody looked at, doubts what is weak, forgets what has faded; and links slow forgetting down."""

from pathlib import Path

from reveried.app.edges import edge_rule
from reveried.domain.events import Link, MemoryLinked, MemoryRecalled, MemoryReviewed, MemoryUnlinked
from reveried.jobs.runner import Ran
from reveried.jobs.steps import tiers
from reveried.state.forgetting import Linked, pages
from reveried.state.link_reads import degrees_of, links_of
from unit.jobs.living import Life, Turned, life

TAGS = {"tags_auto": ("tea", "kitchen", "china")}


def links_in(ran: Ran) -> list[tuple[int, str, str]]:
    return [(change.id, change.before, change.after) for change in ran.changes if change.what == "link"]


async def kinds(living: Life, id_: int) -> list[str]:
    await living.writer.projected(living.log.head)
    return [row.kind for row in await links_of(living.readers.live, [id_])]


async def test_a_dry_run_names_the_links_that_a_run_makes(tmp_path: Path) -> None:
    async with life(tmp_path, Turned()) as living:
        one, other = [await living.remember(text, **TAGS) for text in ("green cups", "blue bowls")]
        await living.remember("an otter swims")
        dry = links_in(await living.run("sleep", dry_run=True))
        assert dry == [(one, "unlinked", f"related_to [id:{other}]")]
        assert await living.events(MemoryLinked) == []
        ran = await living.run("sleep")
        assert (links_in(ran), ran.changed["linked"]) == (dry, 1)
        assert await kinds(living, other) == ["related_to"]
        assert links_in(await living.run("sleep", dry_run=True)) == []
        assert await living.equals_its_replay()


async def test_who_was_looked_at_in_vain_is_not_looked_at_again_until_it_changes(tmp_path: Path) -> None:
    async with life(tmp_path, Turned()) as living:
        lonely = await living.remember("an otter swims")
        await living.run("sleep")
        await living.run("sleep")
        assert await living.events(MemoryReviewed) == [MemoryReviewed(ids=(lonely,), what="links")]


async def test_a_weak_link_that_nothing_verifies_is_removed_after_a_week(tmp_path: Path) -> None:
    clock = Turned()
    async with life(tmp_path, clock) as living:
        ids = [await living.remember(text) for text in ("green cups", "blue bowls", "red plates")]
        weak = MemoryLinked(links=(Link(to=ids[0], kind="related_to", weight=0.1, confidence=0.3),), how="proposed")
        firm = MemoryLinked(links=(Link(to=ids[0], kind="related_to", weight=0.5, confidence=0.5),), how="proposed")
        await living.tell(weak, subject=ids[1])
        await living.tell(firm, subject=ids[2])
        clock.pass_days(6.9)
        assert links_in(await living.run("sleep")) == []
        clock.pass_days(0.2)
        dry = links_in(await living.run("sleep", dry_run=True))
        assert dry == [(ids[0], f"related_to [id:{ids[1]}]", "removed")]
        assert links_in(await living.run("sleep")) == dry
        assert await kinds(living, ids[1]) == []
        assert await kinds(living, ids[2]) == ["related_to"]
        assert await living.equals_its_replay()


async def test_a_weak_link_stays_while_it_is_used_or_the_evidence_has_grown(tmp_path: Path) -> None:
    clock = Turned()
    async with life(tmp_path, clock) as living:
        used = [await living.remember(text) for text in ("green cups", "blue bowls")]
        grown = [await living.remember(text, **TAGS) for text in ("red plates", "old forks")]
        for pair in (used, grown):
            weak = MemoryLinked(
                links=(Link(to=pair[0], kind="related_to", weight=0.1, confidence=0.1),), how="proposed"
            )
            await living.tell(weak, subject=pair[1])
        clock.pass_days(5)
        await living.tell(MemoryRecalled(query="q", ids=tuple(used), profile="p"))
        clock.pass_days(3)
        ran = await living.run("sleep")
        assert ran.changed.get("unlinked") is None
        assert ran.changed["verified"] == 1
        assert "related_to" in await kinds(living, used[0])


async def test_having_been_recalled_together_is_forgotten_when_it_has_faded(tmp_path: Path) -> None:
    clock = Turned()
    async with life(tmp_path, clock) as living:
        ids = [await living.remember(text) for text in ("green cups", "blue bowls")]
        await living.tell(MemoryRecalled(query="q", ids=tuple(ids), profile="p"))
        clock.pass_days(59)
        assert links_in(await living.run("sleep")) == []
        clock.pass_days(2)
        dry = links_in(await living.run("sleep", dry_run=True))
        assert dry == [(ids[0], f"co_recalled [id:{ids[1]}]", "removed")]
        assert links_in(await living.run("sleep")) == dry
        assert [event.reason for event in await living.events(MemoryUnlinked)] == ["faded"]
        assert await kinds(living, ids[0]) == []


async def test_links_slow_fading_and_columns_count_as_records_do(tmp_path: Path) -> None:
    clock = Turned()
    async with life(tmp_path, clock) as living:
        alone, hub, *rest = [await living.remember(f"note {n}", kind="context") for n in range(6)]
        links = tuple(Link(to=id_, kind="references") for id_ in rest)
        await living.tell(MemoryLinked(links=links, how="asked"), subject=hub)
        clock.pass_days(26)
        plan = {change.id for change in (await living.run("decay", dry_run=True)).changes}
        assert alone in plan
        assert hub not in plan
        ran = await living.run("decay")
        assert {change.id for change in ran.changes} == plan
        assert ran.changed["stale"] == len(plan)
        rule = edge_rule(clock.now(), living.settings.current)
        (page,) = [page async for page in pages(living.readers.live, linked=Linked(living.readers.live, rule))]
        known = await degrees_of(living.readers.live, [alone, hub, *rest], rule)
        counted = dict(zip(page.columns.id.tolist(), page.columns.edges.tolist(), strict=True))
        assert counted == {alone: 0, hub: 4, **dict.fromkeys(rest, 1)}
        assert counted == {id_: known[id_].edges if id_ in known else 0 for id_ in counted}


async def test_recent_links_keep_a_memory_hot_and_a_recall_or_two_do_not(tmp_path: Path) -> None:
    clock = Turned()
    async with life(tmp_path, clock) as living:
        hub, *rest = [await living.remember(f"note {n}", kind="context") for n in range(5)]
        await living.tell(MemoryRecalled(query="q", ids=(rest[0], rest[1]), profile="p"))
        clock.pass_days(20)
        links = tuple(Link(to=id_, kind="references") for id_ in rest[2:])
        await living.tell(MemoryLinked(links=links, how="asked"), subject=hub)
        changes = (await living.run("sleep")).changes
        moves = {change.id: (change.after, change.reason) for change in changes if change.what == "tier"}
        assert hub not in moves
        assert moves[rest[0]] == ("warm", "moderate_priority") or moves[rest[0]][0] == "warm"


async def test_links_that_a_sleep_makes_do_not_undo_the_moves_that_it_named(tmp_path: Path) -> None:
    clock = Turned()
    async with life(tmp_path, clock) as living:
        hub, *rest = [await living.remember(f"note {n}", kind="context") for n in range(3)]
        clock.pass_days(12)
        await living.remember("an otter swims")
        work = await living.runner._prepared(clock.now())
        plan = await tiers.STEP.plan(work)
        assert (hub, "warm") in {(change.id, change.after) for change in plan.changes}
        links = tuple(Link(to=id_, kind="related_to") for id_ in rest)
        await living.tell(MemoryLinked(links=links, how="proposed"), subject=hub)
        await living.writer.projected(living.log.head)
        assert (await tiers.STEP.carry_out(work, plan)).changed == {"warm": 3}
