"""Whole records that come from elsewhere, some of them more than once."""

from modelled.things import DAY, Thing
from reverie.protocol.requests import Arrival, Draft, ImportMany, Life
from simulating.findings import Findings

SINCE = {"stale": "stale_since", "archived": "archived", "deleted": "deleted"}


class Imports(Findings):
    async def _import(self) -> None:
        now = self._clock.now()
        thing, touched = self._lived(now), self._luck.choice((0, 0, now, now - self._luck.randrange(1, 30) * DAY))
        if touched:
            thing.stored = thing.updated = touched
        key = f"import-{self._luck.randrange(8)}" if self._luck.random() < 0.5 else f"import of {self._keys}"
        arrival = Arrival(key=key, memory=_draft(thing), life=_life(thing, touched))
        caller, request = self._caller(thing.namespace), ImportMany(id=0, arrivals=[arrival])
        told, id_ = await self._written(lambda _: self._receive.import_many(request, caller))
        thing.id, thing.stored = id_, touched
        expected = self._model.receive(key, thing, touched, now)
        assert (told, id_) == expected, f"import {key}: {told} {id_}, not {expected}"

    def _lived(self, now: int) -> Thing:
        luck, thing = self._luck, self._new_thing(now)
        thing.born = thing.updated = now - luck.randrange(60) * DAY
        thing.session = None
        thing.source, thing.tags = "migration", luck.choice(([], ["t-one"], ["t-one", "t-two"]))
        thing.score, thing.reads = luck.randrange(-3, 9), luck.randrange(5)
        thing.read = now - luck.randrange(30) * DAY if thing.reads else None
        thing.state = luck.choice(("active", "active", "stale", "archived", "deleted"))
        thing.tier = "archive" if thing.state == "archived" else luck.choice(("hot", "warm", "archive"))
        if thing.state in SINCE:
            setattr(thing, SINCE[thing.state], now - luck.randrange(20) * DAY)
        others = [one.id for one in self._model.things.values() if one.namespace == thing.namespace]
        thing.superseded_by = luck.choice([0, *others]) if luck.random() < 0.15 else None
        thing.compressed_into = luck.choice([0, *others]) if luck.random() < 0.15 else None
        return thing


def _draft(thing: Thing) -> Draft:
    return Draft(
        content=thing.own, kind=thing.kind, expires_at=thing.expires, priority=thing.priority, source=thing.source,
        importance=thing.importance, valid_from=thing.valid_from, pinned=thing.pinned, created_at=thing.born,
        tags=thing.tags,
    )  # fmt: skip


def _life(thing: Thing, touched: int) -> Life:
    return Life(
        state=thing.state, tier=thing.tier, score=thing.score, access_count=thing.reads, last_accessed_at=thing.read,
        stored_at=touched or None, updated_at=touched or None, stale_since=thing.stale_since,
        archived_at=thing.archived, deleted_at=thing.deleted, superseded_by=thing.superseded_by,
        compressed_into=thing.compressed_into,
    )  # fmt: skip
