"""One seed, one life: random commands, a clock that leaps, faults and restarts, against the model of what should be.

Everything real but the socket runs in this process. A kill is a copy of the files as they are at that moment, opened
as a new store; a fault is raised where the log commits or the state is written.
"""

import random
import shutil
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from model import DAY, STABLE_DAYS, Model, Thing
from reverie.protocol import requests as ask
from reveried.app.commands import Caller, Outcomes
from reveried.app.feedback import Feedback
from reveried.app.remember import Remember
from reveried.config.schema import Config
from reveried.domain.events import Recorded
from reveried.domain.memory import Memory
from reveried.errors import Rejected, StorageFailed, StorageFull
from reveried.state.catalog import ARCHIVED
from reveried.state.store import _apply, _split
from unit.jobs.living import Life, Turned

NAMESPACES = ("default", "default", "default", "other")
TEXTS = tuple(
    f"{who} {what}" for who in ("the harbour", "the keeper", "the lamp") for what in ("sleeps", "wakes", "waits")
)
TAGS = ("t-one", "t-two", "t-three")
CHANGES = (
    "update", "reinforce", "reinforce", "demote", "pin", "unpin", "tag", "untag", "supersede", "archive", "archive",
    "restore", "delete", "delete", "erase",
)  # fmt: skip
ACTS = (
    *("store",) * 8, *("change",) * 16, *("look",) * 3, *("recall",) * 2, *("time",) * 4, *("decay",) * 3, "purge",
    "sleep", "kill", "restart", "renew", "torn", "stall", "redeliver", "redeliver",
)  # fmt: skip
FAULTS = (None,) * 20 + ("full", "before", "after")
Writing = Callable[[str], Any]


class Simulation:
    def __init__(self, home: Path, seed: int) -> None:
        self._home, self._luck, self._lives = home, random.Random(seed), 0
        self._clock = Turned()
        deletes = self._luck.random() < 0.5
        # The model knows no links, which make what was recalled together fade more slowly.
        settings = {"forgetting": {"mode": "full" if deletes else "archive"}, "retention": {"connectivity": False}}
        self._config = msgspec.convert(settings, Config)
        self._model = Model(deletes=deletes)
        self._keys = 0
        self._stepped = False
        self.done: Counter[str] = Counter()

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

    # ── lives ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _place(self) -> Path:
        self._lives += 1
        return self._home / str(self._lives)

    async def _open(self, path: Path) -> None:
        self._life = life = Life(path, self._clock, self._config)
        life.writer.start()
        await life.readers.open()
        self._remember = Remember(life.writer, self._clock, life.settings.get)
        self._feedback = Feedback(life.writer, life.accesses, life.settings.get)

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
        real = {id_: _fields(memory) for id_, memory in (await self._life.memories()).items()}
        expected = {id_: _expected(thing) for id_, thing in self._model.things.items()}
        assert real == expected, _difference(real, expected)
        assert await self._life.equals_its_replay()

    # ── acts ────────────────────────────────────────────────────────────────────────────────────────────────────

    async def _time(self) -> None:
        self._stepped = True
        self._clock.pass_days(self._luck.choice((0.01, 1, 5, 12, 12, -2)))

    async def _store(self) -> None:
        namespace, text = self._luck.choice(NAMESPACES), self._luck.choice(TEXTS)
        kind, now = self._luck.choice(list(STABLE_DAYS)), self._clock.now()
        expires = now + self._luck.randrange(1, 40) * DAY if self._luck.random() < 0.2 else None
        draft = ask.Draft(content=text, kind=kind, expires_at=expires)
        caller = Caller(namespace, "simulation")
        told, id_ = await self._written(
            lambda key: self._remember.store(ask.Store(id=0, memory=draft, key=key), caller)
        )
        twin = self._model.twin(namespace, text)
        assert told == self._model.store(id_, namespace, text, kind, expires, now)
        assert twin is None or twin.id == id_

    async def _change(self) -> None:
        what, namespace = self._luck.choice(CHANGES), self._luck.choice(NAMESPACES)
        id_, other = self._some_id(), self._some_id()
        word = self._luck.choice(TEXTS if what == "update" else TAGS)
        request, caller = _request(what, id_, word, other), Caller(namespace, "simulation")

        def write(key: str) -> Any:
            handler: Any = self._remember.update if what == "update" else getattr(self._feedback, what)
            return handler(msgspec.structs.replace(request, key=key), caller)

        told, _ = await self._written(write)
        expected = self._model.change(what, namespace, id_, self._clock.now(), word=word, other=other)
        assert told == expected, f"{what} [id:{id_}] {word!r} {other}: {told}, not {expected}"

    def _some_id(self) -> int:
        known = list(self._model.things)
        return self._luck.choice(known) if known and self._luck.random() < 0.95 else self._luck.randrange(1, 300)

    async def _look(self) -> None:
        if self._model.things:
            thing = self._model.things[self._luck.choice(list(self._model.things))]
            self._life.accesses.read(thing.namespace, "simulation", thing.id)
            await self._life.accesses.flush()
            self._model.look(thing.id, self._clock.now())

    async def _recall(self) -> None:
        ids = [id_ for id_, thing in self._model.things.items() if thing.namespace == "default"]
        if ids:
            chosen = self._luck.sample(ids, min(3, len(ids)))
            self._life.accesses.recalled("default", "simulation", "the lamp", tuple(chosen), "adaptive")
            await self._life.accesses.flush()
            self._model.recalled(chosen, self._clock.now())

    async def _decay(self) -> None:
        await self._life.run("decay")
        self._model.decay(self._clock.now())
        self._model.moment(self._clock.now())

    async def _purge(self) -> None:
        await self._life.run("purge")
        self._model.purge(self._clock.now())
        self._model.moment(self._clock.now())

    async def _sleep(self) -> None:
        await self._life.run("sleep")
        self._model.moment(self._clock.now())

    # ── faults ──────────────────────────────────────────────────────────────────────────────────────────────────

    async def _written(self, write: Writing) -> tuple[str, int]:
        """What the caller is told in the end. One whose daemon died asks the next one again, with the same key."""
        self._keys += 1
        key, fault = f"key-{self._keys}", self._luck.choice(FAULTS)
        self._arm(fault)
        try:
            told = await _told(write(key))
            while told[0] == "storage_full":  # a full log, and then a full state, refuse one after the other
                self._life.writer._look_again_at = 0.0  # there is room again
                told = await _told(write(key))
            return told
        except StorageFailed:
            await self._reopened(lambda path: None)  # whether it is in the log, only the next answer tells
            return await _told(write(key))
        finally:
            self._disarm()

    def _arm(self, fault: str | None) -> None:
        """The next commit of the log fails: before it is durable, or after."""
        if fault is None:
            return
        log = self._life.log
        commit = log._transaction

        def failing(*arguments: Any) -> None:
            self._disarm()
            self.done[f"fault: {fault}"] += 1
            if fault == "after":
                commit(*arguments)
            else:
                log.discard()
            raise StorageFull("the disk is full") if fault == "full" else StorageFailed("the disk is gone")

        log._transaction = failing  # type: ignore[method-assign]

    def _disarm(self) -> None:
        vars(self._life.log).pop("_transaction", None)

    async def _stall(self) -> None:
        """The disk is full when the archive has been written and the live file has not; then there is room again."""
        await self._half_projected()
        self._life.writer._look_again_at = 0.0
        await self._compare()

    async def _torn(self) -> None:
        """A kill at that very place."""
        await self._half_projected()
        await self._kill()

    async def _half_projected(self) -> None:
        store = self._life.store

        def half(events: list[Recorded]) -> None:
            del store._write  # type: ignore[attr-defined]
            _apply(store._archive, ARCHIVED, events, *_split(store.fold.archive_changes()))
            raise StorageFull("no room")

        store._write = half  # type: ignore[method-assign, assignment]
        for _ in range(3):
            await self._change()
        await self._life.writer.run(lambda: None)
        vars(self._life.store).pop("_write", None)


