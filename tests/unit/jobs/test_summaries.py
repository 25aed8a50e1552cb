"""Sleep gives a summary to every memory that is long enough for one, and to no other."""

from pathlib import Path

from reveried.config.schema import Config
from reveried.domain.consolidating.policy import ConsolidationPolicy
from reveried.domain.events import MemorySummarised
from reveried.jobs.runner import Ran
from unit.domain.histories import reworded
from unit.jobs.living import Turned, life

LONG = " ".join(f"On day {number} we sailed past the lighthouse once more." for number in range(1, 9))
UNTAGGED = ConsolidationPolicy(tags_after=36_500.0)


def summaries_in(ran: Ran) -> list[tuple[int, str]]:
    return [(change.id, change.after) for change in ran.changes if change.what == "summary"]


async def test_what_is_long_and_has_no_summary_gets_its_first_sentences(tmp_path: Path) -> None:
    async with life(tmp_path, Turned(), Config(consolidation=UNTAGGED)) as living:
        long, told = await living.remember(LONG), await living.remember(f"{LONG} Then home.", summary="We sailed.")
        short = await living.remember("A single sentence that is long enough to be looked at by the job.")
        named = summaries_in(await living.run("sleep", dry_run=True))
        assert named == [(long, "by extractive")]
        assert await living.events(MemorySummarised) == [], "a dry run writes nothing"
        ran = await living.run("sleep")
        assert (summaries_in(ran), ran.changed["summarised"]) == (named, 1)
        after = await living.memories()
        assert LONG.startswith(after[long].summary or "none")
        assert (after[told].summary, after[short].summary) == ("We sailed.", None)
        assert [event.by for event in await living.events(MemorySummarised)] == ["extractive"]
        assert summaries_in(await living.run("sleep", dry_run=True)) == []
        assert await living.equals_its_replay()


async def test_a_memory_that_was_reworded_is_summed_up_anew(tmp_path: Path) -> None:
    async with life(tmp_path, Turned(), Config(consolidation=UNTAGGED)) as living:
        id_ = await living.remember(f"Before. {LONG}", summary="Before.")
        await living.tell(reworded(LONG), subject=id_)
        assert summaries_in(await living.run("sleep")) == [(id_, "by extractive")]
        assert ((await living.memories())[id_].summary or "").startswith("On day 1")


async def test_a_few_are_written_at_a_time(tmp_path: Path) -> None:
    two = Config(consolidation=ConsolidationPolicy(summaries_at_once=2, tags_after=36_500.0))
    async with life(tmp_path, Turned(), two) as living:
        ids = [await living.remember(f"{LONG} And so on {number}.") for number in range(5)]
        seen = [[id_ for id_, _ in summaries_in(await living.run("sleep"))] for _ in range(4)]
        assert seen == [ids[:2], ids[2:4], ids[4:], []]
