"""What becomes of two memories that say the same, or the contrary."""

import re
from dataclasses import dataclass

from modelled.records import Records
from modelled.things import Thing

CERTAIN = 0.75
OUTCOMES = {"keep_existing": "existing_kept", "use_new": "new_used", "merge": "merged", "ask": "flagged"}


@dataclass
class Dispute:
    new: int
    known: int
    outcome: str
    open: bool
    winner: int | None
    resolution: str | None = None


class Disputes(Records):
    def __init__(self) -> None:
        super().__init__()
        self.disputes: dict[int, Dispute] = {}

    def same(self, new: Thing, known: Thing, how: str, now: int) -> str:
        """Of two that say the same one stands for both; what it lacked is added to it."""
        at, added = self.moment(now), unsaid(new, known) if how in ("merged", "compressed") else ""
        self._absorb(new, known, added, how, at)
        self._at_rest(new)
        if how == "compressed":
            self._enter(new, "archived", at)
        return how

    def contradicts(self, number: int, new: Thing, known: Thing, confidence: float, mode: str, now: int) -> None:
        at, outcome = self.moment(now), by_mode(new, known, mode)
        winner, loser = sides(outcome, new, known)
        if confidence < CERTAIN or (loser is not None and loser.pinned):
            outcome, winner, loser = "flagged", None, None
        self.disputes[number] = Dispute(new.id, known.id, outcome, loser is None, winner and winner.id)
        if loser is None or winner is None:
            self._doubt(number, new, known)
        else:
            self._settle(loser, winner, outcome, at)

    def resolve(self, number: int, namespace: str, mode: str, now: int) -> str:
        found = self.disputes.get(number)
        if found is None or self.things[found.new].namespace != namespace:
            return "not_found"
        pair = new, known = self.things[found.new], self.things[found.known]
        outcome = by_mode(new, known, mode)
        winner, loser = sides(outcome, new, known)
        if "deleted" in (new.state, known.state):
            return "wrong_state"
        standing = (winner,) if winner else pair
        if found.open == (mode == "ask") and not any(one.replaced for one in standing) and _yields(loser, winner):
            return "unchanged"
        back = [one for one in pair if one.replaced and one is not loser]
        if any(_successor(one) not in (new.id, known.id) for one in back):
            return "wrong_state"
        if any(self.twin(namespace, one.text, one.id) for one in back):
            return "wrong_state"
        self._carry_out(number, back, outcome, mode, self.moment(now))
        return "resolved"

    def _carry_out(self, number: int, back: list[Thing], outcome: str, mode: str, at: int) -> None:
        found = self.disputes[number]
        new, known = self.things[found.new], self.things[found.known]
        winner, loser = sides(outcome, new, known)
        found.resolution, found.winner, found.open = mode, winner and winner.id, mode == "ask"
        self._trust(number)
        if found.open:
            self._doubt(number, new, known)
        for one in back:
            self._return(one, at)
        if loser is not None and winner is not None and not _yields(loser, winner):
            self._settle(loser, winner, outcome, at)

    def _settle(self, loser: Thing, winner: Thing, outcome: str, at: int) -> None:
        if outcome == "merged":
            self._absorb(loser, winner, unsaid(loser, winner), "merged", at)
        else:
            self._yield(loser, winner.id, at)
        self._at_rest(loser)

    def _doubt(self, number: int, new: Thing, known: Thing) -> None:
        for one, other in ((new, known), (known, new)):
            one.conflicts.append((number, other.id))

    def _trust(self, number: int) -> None:
        for thing in self.things.values():
            thing.conflicts = [one for one in thing.conflicts if one[0] != number]

    def _at_rest(self, gone: Thing) -> None:
        """Whoever contradicted it need not be doubted any more."""
        for number, other in list(gone.conflicts):
            found = self.disputes[number]
            found.open, found.resolution, found.winner = False, "gone", other
            self._trust(number)

    def _enter(self, thing: Thing, state: str, at: int) -> None:
        super()._enter(thing, state, at)
        if state == "deleted":
            self._at_rest(thing)

    def _gone(self, thing: Thing) -> None:
        super()._gone(thing)
        for number, found in list(self.disputes.items()):
            if thing.id in (found.new, found.known):
                del self.disputes[number]
                self._trust(number)


def by_mode(new: Thing, known: Thing, mode: str) -> str:
    if mode != "temporal":
        return OUTCOMES[mode]
    told = new.valid_from is not None and known.valid_from is not None
    return "existing_kept" if told and (new.valid_from or 0) < (known.valid_from or 0) else "new_used"


def sides(outcome: str, new: Thing, known: Thing) -> tuple[Thing | None, Thing | None]:
    """Who holds, and who yields."""
    if outcome == "flagged":
        return None, None
    return (new, known) if outcome == "new_used" else (known, new)


def _successor(thing: Thing) -> int | None:
    return thing.superseded_by or thing.compressed_into


def _yields(loser: Thing | None, winner: Thing | None) -> bool:
    if loser is None or winner is None:
        return True
    return winner.id in (loser.superseded_by, loser.compressed_into)


def unsaid(new: Thing, known: Thing) -> str:
    said = _sentences(known.text)
    return " ".join(one for one in _sentences(new.text) if one not in said)


def _sentences(text: str) -> list[str]:
    return re.findall(r"[A-Z][^.]*\.", text)
