"""An answer can bring along what it is linked to, marked as such, and links may count in its order."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from reveried.config.schema import Config
from reveried.domain.events import Link, MemoryAccessed, MemoryLinked, MemoryRecalled
from unit.app.asker import Asker, asker, configured


async def with_a_link(asking: Asker, **fields: str) -> tuple[int, int, int]:
    tea = await asking.store("Ada drinks oolong tea at four")
    cups = await asking.store("The porcelain stands on the upper shelf", **fields)
    other = await asking.store("An otter swims past the mill")
    fact = MemoryLinked(links=(Link(to=cups, kind="references", weight=0.6),), how="asked")
    await asking.life.tell(fact, subject=tea)
    await asking.settle()
    return tea, cups, other


async def test_neighbours_come_after_what_was_found_and_say_why(tmp_path: Path) -> None:
    async with asker(tmp_path) as asking:
        tea, cups, _ = await with_a_link(asking)
        assert await asking.ids("oolong tea") == [tea]
        answer = await asking.recall("oolong tea", expand_links=True)
        first, second = answer.memories
        assert (first.id, first.linked_to) == (tea, None)
        assert (second.id, second.linked_to, second.link, second.rank) == (cups, tea, "references", 2)
        assert second.score == pytest.approx(0.6 * first.score)
        assert answer.total_tokens == first.tokens + second.tokens


async def test_a_neighbour_must_pass_the_filters_and_fit_the_budget(tmp_path: Path) -> None:
    async with asker(tmp_path) as asking:
        tea, cups, _ = await with_a_link(asking, kind="event")
        assert await asking.ids("oolong tea", expand_links=True, kinds=["event"]) != [tea, cups]
        tokens = (await asking.recall("oolong tea")).total_tokens
        assert await asking.ids("oolong tea", expand_links=True, token_budget=tokens + 1) == [tea]


async def test_following_a_link_is_access_but_not_being_recalled_together(tmp_path: Path) -> None:
    async with asker(tmp_path) as asking:
        tea, cups, _ = await with_a_link(asking)
        await asking.recall("oolong tea", expand_links=True)
        await asking.settle()
        assert [event.ids for event in await asking.life.events(MemoryRecalled)] == [(tea,)]
        assert [event.ids for event in await asking.life.events(MemoryAccessed)] == [(cups,)]


async def test_a_profile_that_weighs_links_lifts_what_is_linked_to_the_best(tmp_path: Path) -> None:
    base = configured()
    linked: Config = replace(base, recall=replace(base.recall, profiles={"web": {"relevance": 0.1, "links": 1.0}}))
    async with asker(tmp_path, linked) as asking:
        best = await asking.store("green tea green tea")
        middle = await asking.store("tea from the mountain")
        last = await asking.store("tea and a long word about something else entirely")
        await asking.life.tell(MemoryLinked(links=(Link(to=last, kind="related_to"),), how="asked"), subject=best)
        await asking.settle()
        plain = await asking.ids("green tea", profile="relevance", floor=0.0)
        assert plain.index(last) > plain.index(middle)
        web = await asking.recall("green tea", profile="web", floor=0.0)
        ids = [memory.id for memory in web.memories]
        assert ids.index(last) < ids.index(middle)
        assert next(memory for memory in web.memories if memory.id == last).signals["links"] > 0.0
