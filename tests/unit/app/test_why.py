"""Why a memory is, or is not, an answer: the first rule that kept it out, in words."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from reverie.protocol import requests as ask
from reverie.protocol.results import WhyReport
from reveried.app.commands import Caller
from reveried.domain.events import MemoryRecalled
from reveried.errors import NotFound
from unit.app.asker import Asker, asker, configured


@pytest.fixture
async def known(tmp_path: Path) -> AsyncIterator[Asker]:
    async with asker(tmp_path) as asking:
        for content in ("Ada drinks tea", "Ben drinks coffee", "Cleo drinks tea with milk", "the moon is far"):
            await asking.store(content)
        await asking.embed(1, 2, 3, 4)
        yield asking


async def why(known: Asker, query: str, memory: int, limit: int | None = None) -> WhyReport:
    return await known.recalls.why(ask.Why(id=0, query=query, memory=memory, limit=limit), known.caller)


async def test_an_answer_is_said_to_be_one_with_everything_behind_it(known: Asker) -> None:
    report = await why(known, "who drinks tea", 1)
    (found,) = [one for one in (await known.recall("who drinks tea", explain=True)).memories if one.id == 1]
    assert (report.returned, report.reason, report.rank) == (True, "it is among the answers", found.rank)
    assert (report.signals, report.contributions) == (found.signals, found.contributions)
    assert sum(report.contributions.values()) == pytest.approx(found.score)
    assert report.semantic
    assert set(report.parts) >= {"words", "meaning"}


async def test_asking_why_is_no_access(known: Asker) -> None:
    await why(known, "tea", 1)
    await known.settle()
    assert await known.life.events(MemoryRecalled) == []


async def test_the_archived_and_the_deleted_are_named(known: Asker) -> None:
    await known.written(known.feedback.archive(ask.Archive(id=0, memory=1), known.caller))
    await known.written(known.feedback.delete(ask.Delete(id=0, memory=3), known.caller))
    assert "it is archived" in (await why(known, "tea", 1)).reason
    assert "it is deleted" in (await why(known, "tea", 3)).reason


async def test_whoever_took_its_place_is_named(known: Asker) -> None:
    await known.written(known.feedback.supersede(ask.Supersede(id=0, old=1, new=3), known.caller))
    report = await why(known, "tea", 1)
    assert (report.returned, report.reason, report.rank) == (False, "[id:3] took its place", None)


async def test_below_the_floor_it_is_silence_and_its_place_is_told_all_the_same(known: Asker) -> None:
    known.life.settings.current = configured(floor=1.0)
    report = await why(known, "does Ada drink water from the well", 1)
    assert (report.returned, report.rank, report.floor) == (False, 1, 1.0)
    assert "below the floor" in report.reason
    assert report.signals
    assert await known.ids("does Ada drink water from the well") == []


async def test_what_came_too_late_is_told_its_place(known: Asker) -> None:
    reports = [await why(known, "who drinks tea", memory, limit=1) for memory in (1, 3)]
    (late,) = [report for report in reports if not report.returned]
    assert late.rank is not None
    assert late.rank > 1
    assert late.reason == f"it came in place {late.rank}, and the answer was full before: 1 memories, 2000 tokens"


async def test_a_memory_of_another_namespace_is_not_found(known: Asker) -> None:
    with pytest.raises(NotFound):
        await known.recalls.why(ask.Why(id=0, query="tea", memory=1), Caller("other", "tests"))
    with pytest.raises(NotFound):
        await why(known, "tea", 999)
