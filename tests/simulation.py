"""One seed, one life: random commands, a clock that leaps, faults and restarts, against the model of what should be.

Everything real but the socket runs in this process. A kill is a copy of the files as they are at that moment, opened
as a new store; a fault is raised where the log commits or the state is written.
"""

from simulating.sessions import Sessions

ACTS = (
    *("store",) * 9, *("change",) * 20, *("look",) * 3, *("recall",) * 4, *("find",) * 5, *("resolve",) * 3,
    *("import",) * 4, *("time",) * 4, *("decay",) * 3, "purge", *("sleep",) * 2,
    *("kill", "restart", "torn", "stall", "redeliver") * 2, "renew", "narrate", "narrate", "unsay",
    *("ingest_text", "cut", "cut") * 2, *("bring",) * 4,
    *("begin", "end", "end") * 2,
)  # fmt: skip


class Simulation(Sessions):
    async def run(self, steps: int) -> None:
        await self._open(self._place())
        try:
            await self._live(steps)
        finally:
            await self._close()  # a life that went wrong would otherwise keep its threads, and with them the process

    async def _live(self, steps: int) -> None:
        for _ in range(steps):
            # A log that was silent for a month makes jobs doubt the clock: after each leap something is stored.
            act = "store" if self._stepped else self._luck.choice(ACTS)
            self._stepped = False
            self.done[act] += 1
            await getattr(self, f"_{act}")()
        await self._compare()
