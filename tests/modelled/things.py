"""What is known of one memory, and how fast it fades."""

from dataclasses import dataclass, field
from math import exp, log

DAY = 86_400_000_000
STABLE_DAYS = {
    "identity": 365.0,
    "fact": 270.0,
    "event": 120.0,
    "activity": 90.0,
    "plan": 60.0,
    "context": 21.0,
    "ephemeral": 3.0,
}
SOURCES = {"agent": 0.8, "correction": 1.0, "migration": 0.6, "elsewhere": 0.5, "session": 0.5}
PLAIN_SOURCES = ("agent", "correction")  # nearly every memory has one of these, so they are no tags
Edges = tuple[int, int]  # how many there are, and how many of them are recent


@dataclass
class Thing:
    id: int
    namespace: str
    own: str
    kind: str
    born: int
    stored: int
    updated: int
    expires: int | None = None
    priority: float | None = None
    source: str = "agent"
    importance: float = 0.4
    valid_from: int | None = None
    score: int = 0
    reads: int = 0
    read: int | None = None
    affirmed: int | None = None
    pinned: bool = False
    tags: list[str] = field(default_factory=list)
    state: str = "active"
    tier: str = "hot"
    stale_since: int | None = None
    archived: int | None = None
    deleted: int | None = None
    superseded_by: int | None = None
    compressed_into: int | None = None
    replaced_at: int | None = None
    conflicts: list[tuple[int, int]] = field(default_factory=list)  # the open ones: number and other side
    gained: list[tuple[int, str]] = field(default_factory=list)  # words of others, and whose they are
    off: list[str] = field(default_factory=list)  # tags that somebody took off
    parent: int | None = None  # the document that it is a part of, and where in it
    place: int | None = None
    title: str = ""
    session: str | None = None
    tells: list[int] = field(default_factory=list)  # as an account of these
    chosen: set[str] | None = None  # the tags found in a text that has more words than tags

    def __post_init__(self) -> None:
        """Its first line, unless somebody gave it another."""
        self.title = self.title or self.own.partition("\n")[0]

    @property
    def text(self) -> str:
        return "\n".join((self.own, *(words for _, words in self.gained)))

    @property
    def lives(self) -> bool:
        return self.state in ("active", "stale")

    @property
    def replaced(self) -> bool:
        return self.superseded_by is not None or self.compressed_into is not None

    @property
    def holds(self) -> bool:
        """Whether its words are taken."""
        return self.lives and not self.replaced

    @property
    def whole(self) -> bool:
        """A document: its words stand for a longer text, and are not those of a memory."""
        return self.kind == "document"

    def says(self, text: str) -> bool:
        return not self.whole and self.text.split() == text.split()

    @property
    def found_tags(self) -> set[str]:
        """Where it is from, and every longer word of its own, since a text has few."""
        if self.chosen is not None:
            return self.chosen - {*self.off}
        longer = {word for word in self.own.lower().replace(".", " ").split() if len(word) > 3}
        return (longer if self.source in PLAIN_SOURCES else {self.source, *longer}) - {*self.off}

    def used(self) -> int:
        return max(self.born if self.read is None else self.read, self.stored, self.affirmed or 0)

    def idle(self, now: int) -> float:
        return max(now - self.used(), 0) / DAY

    def retention(self, now: int, edges: int) -> float:
        """As if nobody had pinned it."""
        growth, connectivity = 1 + 0.5 * log(1 + self.reads), 1 + 0.1 * log(1 + edges)
        return exp(-self.idle(now) / (STABLE_DAYS[self.kind] * growth * connectivity))
