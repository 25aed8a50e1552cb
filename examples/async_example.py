"""Several agents share one memory with asyncio: some write at once, one follows what happens, all read the same.

Run it beside a daemon: `python examples/async_example.py`.
"""

import asyncio

from reverie import AsyncClient, DaemonUnavailable

REPORTS = {
    "scout": ["The north road is blocked by snow", "The bridge at Elm holds carts"],
    "cook": ["Flour lasts for six days", "The well water is clean"],
    "smith": ["Two axles need replacing", "Iron comes with the next caravan"],
}


async def report(memory: AsyncClient, name: str, lines: list[str]) -> None:
    """Calls of one client share a connection; none waits for another's answer."""
    await asyncio.gather(*(memory.store(line, speaker=name, tags=[name], wait="durable") for line in lines))


async def watch(memory: AsyncClient, first: int, count: int) -> list[str]:
    """Every event once and in order, from a place in the log that the watcher chooses."""
    seen: list[str] = []
    async for event in memory.subscribe(from_seq=first):
        if event.type == "memory.stored" and event.payload is not None:
            seen.append(str(event.payload["content"]))
        if len(seen) == count:
            break
    return seen


async def main() -> int:
    try:
        async with AsyncClient(namespace="camp", name="async-example") as memory:
            first = (await memory.ping()).head + 1
            expected = sum(map(len, REPORTS.values()))
            watching = asyncio.create_task(watch(memory, first, expected))
            await asyncio.gather(*(report(memory, name, lines) for name, lines in REPORTS.items()))
            async with asyncio.timeout(30):
                print(f"{len(await watching)} reports came in")
            for found in (await memory.recall("can a cart cross the bridge?", limit=2)).memories:
                print(f"[id:{found.id}] {found.speaker}: {found.content}")
    except DaemonUnavailable as error:
        print(f"{error.message}\n{error.hint}")
        return 69
    return 0


if __name__ == "__main__":
    raise SystemExit(asyncio.run(main()))
