"""Kills the daemon under load, again and again, and holds its log against what it had acknowledged.

A history has three kinds of entries: acknowledged (must be in the log, once, under that number), unknown (the reply
never came: there once or not at all) and refused (must not be there). Besides, each connection must read what it has
written, nobody may see time run backwards, and of what was erased no word may be in any file.
"""

import asyncio
import random
import re
from contextlib import suppress
from typing import Any

from logfile import rows
from reverie import calls
from reverie.aio_connection import AsyncConnection, open_connection
from reverie.errors import ReverieError, WrongState
from reverie.protocol.session import Call, ClientSession
from running import RunningDaemon

WRITERS = 8
CHANGES = ("update", "reinforce", "demote", "tag", "pin", "unpin", "archive", "restore", "delete", "erase")
CHORES = ("decay", "sleep", "prune", "purge", "snapshot", "maintain", "rebuild", "backup", "reload")
# What may be said instead of an answer while others do their chores: all of it is worth trying again.
PASSING = ("busy", "shutting_down", "timed_out")


class History:
    def __init__(self) -> None:
        self.acknowledged: dict[str, int] = {}
        self.unknown: set[str] = set()
        self.refused: set[str] = set()
        # Words of which every file must be free, by the key of the request that erased them.
        self.erased: dict[str, str] = {}
        self.chores = self.looks = 0
        self._count = 0
        self._news = asyncio.Event()

    def new_key(self, erases: str = "") -> str:
        self._count += 1
        key = f"op-{self._count}"
        self.unknown.add(key)
        if erases:
            self.erased[key] = erases
        return key

    def new_keys(self, count: int) -> list[str]:
        """For a batch: one key, and a number for each of its parts."""
        self._count += 1
        keys = [f"op-{self._count}/{number}" for number in range(count)]
        self.unknown.update(keys)
        return keys

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
        self._written = self._head = 0

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
        chance = self._luck.random()
        if len(self._texts) < 3 or chance < 0.3:
            await self._store(connection)
        elif chance < 0.4:
            await self._store_many(connection)
        elif chance < 0.55:
            await self._look(connection, self._luck.choice(list(self._texts)))
        elif chance < 0.6:
            await connection.ask(calls.recall(self._luck.choice(list(self._texts.values()))))
        else:
            await self._change(connection, self._luck.choice(list(self._texts)), self._luck.choice(CHANGES))

    def _text(self) -> str:
        # Its own word, unlike any other, is what is looked for when it was erased.
        word = f"{self._name}{self._turn}{self._luck.randrange(10**9):09}x"
        return f"{word} was noted about harbour {self._luck.randrange(50)}"

    async def _store(self, connection: AsyncConnection) -> None:
        text = self._text()
        written = await self._write(connection, calls.store(text, wait="durable"))
        self._texts[written.id] = text

    async def _store_many(self, connection: AsyncConnection) -> None:
        texts = [f"{number}{self._text()}" for number in range(self._luck.randrange(2, 5))]
        keys = self._history.new_keys(len(texts))
        call = calls.store_many(texts, key=keys[0].split("/")[0])
        for key, text, written in zip(keys, texts, (await connection.ask(call)).results, strict=True):
            self._history.acknowledge(key, written.seq)
            self._texts[written.id] = text

    async def _change(self, connection: AsyncConnection, id_: int, what: str) -> None:
        text = self._texts[id_]
        if what == "update":
            del self._texts[id_]  # until the reply comes, nobody knows which of the two texts holds
            new = f"{text.split(' (')[0]} (version {self._turn})"
            if await self._write(connection, calls.update(id_, content=new)) is not None:
                self._texts[id_] = new
            return
        if what in ("delete", "erase"):
            del self._texts[id_]  # whether or not the reply comes, it may be gone
        await self._write(
            connection, _command(what, id_, self._turn), erases=text.split()[0] if what == "erase" else ""
        )

    async def _look(self, connection: AsyncConnection, id_: int) -> None:
        seen = await connection.ask(calls.get(id_))
        assert seen.content == self._texts[id_], "a client must read what it has written"
        status = await connection.ask(calls.status())
        assert status.projected >= self._written, "a client must see its own writes"
        assert status.head >= self._head, "nobody may see the log grow shorter"
        self._head = status.head
        self._history.looks += 1

    async def _write(self, connection: AsyncConnection, call: Call[Any], erases: str = "") -> Any:
        key = self._history.new_key(erases)
        call.request.key = key  # type: ignore[attr-defined]
        try:
            written = await connection.ask(call)
        except WrongState:  # such as archiving what is pinned
            self._history.refuse(key)
            return None
        if written.outcome == "unchanged":
            self._history.refuse(key)
        else:
            self._history.acknowledge(key, written.seq)
            self._written = max(self._written, written.seq)
        return written