async def _told(outcome: Awaitable[Outcomes]) -> tuple[str, int]:
    try:
        (only,) = await outcome
    except (Rejected, StorageFull) as refusal:
        return refusal.code, 0
    return only.outcome, only.id


def _request(what: str, id_: int, word: str, other: int) -> Any:
    kind: Any = getattr(ask, what.capitalize())
    match what:
        case "update":
            return kind(id=0, memory=id_, content=word)
        case "tag" | "untag":
            return kind(id=0, memory=id_, tags=[word])
        case "supersede":
            return kind(id=0, old=id_, new=other)
    return kind(id=0, memory=id_)


def _fields(memory: Memory) -> dict[str, Any]:
    return {
        "namespace": memory.namespace, "text": memory.content, "kind": memory.kind, "score": memory.score,
        "reads": memory.access_count, "read": memory.last_accessed_at, "affirmed": memory.reinforced_at,
        "pinned": memory.pinned, "tags": list(memory.tags_manual), "state": memory.state,
        "stale_since": memory.stale_since, "archived": memory.archived_at, "deleted": memory.deleted_at,
        "superseded_by": memory.superseded_by, "expires": memory.expires_at, "born": memory.created_at,
        "stored": memory.stored_at,
    }  # fmt: skip


def _expected(thing: Thing) -> dict[str, Any]:
    return {name: value for name, value in vars(thing).items() if name != "id"}


def _difference(real: dict[int, Any], expected: dict[int, Any]) -> str:
    wrong = [id_ for id_ in {*real, *expected} if real.get(id_) != expected.get(id_)]
    return "; ".join(f"[id:{id_}] is {real.get(id_)}, should be {expected.get(id_)}" for id_ in wrong[:3])
