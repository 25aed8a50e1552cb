"""Where things stand, told again and again: a chain for each namespace. Its words can go, its places stay."""

from dataclasses import dataclass

from modelled.imports import Imports


@dataclass
class Narrative:
    namespace: str
    at: int
    summary: str
    topic: str
    memories: list[int]
    previous: int | None
    erased: bool = False


class Narratives(Imports):
    def __init__(self) -> None:
        super().__init__()
        self.narratives: dict[int, Narrative] = {}

    def write(self, id_: int, namespace: str, summary: str, topic: str, memories: list[int], now: int) -> str:
        if any(one not in self.things or self.things[one].namespace != namespace for one in memories):
            return "not_found"
        before = [number for number, one in self.narratives.items() if one.namespace == namespace]
        previous = max(before, default=None)
        self.narratives[id_] = Narrative(namespace, self.moment(now), summary, topic, memories, previous)
        return "written"

    def unsay(self, id_: int, namespace: str, now: int) -> str:
        """An erased memory stays named: the words are the caller's own, and go by their own number."""
        told = self.narratives.get(id_)
        if told is None or told.namespace != namespace or told.erased:
            return "not_found"
        self.moment(now)
        told.summary, told.topic, told.memories, told.erased = "", "", [], True
        return "erased"
