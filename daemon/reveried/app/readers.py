"""The reading side of every file, and the promise that a connection sees what it has written."""

from collections.abc import Sequence
from pathlib import Path

from reveried.app.commands import Caller
from reveried.app.writer import Writer
from reveried.log.pool import Pool, log_damage
from reveried.state.keeping import Keeping
from reveried.state.projection import Change

# So many bytes of what was read are kept: some twenty thousand memories, as short as most are.
ROOM_LIVE, ROOM_ARCHIVE = 12_000_000, 2_000_000


class Readers:
    def __init__(self, log: Path, live: Path, archive: Path, writer: Writer) -> None:
        self.log = Pool(log, 2, log_damage)
        self.live = Pool(live, 4)
        self.archive = Pool(archive, 1)
        self.kept_live, self.kept_archive = Keeping(ROOM_LIVE), Keeping(ROOM_ARCHIVE)
        # Another file may be in the place of the one that was read.
        self.live.reopened, self.archive.reopened = self.kept_live.clear, self.kept_archive.clear
        self._writer = writer
        writer.changed = self._forget

    def _forget(self, live: Sequence[Change], archive: Sequence[Change]) -> None:
        self.kept_live.forget(live)
        self.kept_archive.forget(archive)

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
