"""Links between memories: told, found by what two share, or grown by being recalled together."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import combinations

from modelled.things import DAY, Edges, Thing

TOGETHER, SUPERSEDES = "co_recalled", "supersedes"
SYMMETRIC = ("related_to", "similar_to", TOGETHER)
Ends = tuple[int, int, str]


@dataclass
class Bond:
    how: str
    born: int
    seen: int  # verified, or recalled together, for the last time
    weight: float = 1.0
    confidence: float = 1.0
    shared: int = 0
    together: int = 0
    affirmed: int = 0
    useful: set[int] = field(default_factory=set)  # who was reinforced since, waiting for the other

    @property
    def stands(self) -> bool:
        return self.how != "refused"

    def told(self, other: "Bond") -> bool:
        """Whether it has been through at least as much."""
        return self.together >= other.together and self.affirmed >= other.affirmed

    def strength(self, now: int) -> float:
        return (1 - 0.8 ** (self.together + 3 * self.affirmed)) * 0.5 ** (max(now - self.seen, 0) / DAY / 30)


def ends(one: int, other: int, kind: str) -> Ends:
    if kind == "follows":
        return other, one, "precedes"
    if kind in SYMMETRIC:
        return min(one, other), max(one, other), kind
    return one, other, kind


def found(shared: int, at: int, how: str) -> Bond:
    """Nobody names an entity here and nobody has vectors: tags alone speak, as a share of what could be known."""
    weight = 0.3 * min(shared, 3) / 3
    return Bond(how, at, at, round(weight, 4), round(weight / 0.7, 4), shared)


class Links:
    def __init__(self) -> None:
        self.all: dict[Ends, Bond] = {}
        self.looked: dict[int, int] = {}  # when somebody last looked for links of a memory

    def of(self, id_: int) -> list[tuple[Ends, Bond]]:
        return [(where, bond) for where, bond in self.all.items() if id_ in where[:2]]

    def between(self, one: int, other: int) -> list[tuple[Ends, Bond]]:
        return [(where, bond) for where, bond in self.of(one) if set(where[:2]) == {one, other}]

    def edges(self, id_: int, now: int) -> Edges:
        """One recall makes nobody an edge: three do, and then for a month."""
        counted = [bond for where, bond in self.of(id_) if bond.stands and self._counts(where, bond, now)]
        return len(counted), sum(bond.born >= now - 7 * DAY for bond in counted)

    def _counts(self, where: Ends, bond: Bond, now: int) -> bool:
        if where[2] != TOGETHER:
            return True
        return bond.together + 3 * bond.affirmed >= 3 and bond.seen >= now - 30 * DAY

    def ask(self, where: Ends, weight: float, at: int) -> str:
        """Whoever says it again as before says nothing new."""
        known = self.all.get(where)
        if known is not None and (known.how, known.weight) == ("asked", weight):
            return "unchanged"
        self._put(where, Bond("asked", at, at, weight))
        return "linked"

    def _put(self, where: Ends, bond: Bond) -> None:
        """It began when it was first there; what was refused and is wanted now begins now."""
        known = self.all.get(where)
        if known is not None and known.stands:
            bond.born = known.born
        self.all[where] = bond

    def bring(self, where: Ends, bond: Bond, born: int | None, at: int) -> str:
        """From elsewhere, with its life. What is here and as firm stays; what somebody said, against what was found."""
        known, said = self.all.get(where), ("asked", "refused")
        if known is not None and (known.how, born or known.born) == (bond.how, known.born) and known.told(bond):
            return "unchanged"
        if bond.how not in said:
            self.looked[where[0]] = at
        if known is None or bond.how in said or known.how not in said:
            since = at if known is None or not known.stands else known.born
            self.all[where] = replace(bond, born=since if born is None else born)
        return "linked"

    def cut(self, one: int, other: int, kind: str) -> str:
        """Without a kind, whatever is between them. What was cut is remembered, or it would be proposed again."""
        meant = [(where, bond) for where, bond in self.between(one, other) if bond.stands]
        if kind:
            meant = [(where, bond) for where, bond in meant if where == ends(one, other, kind)]
        for where, bond in meant:
            if where[2] == TOGETHER:
                del self.all[where]
            else:
                bond.how = "refused"
        return "unlinked" if meant else "unchanged"

    def recalled(self, ids: list[int], at: int) -> None:
        for one, other in combinations(sorted(ids[:4]), 2):
            self.all.setdefault((one, other, TOGETHER), Bond("recalled", at, at, weight=0.0))
            for where, bond in self.between(one, other):
                if where[2] == TOGETHER:
                    bond.together += 1
                    bond.useful.clear()
                if bond.stands:
                    bond.seen = at

    def reinforced(self, id_: int, at: int) -> None:
        for where, bond in self.of(id_):
            if where[2] == TOGETHER and bond.seen >= at - DAY:
                bond.useful.add(id_)
                if len(bond.useful) == 2:
                    bond.affirmed += 1
                    bond.useful.clear()

    def superseded(self, old: int, by: int, at: int) -> None:
        known = self.all.get((by, old, SUPERSEDES))
        if known is None or not known.stands:
            self.all[by, old, SUPERSEDES] = Bond("superseded", at, at)

    def restored(self, id_: int) -> None:
        for where, bond in self.of(id_):
            if where[1] == id_ and bond.how == "superseded":
                del self.all[where]

    def gone(self, id_: int) -> None:
        for where, _ in self.of(id_):
            del self.all[where]
        self.looked.pop(id_, None)

    def moved(self, gone: int, into: int) -> None:
        """Who stands for both takes over the links of the other, but for those between the two and what replaced it."""
        for where, bond in self.of(gone):
            if where[1:] == (gone, SUPERSEDES):
                continue
            del self.all[where]
            if into not in where[:2]:
                one, other = (into if end == gone else end for end in where[:2])
                bond.useful = {into if end == gone else end for end in bond.useful}
                self._joined(ends(one, other, where[2]), bond)

    def _joined(self, where: Ends, bond: Bond) -> None:
        """The firmer of the two, with the life of both."""
        known = self.all.get(where)
        if known is None:
            self.all[where] = bond
            return
        best = max(known, bond, key=lambda one: (one.how == "asked", one.stands, one.weight, one.confidence))
        self.all[where] = replace(
            best,
            born=min(known.born, bond.born),
            seen=max(known.seen, bond.seen),
            together=known.together + bond.together,
            affirmed=known.affirmed + bond.affirmed,
            useful=set(),
        )

    # ── sleep ───────────────────────────────────────────────────────────────────────────────────────────────────

    def proposals(self, things: dict[int, Thing]) -> dict[int, list[tuple[int, int]]]:
        """For whoever changed since it was looked at, the best five that it shares enough with."""
        planned: dict[int, list[tuple[int, int]]] = {}
        for id_, thing in sorted(things.items()):
            if not thing.holds or thing.whole or self.looked.get(id_, -1) >= thing.updated:
                continue
            sharing = ((other.id, shared(thing, other)) for other in self._fit(thing, things))
            best = sorted(sharing, key=lambda one: (-min(one[1], 3), -one[0]))
            worth = [one for one in best if one[1] >= 2][:5]
            planned[id_] = [one for one in worth if id_ not in dict(planned.get(one[0], ()))]
        return planned

    def _fit(self, thing: Thing, things: dict[int, Thing]) -> Iterable[Thing]:
        """Whatever was said, found or refused of two stands."""
        known = {id_ for where, _ in self.of(thing.id) if where[2] != TOGETHER for id_ in where[:2]}
        for other in things.values():
            if other.id != thing.id and other.id not in known and linkable(thing, other):
                yield other

    def propose(self, planned: dict[int, list[tuple[int, int]]], at: int) -> None:
        for id_, others in planned.items():
            self.looked[id_] = at
            for other, count in others:
                self._put(ends(id_, other, "related_to"), found(count, at, "proposed"))

    def doubted(self, things: dict[int, Thing], now: int) -> list[Ends]:
        """What is weak and was not verified for a week; an archived memory's links wait for its return."""
        return [
            where
            for where, bond in self.all.items()
            if bond.how in ("proposed", "verified") and bond.confidence <= 0.35 and bond.seen < now - 7 * DAY
            if all(things[id_].lives for id_ in where[:2])
        ]

    def verify(self, doubted: list[Ends], things: dict[int, Thing], at: int) -> None:
        for where in doubted:
            one, other = things[where[0]], things[where[1]]
            again = found(shared(one, other), at, "verified")
            if linkable(one, other) and again.confidence > 0.35:
                self._put(where, again)
                self.looked[one.id] = at
            else:
                del self.all[where]

    def faded(self, now: int) -> list[Ends]:
        below = 0.05 - 1e-9  # exactly there is not below
        return [where for where, bond in self.all.items() if where[2] == TOGETHER and bond.strength(now) < below]


def shared(one: Thing, other: Thing) -> int:
    return len((one.found_tags | {*one.tags}) & (other.found_tags | {*other.tags}))


def linkable(one: Thing, other: Thing) -> bool:
    """A document has its parts, and those have each other; an account has what it tells of."""
    alike = one.namespace == other.namespace and (one.parent is None or one.parent != other.parent)
    return alike and all(each.holds and not (each.whole or each.tells) for each in (one, other))
