"""Sleep reads automatic tags off the words again: those long unseen, a few at a time, and never what a hand did."""

from pathlib import Path

from reverie.protocol.requests import Update
from reveried.app.commands import Caller
from reveried.app.remember import Remember
from reveried.config.schema import Config
from reveried.domain.consolidating.policy import ConsolidationPolicy
from reveried.domain.events import MemoryArchived, MemoryRetagged, MemoryReviewed, MemoryTagged, MemoryUntagged
from reveried.domain.linking.policy import LinksPolicy
from reveried.jobs.runner import Ran
from unit.jobs.living import Turned, life

TEXT = "The otter swims beneath the lighthouse"
TAGS = ("lighthouse", "beneath", "otter", "swims")
# Links are proposed by tags: who is tagged anew would be linked anew.
UNLINKED = Config(links=LinksPolicy(propose=False))


def tags_in(ran: Ran) -> list[tuple[int, str, str]]:
    return [(change.id, change.before, change.after) for change in ran.changes if change.what == "tags_auto"]


async def test_tags_are_looked_over_when_they_are_older_than_a_week(tmp_path: Path) -> None:
    async with life(tmp_path, Turned(), UNLINKED) as living:
        old = await living.remember(TEXT, tags_auto=("outdated",), tags_manual=("mine",))
        living.clock.pass_days(6.9)
        assert tags_in(await living.run("sleep")) == []
        living.clock.pass_days(0.2)
        await living.remember(TEXT + " today", tags_auto=("outdated",))
        named = tags_in(await living.run("sleep", dry_run=True))
        assert named == [(old, "outdated", " ".join(TAGS))]
        assert await living.events(MemoryRetagged) == [], "a dry run writes nothing"
        ran = await living.run("sleep")
        assert (tags_in(ran), ran.changed["retagged"]) == (named, 1)
        after = (await living.memories())[old]
        assert (after.tags_auto, after.tags_manual, after.tags_at) == (TAGS, ("mine",), living.clock.now())
        assert tags_in(await living.run("sleep", dry_run=True)) == []
        assert await living.equals_its_replay()


async def test_twenty_at_a_time_the_longest_unseen_first(tmp_path: Path) -> None:
    async with life(tmp_path, Turned(), UNLINKED) as living:
        ids = []
        for number in range(25):
            living.clock.pass_days(0.01)
            ids.append(await living.remember(f"{TEXT} {number}"))
        living.clock.pass_days(8)
        assert [id_ for id_, _, _ in tags_in(await living.run("sleep"))] == ids[:20]
        assert [id_ for id_, _, _ in tags_in(await living.run("sleep"))] == ids[20:]
        assert tags_in(await living.run("sleep")) == []


async def test_whose_tags_came_out_the_same_waits_another_week(tmp_path: Path) -> None:
    two = Config(links=LinksPolicy(propose=False), consolidation=ConsolidationPolicy(tags_at_once=2))
    async with life(tmp_path, Turned(), two) as living:
        same = [await living.remember(f"{TEXT} {number}", tags_auto=TAGS) for number in range(2)]
        other = await living.remember(TEXT, tags_auto=("outdated",))
        living.clock.pass_days(8)
        assert tags_in(await living.run("sleep")) == []
        assert MemoryReviewed(ids=tuple(same), what="tags") in await living.events(MemoryReviewed)
        assert [id_ for id_, _, _ in tags_in(await living.run("sleep"))] == [other], "it had its turn"
        reviewed = len(await living.events(MemoryReviewed))
        await living.run("sleep")
        assert len(await living.events(MemoryReviewed)) == reviewed
        assert await living.equals_its_replay()


async def test_a_tag_that_somebody_took_off_does_not_come_back_unless_a_hand_sets_it(tmp_path: Path) -> None:
    async with life(tmp_path, Turned(), UNLINKED) as living:
        id_ = await living.remember(TEXT, tags_auto=TAGS)
        await living.tell(MemoryUntagged(tags=("otter",)), subject=id_)
        for _ in range(2):
            living.clock.pass_days(8)
            assert tags_in(await living.run("sleep")) == []
        assert "otter" not in (await living.memories())[id_].tags
        await living.tell(MemoryTagged(tags=("otter",)), subject=id_)
        living.clock.pass_days(8)
        await living.run("sleep")
        after = (await living.memories())[id_]
        assert ("otter" in after.tags_manual, after.untagged) == (True, ())


async def test_who_is_out_of_the_way_is_left_as_it_is(tmp_path: Path) -> None:
    async with life(tmp_path, Turned(), UNLINKED) as living:
        archived = await living.remember(TEXT, tags_auto=("outdated",))
        await living.tell(MemoryArchived(reason="asked"), subject=archived)
        living.clock.pass_days(8)
        await living.run("sleep")
        assert (await living.memories())[archived].tags_auto == ("outdated",)


async def test_new_words_keep_the_tag_of_the_source_and_bring_none_back_that_was_taken_off(tmp_path: Path) -> None:
    async with life(tmp_path, Turned(), UNLINKED) as living:
        id_ = await living.remember(TEXT, source="upload", tags_auto=("upload", *TAGS))
        await living.tell(MemoryUntagged(tags=("otter",)), subject=id_)
        remember, caller = Remember(living.writer, living.clock, living.settings.get), Caller("default", "tests")
        await remember.update(Update(id=0, memory=id_, content=TEXT), caller)
        assert (await living.memories())[id_].tags_auto == ("upload", "lighthouse", "beneath", "swims")
        await remember.update(Update(id=0, memory=id_, content="An otter dives"), caller)
        assert (await living.memories())[id_].tags_auto == ("upload", "dives")
        living.clock.pass_days(8)
        assert tags_in(await living.run("sleep")) == []
