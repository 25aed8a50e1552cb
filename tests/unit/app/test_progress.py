"""Followers wake when the log grows, not before, and not for less than they wait for."""

import asyncio

from reveried.app.progress import Progress


async def test_a_follower_that_is_behind_does_not_wait() -> None:
    assert await Progress(5, 0).beyond(4) == 5


async def test_followers_wait_until_the_head_is_beyond_them() -> None:
    progress = Progress(5, 5)
    waiting = [asyncio.ensure_future(progress.beyond(seq)) for seq in (5, 6)]
    await asyncio.sleep(0)
    progress.advance(6, 5)
    done, pending = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    assert [one.result() for one in done] == [6]
    progress.advance(8, 8)
    assert [await one for one in pending] == [8]


async def test_progress_never_goes_back_and_projecting_alone_wakes_nobody() -> None:
    progress = Progress(5, 3)
    waiting = asyncio.ensure_future(progress.beyond(5))
    await asyncio.sleep(0)
    progress.advance(4, 5)
    progress.advance(5, 2)
    await asyncio.sleep(0)
    assert (progress.head, progress.applied, waiting.done()) == (5, 5, False)
    waiting.cancel()


async def test_a_follower_that_gave_up_is_forgotten() -> None:
    progress = Progress(5, 5)
    gone, here = (asyncio.ensure_future(progress.beyond(5)) for _ in range(2))
    await asyncio.sleep(0)
    gone.cancel()
    progress.advance(6, 6)
    assert await here == 6
    assert progress._waiting == set()
