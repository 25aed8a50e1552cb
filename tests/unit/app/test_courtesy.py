"""The model rests while somebody stores, and not a moment when somebody waits for it."""

import asyncio

from reveried.app.courtesy import AT_WORK, LONGEST_REST, Courtesy


async def rested(courtesy: Courtesy, seconds: float) -> float:
    clock = asyncio.get_running_loop().time
    began = clock()
    await courtesy.rest_after(seconds)
    return clock() - began


async def test_where_nobody_stores_there_is_no_rest() -> None:
    assert await rested(Courtesy(lambda: False), 1.0) < 0.02


async def test_after_a_store_it_rests_until_the_caller_is_taken_to_be_done() -> None:
    courtesy = Courtesy(lambda: False)
    courtesy.somebody_stores()
    assert await rested(courtesy, 1.0) >= AT_WORK


async def test_a_short_work_has_a_short_rest() -> None:
    courtesy = Courtesy(lambda: False)
    courtesy.somebody_stores()
    assert await rested(courtesy, 0.001) < AT_WORK


async def test_while_stores_keep_coming_no_rest_is_longer_than_the_longest() -> None:
    courtesy = Courtesy(lambda: False)

    async def store() -> None:
        while True:
            courtesy.somebody_stores()
            await asyncio.sleep(AT_WORK / 5)

    courtesy.somebody_stores()
    storing = asyncio.create_task(store())
    async with asyncio.timeout(LONGEST_REST * 5):
        assert await rested(courtesy, 60.0) >= LONGEST_REST
    storing.cancel()


async def test_whoever_waits_for_what_comes_of_it_ends_the_rest() -> None:
    courtesy = Courtesy(lambda: True)
    courtesy.somebody_stores()
    assert await rested(courtesy, 1.0) < 0.02
