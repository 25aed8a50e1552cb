"""Says when the configuration file may have changed; reading it, and judging it, is for others."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Final

# An editor truncates, writes and renames in one breath; a quiet moment of this length ends it.
QUIET_MS: Final = 50
# Under unbroken writing a change is still told this soon.
LONGEST_MS: Final = 500


class _Until(asyncio.Event):
    """Set with `stop`, but not the other way round: watchfiles sets its event when cancelled, and `stop` ends more."""

    def __init__(self, stop: asyncio.Event) -> None:
        super().__init__()
        self._stop = stop

    def is_set(self) -> bool:
        return super().is_set() or self._stop.is_set()


async def watch(path: Path, stop: asyncio.Event) -> AsyncIterator[None]:
    """One item for each burst of changes to `path`, until `stop` is set. The file need not exist, nor its directory.

    The directory is what is watched: a file replaced by rename is a new file, which a watch on the old one never sees.
    Watching begins with the first `anext`; a change before that is not told.
    """
    from watchfiles import awatch  # here, not above: a start need not wait for it

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    changes = awatch(
        path.parent,
        watch_filter=lambda _, changed: Path(changed).name == path.name,
        debounce=LONGEST_MS,
        step=QUIET_MS,
        stop_event=_Until(stop),
        recursive=False,
    )
    async with aclosing(changes):
        async for _ in changes:
            yield
