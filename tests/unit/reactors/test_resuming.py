"""What stumbles is begun again and named; a damaged state is for the next start."""

import asyncio
import sqlite3

import pytest

from reveried.errors import LogDamaged, ReverieError, StateDamaged
from reveried.reactors.resuming import Resuming


@pytest.mark.parametrize(
    ("error", "noticed"),
    [
        (LogDamaged("event 2: it cannot be read"), ["event 2: it cannot be read"]),
        (sqlite3.OperationalError("disk I/O error"), []),
        (OSError("no such device"), []),
    ],
)
async def test_what_stumbles_is_named_and_begun_again(error: Exception, noticed: list[str]) -> None:
    heard: list[str] = []
    keeping = Resuming(lambda trouble: heard.append(trouble.message), pause=0.001)
    seen: list[dict[str, str]] = []

    async def run() -> None:
        seen.append(dict(keeping.troubles))
        if len(seen) < 3:
            asyncio.get_running_loop().call_soon(lambda: seen.append(dict(keeping.troubles)))
            raise error

    await keeping.resumed("comparing", run)
    assert seen == [{}, {"comparing": str(error)}, {}]
    assert heard == noticed
    assert keeping.troubles == {}


async def test_a_damaged_state_is_not_gone_on_with() -> None:
    async def run() -> None:
        raise StateDamaged("the state cannot be read")

    keeping = Resuming(_deaf, pause=0.001)
    with pytest.raises(StateDamaged):
        await keeping.resumed("comparing", run)
    assert keeping.troubles == {}


def _deaf(error: ReverieError) -> None:
    raise AssertionError(f"nobody else is to mend {error}")
