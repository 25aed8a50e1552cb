"""Memories from elsewhere, with the life that they had there."""

from modelled.disputes import Disputes
from modelled.things import Thing


class Imports(Disputes):
    def __init__(self) -> None:
        super().__init__()
        self.arrived: dict[tuple[str, str], int] = {}

    def receive(self, key: str, thing: Thing, touched: int, now: int) -> tuple[str, int]:
        """What is here already is no access; what was let go of here stays so, but for what was touched since."""
        if (thing.namespace, key) in self.arrived:
            return "stored", self.arrived[thing.namespace, key]
        for known in self._saying(thing) if thing.holds else ():
            gone = [at for at in (known.deleted, known.archived, known.replaced_at) if at is not None]
            if known.holds or touched <= max(gone, default=known.stored):
                return "refuted" if known.state == "deleted" or known.replaced else "duplicate", known.id
        at = self.moment(now)
        thing.stored = thing.stored or at
        self.things[thing.id] = thing
        self.arrived[thing.namespace, key] = thing.id
        if thing.superseded_by:
            self.links.superseded(thing.id, thing.superseded_by, at)
        return "stored", thing.id

    def _saying(self, thing: Thing) -> list[Thing]:
        """Who has its words, in whatever state; a live one first."""
        found = [one for one in self.things.values() if one.namespace == thing.namespace and one.says(thing.own)]
        return sorted(found, key=lambda one: (not one.holds, one.id))
