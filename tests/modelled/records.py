"""The records of a model and what can happen to one of them, whoever asks for it."""

from modelled.links import Links
from modelled.things import Thing


class Records:
    def __init__(self) -> None:
        self.things: dict[int, Thing] = {}
        self.links = Links()
        self._at = 0

    def moment(self, now: int) -> int:
        """The log's time never steps back, whatever the clock does."""
        self._at = max(self._at, now)
        return self._at

    def twin(self, namespace: str, text: str, but: int = 0) -> Thing | None:
        for id_, thing in sorted(self.things.items()):
            if thing.namespace == namespace and thing.holds and thing.says(text) and id_ != but:
                return thing
        return None

    def known(self, namespace: str, text: str) -> Thing | None:
        """Who holds these words, or stands for a memory that has them."""
        if (twin := self.twin(namespace, text)) is not None:
            return twin
        for _, thing in sorted(self.things.items()):
            merged = thing.compressed_into is not None and thing.superseded_by is None and thing.lives
            if merged and thing.namespace == namespace and thing.says(text):
                into = self.things.get(thing.compressed_into or 0)
                if into is not None and into.holds:
                    return into
        return None

    def _access(self, thing: Thing, at: int) -> None:
        thing.reads, thing.read = thing.reads + 1, at
        if thing.state == "stale":
            thing.state, thing.stale_since = "active", None

    def _unarchive(self, thing: Thing, at: int) -> None:
        free = self.twin(thing.namespace, thing.text, thing.id) is None
        if thing.state == "archived" and not thing.replaced and free:
            thing.state, thing.archived, thing.affirmed, thing.tier = "active", None, at, "warm"

    def _enter(self, thing: Thing, state: str, at: int) -> None:
        thing.state, thing.stale_since = state, at if state == "stale" else None
        if state == "archived":
            thing.archived, thing.tier = at, "archive"
        if state == "deleted":
            thing.deleted = at

    def _return(self, thing: Thing, at: int) -> None:
        """From wherever it was, speaking for itself again."""
        thing.state, thing.tier, thing.affirmed = "active", "warm", at
        thing.superseded_by = thing.compressed_into = None
        thing.stale_since = thing.archived = thing.deleted = thing.replaced_at = None
        self.links.restored(thing.id)

    def _yield(self, thing: Thing, by: int, at: int) -> None:
        thing.superseded_by, thing.replaced_at = by, at
        self.links.superseded(thing.id, by, at)

    def _absorb(self, thing: Thing, into: Thing, added: str, how: str, at: int) -> None:
        """What comes again from outside counts as access; a job that tidies up reads nothing."""
        thing.compressed_into, thing.replaced_at = into.id, at
        if how != "compressed":
            self._access(into, at)
        if how in ("merged", "compressed"):
            into.updated = at
        into.gained += [(thing.id, added)] if added else []
        into.tags += [tag for tag in thing.tags if tag not in into.tags]
        into.importance = max(into.importance, thing.importance)
        self.links.moved(thing.id, into.id)

    def _gone(self, thing: Thing) -> None:
        """With its words, wherever they went."""
        del self.things[thing.id]
        self.links.gone(thing.id)
        for other in self.things.values():
            other.gained = [(source, words) for source, words in other.gained if source != thing.id]
