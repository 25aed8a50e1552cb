"""The reading side of every file, and the promise that a connection sees what it has written."""

from pathlib import Path

from reveried.app.commands import Caller
from reveried.app.writer import Writer
from reveried.log.pool import Pool, log_damage


class Readers:
    def __init__(self, log: Path, live: Path, archive: Path, writer: Writer) -> None:
        self.log = Pool(log, 2, log_damage)
        self.live = Pool(live, 4)
        self.archive = Pool(archive, 1)
        self._writer = writer

    async def open(self) -> None:
        for pool in (self.log, self.live, self.archive):
            await pool.open()

    async def close(self) -> None:
        for pool in (self.log, self.live, self.archive):
            await pool.close()

    async def complete(self) -> None:
        """Wait until everything that was acknowledged to anybody can be read."""
        await self._writer.projected(self._writer.log.head)

    async def up_to_date(self, caller: Caller) -> None:
        await self._writer.projected(caller.written)
