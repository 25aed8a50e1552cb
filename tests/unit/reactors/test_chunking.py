"""What becomes of a text after it was received, however the clock goes on."""

from pathlib import Path

import pytest

from reverie.protocol import requests as ask
from reveried.app.chunks import Chunks
from reveried.app.commands import Caller
from reveried.app.ingest import Ingest
from reveried.app.remember import Remember
from reveried.domain.events import ChunkDiscarded
from reveried.reactors.chunking import Chunking
from unit.jobs.living import Turned, life


@pytest.mark.parametrize("days", [0, 1, -1])
async def test_a_chunk_is_kept_with_the_time_of_its_text_whatever_the_clock_says_when_it_is_cut(
    days: int, tmp_path: Path
) -> None:
    clock, chunks = Turned(), Chunks()
    async with life(tmp_path, clock) as living:
        remember = Remember(living.writer, clock, living.settings.get)
        ingest = Ingest(living.writer, living.readers, chunks, clock, living.settings.get)
        chunking = Chunking(living.semantics, living.readers, living.writer, remember, chunks, living.settings.get)
        said_at = clock.now()
        request = ask.Ingest(id=0, text="The harbour sleeps.", wait="stored")
        await ingest.ingest(request, Caller("default", "tests"))
        clock.pass_days(days)
        await chunking._turn()
        assert await living.events(ChunkDiscarded) == []
        assert [one.created_at for one in (await living.memories()).values()] == [said_at, said_at]
