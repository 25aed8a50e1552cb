"""Work behind the replies that stumbles over a file is begun again after a pause, and named until then."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from reveried.errors import ReverieError, StateDamaged
from reveried.log.database import FileTrouble

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
_log = logging.getLogger(__name__)


class Resuming:
    def __init__(self, noticed: Callable[[ReverieError], None], pause: float = FIRST_PAUSE) -> None:
        self._noticed = noticed
        self._pause = pause
        self.troubles: dict[str, str] = {}

    async def resumed(self, name: str, run: Callable[[], Awaitable[None]]) -> None:
        """A state that is damaged ends the daemon, for the next start to mend; all else may be over in a moment."""
        pause = self._pause
        while True:
            try:
                await run()
                return
            except StateDamaged:
                raise
            except ReverieError as error:
                self._noticed(error)
                self.troubles[name] = error.message
            except FileTrouble as error:
                self.troubles[name] = str(error)
            _log.error("%s stopped, and is begun again in %g s: %s", name, pause, self.troubles[name])
            await asyncio.sleep(pause)
            pause = min(LONGEST_PAUSE, pause * 2)
            del self.troubles[name]
