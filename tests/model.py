"""What memories should be like, written from the specification alone: no module of the daemon is used here.

The plainest program that could be right: records in a dictionary, one function for each thing that can happen. An
outcome is what the caller is told; a refusal is the error's code.
"""

from modelled.links import Bond, Ends, ends
from modelled.sessions import Sessions
from modelled.things import DAY, Thing
from modelled.tiers import tier

REINFORCED, DEMOTED = 3, -1
STALE, ARCHIVED, DELETED = 0.3, 0.1, 0.01
STALE_DAYS, PURGE_DAYS = 30, 90


class Model(Sessions):
    def __init__(self, *, deletes: bool, worth: float) -> None:
        super().__init__(worth)
        self._deletes = deletes  # mode `full` instead of `archive`

    def store(self, thing: Thing, now: int) -> str:
        """Its number is the one that the log gave, should it turn out to be new."""
        twin, at = self.known(thing.namespace, thing.own), self.moment(now)
        if twin is not None:
            self._access(twin, at)
            return "duplicate"
        thing.stored = at
        self.things[thing.id] = thing
        return "stored"

    def look(self, id_: int, now: int) -> None:
        """Reading by its number brings a memory out of the archive."""
        thing, at = self.things[id_], self.moment(now)
        self._access(thing, at)
        self._unarchive(thing, at)

    def recalled(self, ids: list[int], now: int) -> None:
        at = self.moment(now)
        for id_ in ids:
            self._access(self.things[id_], at)
        self.links.recalled(ids, at)

    def change(self, what: str, namespace: str, id_: int, now: int, *, word: str = "", other: int = 0) -> str:
        thing = self.things.get(id_)
        if thing is None and what == "erase":
            return self.unsay(id_, namespace, now)
        new = self.things.get(other) if what in ("supersede", "link") else thing
        if any(one is None or one.namespace != namespace for one in (thing, new)):
            return "not_found"
        assert thing is not None
        if what not in ("restore", "delete", "erase", "unlink") and thing.state == "deleted":
            return "wrong_state"
        if thing.whole and what in ("update", "archive", "delete"):
            return "wrong_state"  # its parts are memories of their own
        outcome: str = getattr(self, f"_{what}")(thing, max(self._at, now), word, other)
        if outcome.endswith("ed") and outcome != "unchanged":
            self.moment(now)  # something was recorded
        return outcome

    def _update(self, thing: Thing, at: int, word: str, other: int) -> str:
        if self.twin(thing.namespace, word, thing.id) is not None:
            return "wrong_state"
        if thing.text == word == thing.title:
            return "unchanged"
        thing.chosen = None
        thing.title = word  # which stays that of the whole text for a part of one only until it is reworded
        thing.own, thing.gained, thing.affirmed, thing.updated = word, [], at, at
        return "updated"

    def _reinforce(self, thing: Thing, at: int, word: str, other: int) -> str:
        thing.score, thing.affirmed = thing.score + REINFORCED, at
        self.links.reinforced(thing.id, at)
        return "reinforced"

    def _demote(self, thing: Thing, at: int, word: str, other: int) -> str:
        thing.score += DEMOTED
        return "demoted"

    def _pin(self, thing: Thing, at: int, word: str, other: int) -> str:
        if thing.pinned:
            return "unchanged"
        thing.pinned = True
        return "pinned"

    def _unpin(self, thing: Thing, at: int, word: str, other: int) -> str:
        if not thing.pinned:
            return "unchanged"
        thing.pinned = False
        return "unpinned"

    def _tag(self, thing: Thing, at: int, word: str, other: int) -> str:
        if word in thing.tags:
            return "unchanged"
        thing.tags.append(word)
        thing.off = [tag for tag in thing.off if tag != word]
        thing.updated = at
        self._unarchive(thing, at)
        return "tagged"

    def _untag(self, thing: Thing, at: int, word: str, other: int) -> str:
        if word not in (*thing.tags, *thing.found_tags):
            return "unchanged"
        thing.tags = [tag for tag in thing.tags if tag != word]
        thing.off += [word] if word not in thing.off else []
        thing.updated = at
        return "untagged"

    def _supersede(self, thing: Thing, at: int, word: str, other: int) -> str:
        new = self.things[other]
        if new.state == "deleted":
            return "wrong_state"
        if new is thing:
            return "invalid_field"
        if thing.superseded_by == other:
            return "unchanged"
        if any(one.replaced or one.whole for one in (thing, new)):
            return "wrong_state"
        self._yield(thing, other, at)
        self._at_rest(thing)
        return "superseded"

    def _link(self, thing: Thing, at: int, word: str, other: int) -> str:
        """A kind with a weight, as `references 0.5`."""
        if self.things[other].state == "deleted":
            return "wrong_state"
        if other == thing.id:
            return "invalid_field"
        kind, weight = word.split()
        return self.links.ask(ends(thing.id, other, kind), float(weight), at)

    def bring(self, where: Ends, namespace: str, bond: Bond, born: int | None, now: int) -> str:
        both = [self.things.get(id_) for id_ in where[:2]]
        if where[0] == where[1] or any(one is None or one.namespace != namespace for one in both):
            return "rejected"
        told = self.links.bring(where, bond, born, max(self._at, now))
        if told == "linked":
            self.moment(now)
        return told

    def _unlink(self, thing: Thing, at: int, word: str, other: int) -> str:
        return self.links.cut(thing.id, other, word)

    def _archive(self, thing: Thing, at: int, word: str, other: int) -> str:
        if thing.state == "archived":
            return "unchanged"
        if thing.pinned:
            return "wrong_state"
        self._enter(thing, "archived", at)
        return "archived"

    def _restore(self, thing: Thing, at: int, word: str, other: int) -> str:
        if thing.state == "active" and not thing.replaced:
            return "unchanged"
        if self.twin(thing.namespace, thing.text, thing.id) is not None:
            return "wrong_state"
        self._return(thing, at)
        return "restored"

    def _delete(self, thing: Thing, at: int, word: str, other: int) -> str:
        if thing.state == "deleted":
            return "unchanged"
        self._enter(thing, "deleted", at)
        return "deleted"

    def _erase(self, thing: Thing, at: int, word: str, other: int) -> str:
        self._gone(thing)
        return "erased"

    def decay(self, now: int) -> None:
        """Every memory straight to the furthest state that is due."""
        at = max(self._at, now)
        for thing in self.things.values():
            due = self._due(thing, now)
            if due is not None:
                self._enter(thing, due, at)
                self.moment(now)

    def _due(self, thing: Thing, now: int) -> str | None:
        if thing.pinned or thing.whole or thing.state == "deleted":
            return None
        left = thing.retention(now, self.links.edges(thing.id, now)[0])
        if thing.expires is not None and thing.expires <= now:
            return "deleted"
        if thing.state == "stale" and left >= STALE:
            return "active"
        if self._deletes and left < DELETED:
            return "deleted"
        too_long = thing.stale_since is not None and now - thing.stale_since >= STALE_DAYS * DAY
        if thing.lives and (left < ARCHIVED or (thing.state == "stale" and too_long)):
            return "archived"
        return "stale" if thing.state == "active" and left < STALE else None

    def purge(self, now: int) -> None:
        for thing in list(self.things.values()):
            if thing.deleted is not None and thing.state == "deleted" and now - thing.deleted >= PURGE_DAYS * DAY:
                if thing.id in self.things:  # or it went with what it told of
                    self._gone(thing)
                self.moment(now)

    def sleep(self, now: int) -> None:
        """Everything is planned before anything is done: a step sees the work of another when sleep comes again."""
        at, links = max(self._at, now), self.links
        proposed, doubted, faded = links.proposals(self.things), links.doubted(self.things, now), links.faded(now)
        living = [thing for thing in self.things.values() if thing.lives and not thing.whole]
        moves = [(thing, tier(thing, links.edges(thing.id, now), now)) for thing in living]
        links.propose(proposed, at)
        links.verify(doubted, self.things, at)
        for thing, where in moves:
            thing.tier = where
        for link in faded:
            del links.all[link]
