"""Texts of any length: kept whole, cut into memories of their own, and gone with all of them."""

from dataclasses import dataclass, field

from modelled.narratives import Narratives
from modelled.things import Thing

NEW, OF_A_NUMBER = 0.6, 0.4 * 0.2  # nobody has vectors, so every part is new
BETWEEN = "\n\n"


@dataclass
class Document:
    id: int
    namespace: str
    parts: list[str]
    source: str
    tags: list[str]
    born: int
    handled: int = 0
    done: bool = False
    became: dict[str, int] = field(default_factory=lambda: {"stored": 0, "duplicates": 0, "discarded": 0})


class Documents(Narratives):
    def __init__(self, worth: float) -> None:
        super().__init__()
        self._worth = worth  # what a part must be worth to be kept
        self.documents: dict[int, Document] = {}

    def take_in(self, text: Document, now: int) -> tuple[str, int]:
        """The same text again changes nothing, not even the time of the log."""
        for known in self.documents.values():
            if (known.namespace, known.parts) == (text.namespace, text.parts):
                return "duplicate", known.id
        opening = BETWEEN.join(text.parts[:3])
        thing = Thing(text.id, text.namespace, opening, "document", text.born, self.moment(now), text.born)
        thing.source, thing.tags = text.source, [*text.tags]
        self.things[text.id], self.documents[text.id] = thing, text
        return "received", text.id

    def cut(self, document: int, numbers: list[int], now: int, *, ended: bool) -> None:
        """So many of its parts were decided by now; their numbers are those that the log gave."""
        text, at = self.documents[document], self.moment(now)
        for place in range(text.handled, len(numbers)):
            text.became[self._part(text, place, numbers[place], at)] += 1
        text.handled, text.done = len(numbers), ended

    def _part(self, text: Document, place: int, number: int, at: int) -> str:
        words = text.parts[place]
        worth = NEW + (OF_A_NUMBER if any(letter.isdigit() for letter in words) else 0)
        if worth < self._worth:
            return "discarded"
        twin = self.known(text.namespace, words)
        if twin is not None:
            self._access(twin, at)
            return "duplicates"
        thing = Thing(number, text.namespace, words, "activity", text.born, at, text.born)
        thing.source, thing.tags, thing.importance = text.source, [*text.tags], round(worth, 4)
        thing.parent, thing.place, thing.title = text.id, place, text.parts[0]
        self.things[number] = thing
        return "stored"

    def _gone(self, thing: Thing) -> None:
        super()._gone(thing)
        if self.documents.pop(thing.id, None) is not None:
            for part in [one for one in self.things.values() if one.parent == thing.id]:
                self._gone(part)
