"""The state files brought to their smallest size while requests go on."""

from reveried.jobs.work import Work
from reveried.log import database
from reveried.state.reclaim import Reclaiming


async def reclaim(work: Work) -> int:
    """Bytes given back to the file system."""
    before = _size(work)
    for db in work.writer.store.files:
        reclaiming = Reclaiming(db)
        while await work.writer.run(reclaiming.step):
            pass
    async with work.readers.live.set_aside(), work.readers.archive.set_aside():
        for db in work.writer.store.files:
            await work.writer.run(Reclaiming(db).finish)
    return max(before - _size(work), 0)


def _size(work: Work) -> int:
    paths = (work.directory.live, work.directory.archive)
    return sum(database.size(path) + database.wal_size(path) for path in paths)