class Keeper:
    """Somebody who runs the jobs, rebuilds, makes copies and changes settings while all the others work."""

    def __init__(self, daemon: RunningDaemon, history: History, luck: random.Random) -> None:
        self._daemon, self._history, self._luck = daemon, history, luck

    async def run(self, path: str) -> None:
        with suppress(OSError):
            connection = await open_connection(path, ClientSession("keeper", "default"))
            try:
                while True:
                    await self._chore(connection, self._luck.choice(CHORES))
            finally:
                connection.close()
                await connection.closed()

    async def _chore(self, connection: AsyncConnection, what: str) -> None:
        call: Any = {"rebuild": calls.rebuild, "backup": calls.backup, "reload": calls.reload}.get(what)
        if what == "reload":
            self._change_a_setting()
        try:
            await connection.ask(call() if call else calls.run(what))
            self._history.chores += 1
        except ReverieError as error:
            if error.code not in PASSING:
                raise

    def _change_a_setting(self) -> None:
        lines = [line for line in self._daemon.config.read_text().splitlines() if not line.startswith("recall:")]
        lines.append(f"recall: {{limit: {self._luck.randrange(3, 9)}}}")
        beside = self._daemon.config.with_suffix(".new")
        beside.write_text("\n".join(lines))
        beside.rename(self._daemon.config)


def _command(what: str, id_: int, turn: int) -> Call[Any]:
    if what == "tag":
        return calls.tag(id_, [f"turn-{turn % 20}"])
    build: Any = getattr(calls, what)
    call: Call[Any] = build(id_)
    return call


class Crashes:
    """Many lives of one daemon, and the one history they share."""

    def __init__(self, daemon: RunningDaemon, seed: int) -> None:
        self._daemon = daemon
        self._luck = random.Random(seed)
        self.history = History()
        self._writers = [Writer(number, self.history, random.Random(seed + number)) for number in range(WRITERS)]
        self._keeper = Keeper(daemon, self.history, random.Random(seed + WRITERS))
        self._checked = 0
        self.came_true = self.erased = 0

    async def cycle(self) -> None:
        """Write, kill at a random moment, start again, and check the log."""
        everybody = (*self._writers, self._keeper)
        writing = [asyncio.create_task(one.run(self._daemon.socket)) for one in everybody]
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
                continue  # what was read, and what jobs did, carries no key
            assert key not in self.history.refused
            if key in self.history.unknown:
                self.came_true += 1
                self.history.acknowledge(key, seq)
            assert self.history.acknowledged[key] >= seq
        self._checked += len(found)
        self._check_batches()
        self._check_erased()

    def _check_batches(self) -> None:
        """All of a batch or none of it."""
        torn = {key.split("/")[0] for key in self.history.unknown if "/" in key}
        assert not torn & {key.split("/")[0] for key in self.history.acknowledged if "/" in key}

    def _check_erased(self) -> None:
        """The words of every erasure that the log knows of are gone, also of those nobody got a reply to."""
        done = {word for key, word in self.history.erased.items() if key in self.history.acknowledged}
        self.erased += len(done)
        for key in list(self.history.erased):
            if key in self.history.acknowledged:
                del self.history.erased[key]
        if done:
            self._search(done)

    def _search(self, words: set[str]) -> None:
        pattern = re.compile(b"|".join(re.escape(word.encode()) for word in words))
        for path in self._daemon.data.rglob("*"):
            with suppress(FileNotFoundError):  # scratch files come and go
                assert not (path.is_file() and pattern.search(path.read_bytes())), f"an erased word is in {path.name}"

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
            f"{self.came_true} of {self.came_true + len(history.unknown)} unanswered carried out; "
            f"{self.erased} erased, no word left; {history.looks} looks in order, {history.chores} chores"
        )
