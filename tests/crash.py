"""Kills the daemon under load, again and again, and holds its log against what it had acknowledged.

A history has three kinds of entries: acknowledged (must be in the log, once, under that number), unknown (the reply
never came: there once or not at all) and refused (must not be there).
"""

import asyncio
import random
from contextlib import suppress
from typing import Any

from logfile import rows
from reverie import calls
from reverie.aio_connection import AsyncConnection, open_connection
from reverie.errors import ReverieError
from reverie.protocol.session import Call, ClientSession
from running import RunningDaemon

WRITERS = 4


class History:
    def __init__(self) -> None:
        self.acknowledged: dict[str, int] = {}
        self.unknown: set[str] = set()
        self.refused: set[str] = set()
        self._count = 0
        self._news = asyncio.Event()

    def new_key(self) -> str:
        self._count += 1
        key = f"op-{self._count}"
        self.unknown.add(key)
        return key

    def acknowledge(self, key: str, seq: int) -> None:
        self.unknown.discard(key)
        self.acknowledged[key] = seq
        self._news.set()

    def refuse(self, key: str) -> None:
        self.unknown.discard(key)
        self.refused.add(key)

    async def reaches(self, count: int) -> None:
        while len(self.acknowledged) < count:
            self._news.clear()
            await self._news.wait()


class Writer:
    """One client that keeps a few memories of its own and does everything to them that can be done."""

    def __init__(self, number: int, history: History, luck: random.Random) -> None:
        self._name = f"writer-{number}"
        self._history = history
        self._luck = luck
        self._texts: dict[int, str] = {}
        self._turn = 0

    async def run(self, path: str) -> None:
        """Until the daemon dies."""
        with suppress(OSError):
            connection = await open_connection(path, ClientSession(self._name, "default"))
            try:
                while True:
                    await self._one(connection)
            finally:
                connection.close()
                await connection.closed()

    async def _one(self, connection: AsyncConnection) -> None:
        self._turn += 1
        if len(self._texts) < 3 or self._luck.random() < 0.4:
            return await self._store(connection)
        id_ = self._luck.choice(list(self._texts))
        what = self._luck.choice(("update", "reinforce", "tag", "archive", "restore", "erase", "recall", "look"))
        if what == "recall":
            await connection.ask(calls.recall(self._texts[id_]))
        elif what == "look":
            await self._look(connection, id_)
        elif what == "update":
            await self._update(connection, id_)
        else:
            if what == "erase":
                del self._texts[id_]  # whether or not the reply comes, it may be gone
            await self._write(connection, _command(what, id_, self._turn))
        return None

    async def _store(self, connection: AsyncConnection) -> None:
        text = f"{self._name} noted fact {self._turn} about harbour {self._luck.randrange(50)}"
        written = await self._write(connection, calls.store(text))
        if written is not None:
            self._texts[written.id] = text

    async def _update(self, connection: AsyncConnection, id_: int) -> None:
        text = self._texts.pop(id_)  # until the reply comes, nobody knows which of the two texts holds
        new = f"{text.split(' (')[0]} (version {self._turn})"
        if await self._write(connection, calls.update(id_, content=new)) is not None:
            self._texts[id_] = new

    async def _look(self, connection: AsyncConnection, id_: int) -> None:
        seen = await connection.ask(calls.get(id_))
        assert seen.content == self._texts[id_], "a client must read what it has written"

    async def _write(self, connection: AsyncConnection, call: Call[Any]) -> Any:
        key = self._history.new_key()
        call.request.key = key  # type: ignore[attr-defined]
        try:
            written = await connection.ask(call)
        except ReverieError:
            self._history.refuse(key)
            raise
        if written.outcome == "unchanged":
            self._history.refuse(key)
        else:
            self._history.acknowledge(key, written.seq)
        return written


def _command(what: str, id_: int, turn: int) -> Call[Any]:
    if what == "tag":
        return calls.tag(id_, [f"turn-{turn % 20}"])
    build: Any = {
        "reinforce": calls.reinforce,
        "archive": calls.archive,
        "restore": calls.restore,
        "erase": calls.erase,
    }[what]
    call: Call[Any] = build(id_)
    return call


class Crashes:
    """Many lives of one daemon, and the one history they share."""

    def __init__(self, daemon: RunningDaemon, seed: int) -> None:
        self._daemon = daemon
        self._luck = random.Random(seed)
        self.history = History()
        self._writers = [Writer(number, self.history, random.Random(seed + number)) for number in range(WRITERS)]
        self._checked = 0
        self.came_true = 0

    async def cycle(self) -> None:
        """Write, kill at a random moment, start again, and check the log."""
        writing = [asyncio.create_task(writer.run(self._daemon.socket)) for writer in self._writers]
        wanted = len(self.history.acknowledged) + self._luck.randrange(80)
        waiting = asyncio.create_task(self.history.reaches(wanted))
        await asyncio.wait((waiting, *writing), return_when=asyncio.FIRST_COMPLETED)
        # Where inside a commit the kill lands is the whole point, and only chance finds every place.
        await asyncio.sleep(self._luck.random() * 0.004)
        await asyncio.to_thread(self._daemon.kill)
        waiting.cancel()
        await asyncio.gather(*writing)
        await asyncio.to_thread(self._daemon.start)
        self.check_tail()

    def check_tail(self) -> None:
        """The events since the last check: every key is one we sent, and what was refused is not there."""
        found = rows(self._daemon.data, "SELECT seq, key FROM events WHERE seq > ? ORDER BY seq", self._checked)
        assert [seq for seq, _ in found] == list(range(self._checked + 1, self._checked + 1 + len(found)))
        for seq, key in found:
            if key is None:
                continue  # counted accesses carry no key
            assert key not in self.history.refused
            if key in self.history.unknown:
                self.came_true += 1
                self.history.acknowledge(key, seq)
            assert self.history.acknowledged[key] >= seq
        self._checked += len(found)

    def check_all(self) -> None:
        """Everything ever acknowledged, present once; of the unknown, nothing but what was counted."""
        found = [key for (key,) in rows(self._daemon.data, "SELECT key FROM events WHERE key IS NOT NULL")]
        assert len(found) == len(set(found))
        assert set(found) == set(self.history.acknowledged)

    def verify(self) -> None:
        with self._daemon.client(timeout=120) as client:
            report = client.verify()
        assert report.problems == []
        assert report.live_digest == report.replayed_digest

    def summary(self, cycles: int) -> str:
        history = self.history
        return (
            f"{cycles} kills: {len(history.acknowledged)} events acknowledged or found, 0 lost, 0 twice; "
            f"{self.came_true} of {self.came_true + len(history.unknown)} unanswered requests had been carried out"
        )
