"""What every act of a simulated life has at hand: the life itself, its model, and ways to end and begin again."""

import random
import shutil
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from model import Model
from reveried.app.chunks import Chunks
from reveried.app.commands import Caller
from reveried.app.conflicts import Conflicts
from reveried.app.feedback import Feedback
from reveried.app.ingest import Ingest
from reveried.app.link_copies import LinkCopies
from reveried.app.links import Links
from reveried.app.narratives import Narratives
from reveried.app.receive import Receive
from reveried.app.remember import Remember
from reveried.app.sessions import Sessions
from reveried.app.summaries import Summaries
from reveried.config.schema import Config
from reveried.errors import StorageFailed
from reveried.reactors.chunking import Chunking
from reveried.summarising.chat import Chat
from simulating.seen import difference, expected, seen
from unit.jobs.living import Life, Turned

NAMESPACES = ("default", "default", "default", "other")


class Stage:
    def __init__(self, home: Path, seed: int) -> None:
        self._home, self._luck, self._lives = home, random.Random(seed), 0
        self._clock = Turned()
        deletes = self._luck.random() < 0.5
        worth = self._luck.choice((0.3, 0.65))
        self._config = msgspec.convert(_settings(deletes=deletes, worth=worth), Config)
        self._model = Model(deletes=deletes, worth=worth)
        self._keys = 0
        self._stepped = False
        self.done: Counter[str] = Counter()

    def _caller(self, namespace: str) -> Caller:
        """Somebody who has seen everything up to now."""
        return Caller(namespace, "simulation", self._life.log.head)

    def _some_id(self) -> int:
        known = list(self._model.things)
        return self._luck.choice(known) if known and self._luck.random() < 0.95 else self._luck.randrange(1, 300)

    def _place(self) -> Path:
        self._lives += 1
        return self._home / str(self._lives)

    async def _open(self, path: Path) -> None:
        self._life = life = Life(path, self._clock, self._config)
        life.writer.start()
        await life.readers.open()
        self._chunks = Chunks()
        self._ingest = Ingest(life.writer, life.readers, self._chunks, self._clock, life.settings.get)
        self._remember = Remember(life.writer, self._clock, life.settings.get)
        self._receive = Receive(life.writer, self._clock, life.settings.get)
        self._feedback = Feedback(life.writer, life.accesses, life.settings.get)
        self._links = Links(life.writer, life.readers)
        summaries = Summaries(Chat(lambda: life.settings.current.summariser, {}), life.settings.get)
        self._sessions = Sessions(life.writer, life.readers, summaries, self._clock, life.settings.get)
        self._link_copies = LinkCopies(life.writer, life.readers, self._clock)
        self._narratives = Narratives(life.writer, life.readers, life.settings.get)
        self._conflicts = Conflicts(life.writer, life.readers, life.settings.get)
        self._chunking = Chunking(
            life.semantics, life.readers, life.writer, self._remember, self._chunks, life.settings.get
        )

    async def _close(self) -> None:
        life = self._life
        await life.readers.close()
        with suppress(StorageFailed):  # what it ended with was dealt with where it came up
            await life.writer.stop()
        life.vectors.close()
        life.directory.close()

    async def _kill(self) -> None:
        """The files as another process would find them now."""
        await self._reopened(lambda path: None)
        await self._compare()

    async def _renew(self) -> None:
        await self._reopened(lambda path: (path / self._luck.choice(("state.db", "archive.db"))).unlink())
        await self._compare()

    async def _restart(self) -> None:
        await self._close()
        await self._open(self._life.directory.path)
        await self._compare()

    async def _reopened(self, harm: Callable[[Path], object]) -> None:
        old, new = self._life.directory.path, self._place()
        shutil.copytree(old, new)
        await self._close()
        shutil.rmtree(old)
        harm(new)
        await self._open(new)

    async def _redeliver(self) -> None:
        """A projection may be handed any part of the past again, and must stay as it is."""
        life, start = self._life, self._luck.random()

        def again() -> None:
            for recorded in life.log.read(int(life.log.head * start)):
                life.store.fold.apply(recorded)
            life.store.flush()

        await life.writer.run(again)
        await self._compare()

    async def _compare(self) -> None:
        real, should = await seen(self._life), expected(self._model)
        assert real == should, difference(real, should)
        assert await self._life.equals_its_replay()


def _settings(*, deletes: bool, worth: float) -> dict[str, Any]:
    return {
        "forgetting": {"mode": "full" if deletes else "archive"},
        "ingest": {"discard_below": worth, "chunking": {"min_tokens": 0}},  # every paragraph is a part by itself
    }
