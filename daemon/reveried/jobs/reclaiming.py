"""The state files brought to their smallest size while requests go on."""

from functools import partial

from reveried.jobs.work import Work
from reveried.log import database
from reveried.state.forgetting import size_of
from reveried.state.reclaim import Reclaiming, rewrite

LIVE, ARCHIVE = range(2)


async def reclaim(work: Work) -> int:
    """Free pages given back to the file system, a few at a time; returns their bytes."""
    before = _size(work)
    for place in (LIVE, ARCHIVE):
        step = partial(_step, work, Reclaiming(), place)
        while await work.writer.run(step):
            pass
    await _finish(work)
    return max(before - _size(work), 0)


def _step(work: Work, reclaiming: Reclaiming, place: int) -> bool:
    return reclaiming.step(work.writer.store.files[place])


async def packed(work: Work, limit: int) -> int:
    """No more is done than brings the live file below the limit; returns the bytes given back.

    Rows that left from all over the file leave gaps, but no free pages. Writing it anew closes them; readers go on,
    and writers wait for as long as copying it takes.
    """
    before = _size(work)
    if (await size_of(work.readers.live)).whole > limit:
        await reclaim(work)
    if (await size_of(work.readers.live)).whole > limit:
        await work.writer.run(lambda: rewrite(work.writer.store.files[LIVE]))
        await _finish(work)
    return max(before - _size(work), 0)


async def _finish(work: Work) -> None:
    """A file shrinks when its write-ahead log is folded into it, and no reader holds on to an old page."""
    # Most of it without asking anybody to wait; what is left then takes a moment.
    await work.writer.run(lambda: [database.checkpoint(db, "PASSIVE") for db in work.writer.store.files])
    async with work.readers.live.set_aside(), work.readers.archive.set_aside():
        await work.writer.run(lambda: [database.checkpoint(db, "TRUNCATE") for db in work.writer.store.files])


def _size(work: Work) -> int:
    paths = (work.directory.live, work.directory.archive)
    return sum(database.size(path) + database.wal_size(path) for path in paths)
