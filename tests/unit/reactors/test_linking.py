"""Behind every store, what shares something is linked; after a kill nothing is linked twice."""

import asyncio
from pathlib import Path

from msgspec.structs import replace

from reveried.domain.events import MemoryLinked
from reveried.domain.linking.policy import LinksPolicy
from reveried.reactors.enrich import READER
from unit.reactors.test_enrich import PATIENT, Bench, Letters, running

LINKED = replace(PATIENT, links=LinksPolicy())
WORDS = ("Ada Lovelace prefers oolong tea", "Ada Lovelace wrote the first program")


async def linked(bench: Bench, count: int) -> list[tuple[int, MemoryLinked]]:
    """Wait until so many memories were linked; the reactor says nothing when it is done."""
    async with asyncio.timeout(30):
        while True:
            await bench.writer.run(lambda: None)
            found = [(one.subject or 0, one.event) for one in bench.log.read(0) if isinstance(one.event, MemoryLinked)]
            if len(found) >= count:
                return found
            await bench.progress.beyond(bench.log.head)


async def test_without_a_model_shared_names_and_tags_make_a_link(tmp_path: Path) -> None:
    async with running(tmp_path, Letters(""), LINKED) as bench:
        first = await bench.store(WORDS[0], entities=("Ada Lovelace",), tags_auto=("people",))  # type: ignore[arg-type]
        second = await bench.store(WORDS[1], entities=("Ada Lovelace",), tags_auto=("people",))  # type: ignore[arg-type]
        ((subject, event),) = await linked(bench, 1)
        (link,) = event.links
        assert (subject, link.to, link.kind, event.how) == (second.id, first.id, "related_to", "proposed")
        assert (link.tags, link.entities, link.cosine) == (1, 1, None)
        assert link.weight == round(0.1 + 0.4 / 3, 4)


async def test_with_a_model_meaning_is_weighed_too(tmp_path: Path) -> None:
    async with running(tmp_path, Letters(), LINKED) as bench:
        for text in ("An otter swims past the mill", "Quick zinc boxes: jumpy fuzz"):  # of different letters
            assert (await bench.store(text, tags_auto=("river", "story"))).outcome == "stored"  # type: ignore[arg-type]
        ((_, event),) = await linked(bench, 1)
        assert event.links[0].cosine is not None
        assert event.links[0].confidence == event.links[0].weight


async def test_reading_everything_again_links_nothing_twice(tmp_path: Path) -> None:
    async with running(tmp_path, Letters(""), LINKED) as bench:
        for text in WORDS:
            await bench.store(text, tags_auto=("people", "history"))  # type: ignore[arg-type]
        await linked(bench, 1)
        before = bench.types()
        bench.vectors.note_read(READER, 0)
    async with running(tmp_path, Letters(""), LINKED) as bench:
        await bench.store("An otter swims past the mill")
        assert bench.types() == [*before, "memory.stored"]
