"""What callers and jobs do in a simulated life, and the model with them."""

from collections.abc import Callable
from typing import Any

import msgspec

from modelled.things import DAY, SOURCES, STABLE_DAYS, Thing
from reverie.protocol import requests as ask
from reveried.app.commands import Caller
from simulating.faults import Faults
from simulating.stage import NAMESPACES

TEXTS = tuple(f"The {who} {what}." for who in ("harbour", "keeper", "lamp") for what in ("sleeps", "wakes", "waits"))
SESSIONS = ("s-one", "s-two", "s-three")
TAGS = ("t-one", "t-two", "t-three")
WORDS = {
    "update": TEXTS,
    "untag": (*TAGS, "harbour", "sleeps", "elsewhere"),
    "link": ("related_to 1.0", "related_to 0.5", "references 1.0", "precedes 0.7", "follows 0.7"),
    "unlink": ("", "", "related_to", "follows", "co_recalled", "supersedes"),
}
CHANGES = (
    "update", "reinforce", "reinforce", "demote", "pin", "unpin", "tag", "tag", "tag", "untag", "supersede", "archive",
    "archive", "restore", "restore", "delete", "delete", "erase", "link", "link", "link", "unlink",
)  # fmt: skip


class Commands(Faults):
    async def _time(self) -> None:
        self._stepped = True
        self._clock.pass_days(self._luck.choice((0.01, 1, 5, 12, 12, -2)))

    async def _store(self) -> None:
        now = self._clock.now()
        thing = self._new_thing(now)
        caller = self._caller(thing.namespace)
        draft = ask.Draft(
            content=thing.text,
            kind=thing.kind,
            expires_at=thing.expires,
            priority=thing.priority,
            source=thing.source,
            importance=thing.importance,
            valid_from=thing.valid_from,
            pinned=thing.pinned,
            session_id=thing.session,
        )
        told, thing.id = await self._written(
            lambda key: self._remember.store(ask.Store(id=0, memory=draft, key=key), caller)
        )
        twin = self._model.known(thing.namespace, thing.own)
        assert twin is None or twin.id == thing.id
        assert told == self._model.store(thing, now)

    def _new_thing(self, now: int) -> Thing:
        luck = self._luck
        thing = Thing(0, luck.choice(NAMESPACES), luck.choice(TEXTS), luck.choice(list(STABLE_DAYS)), now, now, now)
        thing.expires = now + luck.randrange(1, 40) * DAY if luck.random() < 0.2 else None
        thing.priority = luck.choice((0.1, 0.5, 0.9)) if luck.random() < 0.3 else None
        thing.source, thing.importance = luck.choice(list(SOURCES)), luck.choice((0.2, 0.5, 0.8))
        thing.valid_from = now - luck.randrange(20) * DAY if luck.random() < 0.5 else None
        thing.pinned, thing.session = luck.random() < 0.1, luck.choice((None, *SESSIONS))
        return thing

    async def _change(self) -> None:
        what, namespace = self._luck.choice(CHANGES), self._luck.choice(NAMESPACES)
        id_, other, word = self._some_id(), self._some_id(), self._luck.choice(WORDS.get(what, TAGS))
        request, caller = _request(what, id_, word, other), self._caller(namespace)
        handler = self._handler(what)
        told, _ = await self._written(lambda key: handler(msgspec.structs.replace(request, key=key), caller))
        expected = self._model.change(what, namespace, id_, self._clock.now(), word=word, other=other)
        assert told == expected, f"{what} [id:{id_}] {word!r} {other}: {told}, not {expected}"

    def _handler(self, what: str) -> Callable[[Any, Caller], Any]:
        """Looked up when it is called: a fault may have put another life in the place of this one."""
        return lambda request, caller: getattr(self._serving(what), what)(request, caller)

    def _serving(self, what: str) -> Any:
        if what == "update":
            return self._remember
        return self._links if what in ("link", "unlink") else self._feedback

    async def _look(self) -> None:
        if self._model.things:
            thing = self._model.things[self._luck.choice(list(self._model.things))]
            self._life.accesses.read(thing.namespace, "simulation", thing.id)
            await self._life.accesses.flush()
            self._model.look(thing.id, self._clock.now())

    async def _recall(self) -> None:
        ids = [id_ for id_, thing in self._model.things.items() if thing.namespace == "default"]
        if ids:
            chosen = self._luck.sample(ids, min(self._luck.choice((2, 3, 6)), len(ids)))
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
        self._model.sleep(self._clock.now())
        self._model.moment(self._clock.now())


def _request(what: str, id_: int, word: str, other: int) -> Any:
    kind: Any = getattr(ask, what.capitalize())
    match what:
        case "update":
            return kind(id=0, memory=id_, content=word)
        case "tag" | "untag":
            return kind(id=0, memory=id_, tags=[word])
        case "link":
            link, weight = word.split()
            return kind(id=0, memory=id_, other=other, kind=link, weight=float(weight))
        case "unlink":
            return kind(id=0, memory=id_, other=other, kind=word or None)
        case "supersede":
            return kind(id=0, old=id_, new=other)
    return kind(id=0, memory=id_)
