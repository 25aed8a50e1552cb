"""Sending what was found to the daemon, in batches, such that every link finds its end and every repeat is harmless.

A record that names another waits until that one has its new number. Only those that wait are held; the rest streams.
"""

from collections import Counter, deque
from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from reverie.client import Client
from reverie.protocol.limits import MAX_BATCH
from reverie.protocol.requests import LinkArrival
from reverie.protocol.results import Written
from reverie.transfer.packing import Batch, Packed, Unfit, arrival_of
from reverie.transfer.records import Found, FoundLink, Item, Skipped

# Replaced by a memory that did not come along: it stays replaced, by nobody in particular.
UNKNOWN = 0
_REPLACES = ("superseded_by", "compressed_into")


class Tally(Struct):
    """What became of everything that was read. `new` counts what was not there before."""

    counts: Counter[str] = Counter()
    problems: list[Skipped] = []
    passed_by: Counter[str] = Counter()

    def skip(self, skipped: Skipped) -> None:
        if skipped.bad:
            self.counts["bad"] += 1
            self.problems.append(skipped)
        else:
            self.counts["passed by"] += 1
            self.passed_by[skipped.reason] += 1


class Importer:
    def __init__(self, client_for: Callable[[str], Client] | None, namespace: str | None) -> None:
        """Without clients it is a dry run: everything is read and made ready, nothing is sent."""
        self.tally = Tally(Counter(), [], Counter())
        self._client_for = client_for
        self._namespace = namespace
        self._batches: dict[str, Batch] = {}
        self._ready: deque[tuple[Found, bool]] = deque()
        self._waiting: dict[int, list[Found]] = {}
        self._numbers: dict[int, int] = {}
        self._made: set[int] = set()
        self._links: list[FoundLink] = []

    def take(self, item: Item) -> None:
        if isinstance(item, Skipped):
            self.tally.skip(item)
            return
        if isinstance(item, FoundLink):
            self._links.append(item)
            return
        self.tally.counts["read"] += 1
        self._consider(item)
        self._work()

    def finish(self) -> None:
        """Send what is left. Whoever still waits then waits for a record that is not in the file."""
        self._work()
        while self._batches or self._waiting:
            for namespace in list(self._batches):
                self._send(namespace)
            self._work()
            if not self._batches and self._waiting:
                self._give_up_on(self._missing())
        for namespace, known in self._known_links().items():
            for start in range(0, len(known), MAX_BATCH):
                self._send_links(namespace, known[start : start + MAX_BATCH])

    def _known_links(self) -> dict[str, list[LinkArrival]]:
        """Those of which both ends are here by now, with their new numbers."""
        known: dict[str, list[LinkArrival]] = {}
        for found in self._links if self._client_for is not None else ():
            a, b = (self._numbers.get(number) for number in (found.link.a, found.link.b))
            if a is None or b is None or a == b:
                self.tally.counts["open links"] += 1
                continue
            link = replace(found.link, a=a, b=b)
            known.setdefault(self._namespace or found.namespace or "default", []).append(link)
        return known

    def _send_links(self, namespace: str, links: list[LinkArrival]) -> None:
        assert self._client_for is not None
        answer = self._client_for(namespace).import_links(links)
        self.tally.counts["links"] += answer.linked
        for note in answer.notes:
            self.tally.skip(Skipped(place="links", reason=note))

    def _consider(self, found: Found) -> None:
        awaited = next((to for to in found.links.values() if to not in self._numbers and to != found.ref), None)
        if awaited is None or self._client_for is None:
            self._ready.append((found, found.draft.dedup))
        else:
            self._waiting.setdefault(awaited, []).append(found)

    def _work(self) -> None:
        while self._ready:
            found, dedup = self._ready.popleft()
            try:
                packed = Packed(found, arrival_of(found, self._linked(found), dedup=dedup))
            except Unfit as unfit:
                self.tally.skip(Skipped(place=found.place, reason=str(unfit)))
                continue
            if self._client_for is None:
                continue
            namespace = self._namespace or found.namespace or "default"
            if namespace in self._batches and not self._batches[namespace].has_room_for(packed):
                self._send(namespace)
            self._batches.setdefault(namespace, Batch()).add(packed)

    def _linked(self, found: Found) -> dict[str, int | None]:
        """A parent that is not in the file may be a number of the caller's own, and stays as it is."""
        if self._client_for is not None:
            self.tally.counts["open links"] += sum(1 for to in found.links.values() if to not in self._numbers)
        return {name: self._numbers.get(to, UNKNOWN if name in _REPLACES else to) for name, to in found.links.items()}

    def _send(self, namespace: str) -> None:
        assert self._client_for is not None
        batch = self._batches.pop(namespace)
        answer = self._client_for(namespace).import_many([one.arrival for one in batch.packed])
        for one, written in zip(batch.packed, answer.results, strict=True):
            self._settle(one, written)

    def _settle(self, one: Packed, written: Written) -> None:
        found = one.found
        if written.outcome in ("duplicate", "refuted") and written.id in self._made and found.ref is not None:
            # Its twin came out of the same file, so both were kept at the source, each with a life of its own.
            self._ready.append((found, False))
            return
        self.tally.counts["repeated" if written.repeated else written.outcome] += 1
        if written.outcome == "rejected":
            self.tally.skip(Skipped(place=found.place, reason="; ".join(written.notes)))
        elif found.ref is not None:
            self._numbers[found.ref] = written.id
            if written.outcome == "stored":
                self._made.add(written.id)
            for waiting in self._waiting.pop(found.ref, ()):
                self._consider(waiting)

    def _missing(self) -> int:
        """A number that nobody who waits will get; among those that wait for each other, any."""
        coming = {found.ref for waiting in self._waiting.values() for found in waiting}
        return next((to for to in self._waiting if to not in coming), next(iter(self._waiting)))

    def _give_up_on(self, number: int) -> None:
        for found in self._waiting.pop(number):
            others = [to for to in found.links.values() if to != number and to not in self._numbers]
            known = next((to for to in others if to in self._waiting), None)
            if known is None:
                self._ready.append((found, found.draft.dedup))
            else:
                self._waiting[known].append(found)
        self._work()
