"""Whoever asks much waits for himself; a turn is never lost, not even by one who left while he waited."""

import asyncio

from reveried.server.turns import Turns


async def _work(turns: Turns, whose: str, done: list[str]) -> None:
    async with turns.turn(whose):
        await asyncio.sleep(0)
        done.append(whose)


async def test_a_newcomer_goes_before_the_rest_of_a_long_queue() -> None:
    turns, done = Turns(at_work=1), list[str]()
    greedy = [asyncio.create_task(_work(turns, "greedy", done)) for _ in range(20)]
    await asyncio.sleep(0)
    await _work(turns, "modest", done)
    assert done.index("modest") <= 2
    await asyncio.gather(*greedy)
    assert done.count("greedy") == 20


async def test_no_more_are_at_work_than_there_are_places() -> None:
    turns, inside, most = Turns(at_work=3), 0, 0

    async def work(number: int) -> None:
        nonlocal inside, most
        async with turns.turn(number % 4):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1

    await asyncio.gather(*(work(number) for number in range(30)))
    assert (most, inside) == (3, 0)


async def test_who_leaves_while_waiting_costs_nobody_a_turn() -> None:
    turns, done = Turns(at_work=1), list[str]()
    async with turns.turn("first"):
        leaving = [asyncio.create_task(_work(turns, "leaving", done)) for _ in range(3)]
        staying = asyncio.create_task(_work(turns, "staying", done))
        await asyncio.sleep(0)
        leaving[0].cancel()
    leaving[1].cancel()  # it was called in this very moment
    await asyncio.wait([*leaving, staying])
    assert sorted(done) == ["leaving", "staying"]
    await asyncio.wait_for(_work(turns, "later", done), 1)


async def test_work_that_fails_gives_its_turn_back() -> None:
    turns = Turns(at_work=1)
    for _ in range(3):
        try:
            async with turns.turn("one"):
                raise ValueError
        except ValueError:
            continue
    await asyncio.wait_for(_work(turns, "one", []), 1)
